//! What happens to a document while it is extracted.

use botyard_tests::waiting::until;
use botyard_tests::{OnBot, each_database};
use serde_json::{Value, json};

use super::processes::{until_an_image_is_read, until_no_worker_is_left};
use super::programs::{Programs, image, start};
use super::{
    FILES, UPLOAD, assign, at, chunks, extract_at, get, is_quiet, post, project, replace, settled,
    status, stored_chunks, text_form, texts,
};
use crate::skills::id;

/// Uploads an image and waits until a program reads it; returns the document's `_id`.
#[track_caller]
fn running(bot: &OnBot<'_>, text: &str) -> String {
    let document =
        id(&post(&bot.client, UPLOAD, &image("a.png", &bot.text(text))).ok()["projectDoc"]);
    until("it runs", || status(&get(&bot.client, &document)) == "running");
    until_an_image_is_read(bot.tenant.app());
    document
}

each_database! {
    fn a_document_can_be_deleted(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[]);
        let bot = project(&app);
        let document = running(&bot, "Words");
        let _ = bot.client.delete(&at(&document)).ok();
        assert_eq!(bot.client.get(FILES).items(), Vec::<Value>::new());
        // The program that reads the image was not released: it is ended because the document is gone.
        until_no_worker_is_left(&app);
        is_quiet(&bot.tenant);
        assert_eq!(stored_chunks(&bot.tenant), 0);
        // There is a place for the next one.
        programs.release();
        let next = id(&super::upload(&bot, &image("b.png", &bot.text("Others"))));
        assert_eq!(texts(&bot.client, &next), [bot.text("Others")]);
    }

    fn a_document_can_be_replaced(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[]);
        let bot = project(&app);
        let document = running(&bot, "First");
        let copy = assign(&bot.client, &bot.id().to_string(), &[&document]).remove(0);
        assert_eq!(status(&copy), "running");
        let form = text_form("b.txt", &bot.text("Second")).text("ocrEnabled", "false");
        let _ = replace(&bot.client, &document, &form).ok();
        let after = settled(&bot, &document);
        assert_eq!((status(&after), &after["fileName"]), ("finished", &json!("b.txt")));
        assert_eq!(texts(&bot.client, &document), [bot.text("Second")]);
        until_no_worker_is_left(&app);
        programs.release();
        is_quiet(&bot.tenant);
        // What was read of the first file is nowhere.
        assert_eq!(texts(&bot.client, &document), [bot.text("Second")]);
        assert_eq!(stored_chunks(&bot.tenant), 1);
        let copy = assign(&bot.client, &bot.id().to_string(), &[&document]).remove(0);
        assert_eq!(copy["extraction"], after["extraction"]);
    }

    fn a_document_can_be_replaced_by_one_that_is_not_extracted(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[]);
        let bot = project(&app);
        let document = running(&bot, "First");
        let form = text_form("b.txt", "Second").text("extract", "false");
        let _ = replace(&bot.client, &document, &form).ok();
        assert_eq!(status(&settled(&bot, &document)), "none");
        until_no_worker_is_left(&app);
        assert_eq!(chunks(&bot.client, &document), Vec::<Value>::new());
        assert_eq!(stored_chunks(&bot.tenant), 0);
    }

    fn a_document_can_be_extracted_in_another_way(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[]);
        let bot = project(&app);
        let document = running(&bot, "Words");
        for chars in [500, 400, 300] {
            let answer = bot.client.post(&extract_at(&document), &json!({"maxChars": chars})).ok();
            assert_eq!(answer["extraction"]["status"], json!("queued"));
        }
        programs.release();
        let after = settled(&bot, &document);
        assert_eq!((status(&after), &after["extraction"]["settings"]["maxChars"]), ("finished", &json!(300)));
        assert_eq!(texts(&bot.client, &document), [bot.text("Words")]);
        assert_eq!(stored_chunks(&bot.tenant), 1);
        until_no_worker_is_left(&app);
    }

    fn a_document_goes_on_without_the_bot_that_it_came_through(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[]);
        let bot = project(&app);
        let form = image("a.png", &bot.text("Words"));
        let document = id(&post(&bot.client, &bot.path("/doc/upload"), &form).ok()["projectDoc"]);
        until("it runs", || status(&get(&bot.client, &document)) == "running");
        let _ = bot.delete("").ok();
        programs.release();
        let after = settled(&bot, &document);
        assert_eq!((status(&after), &after["botIds"]), ("finished", &json!([])));
        assert_eq!(texts(&bot.client, &document), [bot.text("Words")]);
    }

    fn a_copy_of_a_bot_shares_what_comes_of_it(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[]);
        let bot = project(&app);
        let document = running(&bot, "Words");
        let _ = assign(&bot.client, &bot.id().to_string(), &[&document]);
        let twin = id(&bot.post("/duplicate", &json!({})).ok());
        programs.release();
        let after = settled(&bot, &document);
        for on in [&bot.id().to_string(), &twin] {
            let copy = assign(&bot.client, on, &[&document]).remove(0);
            assert_eq!(copy["extraction"], after["extraction"]);
        }
    }

    fn a_project_leaves_a_worker_to_others(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[("EXTRACTION__WORKERS", "2")]);
        let bot = project(&app);
        let first = running(&bot, "First");
        let second = id(&post(&bot.client, UPLOAD, &image("b.png", &bot.text("Second"))).ok()["projectDoc"]);
        let other = bot.tenant.sibling().with_project_token();
        let of_other = id(&super::upload(&other, &text_form("a.txt", "Others")));
        assert_eq!(status(&settled(&other, &of_other)), "finished");
        assert_eq!(status(&get(&bot.client, &first)), "running");
        assert_eq!(status(&get(&bot.client, &second)), "queued");
        programs.release();
        for document in [&first, &second] {
            assert_eq!(status(&settled(&bot, document)), "finished");
        }
    }
}
