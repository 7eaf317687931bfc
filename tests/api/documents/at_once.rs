//! Documents that are written by many at once.

use botyard_tests::{TestApp, at_once, each_database};
use serde_json::{Value, json};

use super::{
    FILES, UPLOAD, at, extract_at, is_quiet, post, project, replace, settled, status,
    stored_chunks, text_form, texts, upload_plain,
};
use crate::fusion::files::{jobs, known, stored, until_blobs};
use crate::skills::id;

const SETTINGS: [(&str, &str); 2] = [("LIMITS__UPLOADS_PER_PROJECT", "64"), ("BLOBS__GRACE", "0s")];

each_database! {
    fn uploads_at_once_are_all_there(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        let bot = project(app);
        let made = at_once(12, |number| {
            let path = if number % 2 == 0 { UPLOAD.to_owned() } else { bot.path("/doc/upload") };
            let form = text_form("a.txt", &bot.text(&(number / 4).to_string()));
            id(&post(&bot.client, &path, &form).ok()["projectDoc"])
        });
        for document in &made {
            assert_eq!(status(&settled(&bot, document)), "finished");
        }
        assert_eq!(bot.client.get(FILES).items().len(), 12);
        assert_eq!((stored(&bot.tenant), known(&bot.tenant).len()), (known(&bot.tenant), 3));
        assert_eq!(stored_chunks(&bot.tenant), 12);
    }

    fn of_files_that_replace_one_at_once_one_is_left(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        let bot = project(app);
        let document = upload_plain(&bot, "first");
        at_once(8, |number| {
            let form = text_form(&format!("{number}.txt"), &bot.text(&format!("file {number}")));
            assert_eq!(replace(&bot.client, &document, &form).ok()["replaced"], json!(true));
        });
        let after = settled(&bot, &document);
        assert_eq!(status(&after), "finished");
        let name = after["fileName"].as_str().unwrap();
        let number = name.trim_end_matches(".txt");
        assert_eq!(texts(&bot.client, &document), [bot.text(&format!("file {number}"))]);
        until_blobs(&bot.tenant, 1);
        botyard_tests::waiting::until("nothing more is to be done", || jobs(&bot.tenant) == 0);
        assert_eq!(stored_chunks(&bot.tenant), 1);
    }

    fn extractions_asked_for_at_once_end_in_one(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        let bot = project(app);
        let words = (0..300).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
        let document = id(&super::upload(&bot, &text_form("a.txt", &words)));
        at_once(8, |number| {
            let body = json!({"maxChars": 200 + 100 * number});
            let answer = bot.client.post(&extract_at(&document), &body).ok();
            assert_eq!(answer["docId"], json!(document));
        });
        let after = settled(&bot, &document);
        assert_eq!(status(&after), "finished");
        let chars = after["extraction"]["settings"]["maxChars"].as_u64().unwrap();
        let texts = texts(&bot.client, &document);
        assert!(texts.iter().all(|text| text.len() <= usize::try_from(chars).unwrap()));
        assert_eq!(after["extraction"]["chunkCount"], json!(texts.len()));
        assert_eq!(stored_chunks(&bot.tenant), i64::try_from(texts.len()).unwrap());
    }

    fn replacing_and_deleting_at_once_leaves_nothing_behind(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        let bot = project(app);
        let documents: Vec<_> = (0..6).map(|n| upload_plain(&bot, &n.to_string())).collect();
        at_once(18, |number| {
            let document = &documents[number / 3];
            let answer = match number % 3 {
                0 => {
                    let _ = bot.client.delete(&at(document)).ok();
                    return;
                }
                1 => replace(&bot.client, document, &text_form("b.txt", &bot.text("Second"))),
                _ => bot.client.post(&extract_at(document), &json!({})),
            };
            if answer.status() != 200 {
                answer.problem(404, "document_not_found");
            }
        });
        assert_eq!(bot.client.get(FILES).items(), Vec::<Value>::new());
        is_quiet(&bot.tenant);
        assert_eq!(stored_chunks(&bot.tenant), 0);
        until_blobs(&bot.tenant, 0);
    }
}
