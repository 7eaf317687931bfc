//! `PUT /api/external/projectapi/doc/replace/{docId}`

use botyard_tests::waiting::until;
use botyard_tests::{Form, TestApp, each_database};
use serde_json::{Value, json};

use super::{
    assign, chunks, get, project, replace, settled, status, stored_chunks, text_form, texts,
    upload, upload_plain,
};
use crate::fusion::files::{content, known, stored, until_blobs};
use crate::fusion::sha256;
use crate::skills::id;

each_database! {
    fn a_replaced_document_is_the_same_with_another_file(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", &bot.text("First")).text("skillId", "s");
        let before = upload(&bot, &form.text("functionName", "f"));
        let document = id(&before);
        let answer = replace(&bot.client, &document, &text_form("b.txt", &bot.text("Second"))).ok();
        let after = settled(&bot, &document);
        // This is all that it says; the rest is for a read.
        let expected = json!({
            "docId": document, "replaced": true, "extraction": after["extraction"],
        });
        assert_eq!(answer, expected);
        let mut expected = before.clone();
        for member in ["fileName", "size", "sha256", "extraction", "updatedAt"] {
            expected[member] = after[member].clone();
        }
        assert_eq!(after, expected);
        assert_eq!((&after["fileName"], &after["mimeType"]), (&json!("b.txt"), &json!("text/plain")));
        assert_eq!(after["sha256"], json!(sha256(bot.text("Second").as_bytes())));
        assert!(after["updatedAt"].as_str() >= before["updatedAt"].as_str());
        assert_eq!((&after["skillId"], &after["functionName"]), (&json!("s"), &json!("f")));
        assert_eq!(texts(&bot.client, &document), [bot.text("Second")]);
        assert_eq!(stored_chunks(&bot.tenant), 1);
    }

    fn settings_are_taken_over_unless_they_were_said(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", "First").text("maxChars", "300").text("ocrLanguage", "deu");
        let document = id(&upload(&bot, &form));
        let form = text_form("b.txt", "Second").text("maxOverlap", "5");
        let answer = replace(&bot.client, &document, &form).ok();
        assert_eq!(answer["extraction"]["settings"], json!({
            "maxChars": 300, "maxOverlap": 5, "chunking_strategy": "text",
            "imagesEnabled": false, "ocrEnabled": false, "ocrLanguage": "deu",
        }));
    }

    fn a_file_of_another_type_is_cut_as_its_type_asks(app: &TestApp) {
        let bot = project(app);
        let document = id(&upload(&bot, &text_form("a.txt", "First")));
        let markdown = Form::new().file("b.md", "text/markdown", b"# Second\n\nWords");
        let answer = replace(&bot.client, &document, &markdown).ok();
        let settings = &answer["extraction"]["settings"];
        assert_eq!(settings["chunking_strategy"], json!("markdown"));
        let document = get(&bot.client, &document);
        assert_eq!(document["mimeType"], json!("text/markdown"));
    }

    fn a_replaced_document_need_not_be_extracted(app: &TestApp) {
        let bot = project(app);
        let document = id(&upload(&bot, &text_form("a.txt", "First")));
        let form = text_form("b.txt", "Second").text("extract", "false");
        let answer = replace(&bot.client, &document, &form).ok();
        assert_eq!(answer["extraction"]["status"], json!("none"));
        assert_eq!(answer["extraction"]["chunkCount"], json!(0));
        // The chunks of the first file are gone with it.
        assert_eq!(chunks(&bot.client, &document), Vec::<Value>::new());
        let after = settled(&bot, &document);
        assert_eq!(status(&after), "none");
        assert_eq!(stored_chunks(&bot.tenant), 0);
    }

    fn a_file_that_can_not_be_read_replaces_another_all_the_same(app: &TestApp) {
        let bot = project(app);
        let document = id(&upload(&bot, &text_form("a.txt", "First")));
        let form = Form::new().file("b", "application/octet-stream", b"\0\x01\x02");
        let answer = replace(&bot.client, &document, &form).ok();
        assert_eq!(answer["replaced"], json!(true));
        assert_eq!(answer["extraction"]["status"], json!("failed"));
        assert_eq!(answer["extraction"]["error"], json!("unsupported"));
        assert_eq!(chunks(&bot.client, &document), Vec::<Value>::new());
        assert_eq!(get(&bot.client, &document)["size"], json!(3));
    }

    fn copies_on_bots_are_led_along(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", "First").text("skillId", "s");
        let document = id(&upload(&bot, &form));
        let bots = [bot.id().to_string(), bot.tenant.new_bot("other").to_string()];
        let before = bots.each_ref().map(|on| assign(&bot.client, on, &[&document]).remove(0));
        let _ = replace(&bot.client, &document, &text_form("b.txt", "Second")).ok();
        let after = settled(&bot, &document);
        for (on, before) in bots.iter().zip(before) {
            let copy = assign(&bot.client, on, &[&document]).remove(0);
            for member in ["_id", "botId", "projectDocId", "createdAt", "skillId", "functionName"] {
                assert_eq!(copy[member], before[member], "{member}");
            }
            for member in ["fileName", "mimeType", "size", "sha256", "extraction"] {
                assert_eq!(copy[member], after[member], "{member}");
            }
        }
        assert_eq!(after["botIds"], json!(bots));
    }

    fn what_is_not_there_is_not_replaced(app: &TestApp) {
        let bot = project(app);
        let copy = { let document = upload_plain(&bot, "x"); assign(&bot.client, &bot.id().to_string(), &[&document]).remove(0) };
        let before = bot.tenant.snapshot();
        for document in [crate::skills::NEVER, "x", &id(&copy), &bot.id().to_string()] {
            let answer = replace(&bot.client, document, &text_form("b.txt", "Second"));
            answer.problem(404, "document_not_found");
        }
        before.assert_unchanged(&bot.tenant);
    }
}

each_database! {
    fn the_bytes_of_a_replaced_file_go(database: Database) {
        let app = TestApp::sharing(database, &[("BLOBS__GRACE", "0s")]);
        let bot = project(app);
        let [one, other] = ["a.txt", "b.txt"].map(|name| id(&upload(&bot, &text_form(name, "First"))));
        assert_eq!(stored(&bot.tenant).len(), 1);
        let _ = replace(&bot.client, &one, &text_form("c.txt", "Second")).ok();
        // The other one still has them.
        until_blobs(&bot.tenant, 2);
        until("the removal was considered", || crate::fusion::files::jobs(&bot.tenant) == 0);
        assert_eq!(content(&bot.tenant, &sha256(b"First")), b"First");
        let _ = replace(&bot.client, &other, &text_form("c.txt", "Second")).ok();
        until_blobs(&bot.tenant, 1);
        assert!(known(&bot.tenant)[0].contains(&sha256(b"Second")));
        // The same file again is no reason to remove anything.
        let _ = replace(&bot.client, &other, &text_form("d.txt", "Second")).ok();
        until("nothing more is to be done", || crate::fusion::files::jobs(&bot.tenant) == 0);
        until_blobs(&bot.tenant, 1);
        assert_eq!(get(&bot.client, &other)["fileName"], json!("d.txt"));
    }
}
