//! `POST /api/external/projectapi/doc/extract/{docId}`

use botyard_tests::{Form, each_database};
use serde_json::{Value, json};

use super::{
    at, chunks, extract_at, get, project, settled, status, stored_chunks, text_form, texts, upload,
    upload_plain,
};
use crate::skills::id;

fn words(count: usize) -> String {
    (0..count).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" ")
}

each_database! {
    fn a_document_is_extracted_when_asked(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "Words");
        let before = get(&bot.client, &document);
        let answer = bot.client.post(&extract_at(&document), &json!({})).ok();
        let after = settled(&bot, &document);
        assert_eq!(status(&after), "finished");
        assert_eq!(after["extraction"]["settings"], before["extraction"]["settings"]);
        assert_eq!(after["createdAt"], before["createdAt"]);
        assert_eq!(texts(&bot.client, &document), [bot.text("Words")]);
        // It says which document, and how far that is.
        assert_eq!(answer["docId"], json!(document), "{answer}");
        assert_eq!(answer["extraction"], after["extraction"]);
    }

    fn a_missing_body_says_nothing(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", &words(100)).text("maxChars", "300");
        let document = id(&upload(&bot, &form));
        for request in [
            bot.client.request("POST", &extract_at(&document)),
            bot.client.request("POST", &extract_at(&document)).body("{}"),
            bot.client.request("POST", &extract_at(&document)).json(&json!({"maxChars": null})),
        ] {
            let answer = request.send().ok();
            assert_eq!(answer["extraction"]["settings"]["maxChars"], json!(300));
            assert_eq!(answer["extraction"]["status"], json!("finished"));
        }
    }

    fn what_is_left_out_is_taken_from_the_last_one(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", &words(200))
            .text("maxChars", "400")
            .text("maxOverlap", "7")
            .text("chunking_strategy", "yaml")
            .text("ocrLanguage", "deu");
        let document = id(&upload(&bot, &form));
        let mut expected = json!({
            "maxChars": 400, "maxOverlap": 7, "chunking_strategy": "yaml",
            "imagesEnabled": false, "ocrEnabled": false, "ocrLanguage": "deu",
        });
        for (member, value) in [
            ("chunking_strategy", json!("markdown")),
            ("imagesEnabled", json!(true)),
            ("maxOverlap", json!(0)),
            ("maxChars", json!(150)),
            ("ocrEnabled", json!(true)),
            ("ocrLanguage", json!("eng")),
        ] {
            let answer = bot.client.post(&extract_at(&document), &json!({member: value})).ok();
            expected[member] = value;
            assert_eq!(answer["extraction"]["settings"], expected);
            assert_eq!(settled(&bot, &document)["extraction"], answer["extraction"]);
        }
    }

    fn new_chunks_take_the_place_of_the_old_ones(app: &TestApp) {
        let bot = project(app);
        let document = id(&upload(&bot, &text_form("a.txt", &words(200))));
        let before = chunks(&bot.client, &document);
        let body = json!({"maxChars": 150, "maxOverlap": 0});
        let _ = bot.client.post(&extract_at(&document), &body).ok();
        let after = settled(&bot, &document);
        let chunks = chunks(&bot.client, &document);
        assert!(chunks.len() > before.len());
        assert_eq!(after["extraction"]["chunkCount"], json!(chunks.len()));
        assert!(chunks.iter().all(|chunk| !before.iter().any(|old| old["_id"] == chunk["_id"])));
        // Those of before are gone.
        assert_eq!(stored_chunks(&bot.tenant), i64::try_from(chunks.len()).unwrap());
    }

    fn an_overlap_must_fit_into_the_chunks_that_there_were(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", &words(100)).text("maxChars", "300");
        let document = id(&upload(&bot, &form));
        let before = bot.tenant.snapshot();
        let answer = bot.client.post(&extract_at(&document), &json!({"maxOverlap": 300}));
        answer.has_violations(&[("/maxOverlap", "out_of_range")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn a_file_that_can_not_be_read_is_an_error_that_names_the_document(app: &TestApp) {
        let bot = project(app);
        let form = Form::new().file("a.bin", "application/octet-stream", b"\0\x01\x02");
        let document = id(&upload(&bot, &form));
        let answer = bot.client.post(&extract_at(&document), &json!({}));
        let problem = answer.problem(500, "extraction_failed");
        assert_eq!(problem["docId"], json!(document));
        assert!(problem["detail"].as_str().unwrap().contains("type"), "{problem}");
        let after = settled(&bot, &document);
        assert_eq!(after["extraction"]["error"], json!("unsupported"));
        assert_eq!(status(&after), "failed");
    }

    fn chunks_stay_when_another_extraction_fails(app: &TestApp) {
        let bot = project(app);
        let pdf = test_samples::pdf::pdf(&[&["Words"]]);
        let document = id(&upload(&bot, &Form::new().file("a.pdf", "application/pdf", &pdf)));
        let before = chunks(&bot.client, &document);
        assert_eq!(before.len(), 1);
        // An unknown OCR language does not make this file fail, because it needs no OCR. An image that is too
        // large for OCR fails.
        let image = test_samples::image::png(20_000, 20_000, "");
        let other = id(&upload(&bot, &Form::new().file("a.png", "image/png", &image)));
        assert_eq!(chunks(&bot.client, &other), Vec::<Value>::new());
        let answer = bot.client.post(&extract_at(&other), &json!({"ocrEnabled": true}));
        assert_eq!(answer.problem(500, "extraction_failed")["docId"], json!(other));
        let _ = bot.client.post(&extract_at(&document), &json!({"maxChars": 100})).ok();
        assert_eq!(settled(&bot, &document)["extraction"]["chunkCount"], json!(1));
    }

    fn a_document_that_failed_can_be_extracted_in_another_way(app: &TestApp) {
        let bot = project(app);
        let image = test_samples::image::png(20_000, 20_000, "");
        let document = upload(&bot, &Form::new().file("a.png", "image/png", &image));
        // OCR was not asked for, so the image has no text.
        assert_eq!(document["extraction"]["error"], json!("no_text"));
        let document = id(&document);
        let answer = bot.client.post(&extract_at(&document), &json!({"ocrEnabled": true}));
        answer.problem(500, "extraction_failed");
        let after = settled(&bot, &document);
        assert_eq!(after["extraction"]["error"], json!("too_large"));
        assert_eq!(after["extraction"]["settings"]["ocrEnabled"], json!(true));
    }

    fn an_extraction_is_none_of_a_document_that_is_not_there(app: &TestApp) {
        let bot = project(app);
        for document in [crate::skills::NEVER, "x", "%00"] {
            let answer = bot.client.post(&extract_at(document), &json!({}));
            answer.problem(404, "document_not_found");
            // A wrong body is reported first, because it is checked before the document is looked for.
            let answer = bot.client.post(&extract_at(document), &json!({"maxChars": 1}));
            answer.problem(422, "out_of_range");
        }
        bot.client.get(&at(crate::skills::NEVER)).problem(404, "document_not_found");
    }
}
