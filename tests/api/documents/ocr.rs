//! Text in images.

use botyard_tests::{Form, OnBot, TestApp, each_database};
use serde_json::{Value, json};

use super::programs::{Programs, image, is_installed, start};
use super::{chunks, extract_at, project, settled, status, texts, upload};
use crate::skills::id;

/// An image with two lines of English.
const SCAN: &[u8] = include_bytes!("samples/scan.png");
const WORDS: &str = "The quick brown fox jumps\nover the lazy dog.";

fn scan() -> Form {
    Form::new().file("scan.png", "image/png", SCAN)
}

/// What came of an extraction: its status and its error.
fn outcome(document: &Value) -> (&str, &Value) {
    (status(document), &document["extraction"]["error"])
}

/// Asks for a failed extraction once more; it is an error that names the document.
#[track_caller]
fn fails_again(bot: &OnBot<'_>, document: &Value) {
    let answer = bot.client.post(&extract_at(&id(document)), &json!({}));
    let problem = answer.problem(500, "extraction_failed");
    assert_eq!(problem["docId"], document["_id"]);
    assert_eq!(outcome(&settled(bot, &id(document))), outcome(document));
}

each_database! {
    fn an_image_is_read_where_a_program_for_that_is_installed(app: &TestApp) {
        let bot = project(app);
        let document = upload(&bot, &scan().text("ocrEnabled", "true"));
        if is_installed("tesseract") {
            assert_eq!(outcome(&document), ("finished", &Value::Null));
            assert_eq!(texts(&bot.client, &id(&document)), [WORDS]);
            assert_eq!(chunks(&bot.client, &id(&document))[0]["page"], Value::Null);
        } else {
            assert_eq!(outcome(&document), ("failed", &json!("ocr_unavailable")));
            fails_again(&bot, &document);
        }
    }

    fn an_image_is_not_read_unless_that_was_asked_for(app: &TestApp) {
        let bot = project(app);
        let document = upload(&bot, &scan());
        assert_eq!(outcome(&document), ("failed", &json!("no_text")));
        let language = upload(&bot, &scan().text("ocrLanguage", "eng"));
        assert_eq!(outcome(&language), ("failed", &json!("no_text")));
    }
}

each_database! {
    fn a_language_that_is_not_installed_is_reported(database: Database) {
        let programs = Programs::that_wait();
        programs.release();
        let path = programs.and_others();
        let app = TestApp::start(database, &[("PATH", &path)]);
        let bot = project(&app);
        for language in ["fra", "eng+fra", "osd", "xx"] {
            let form = image("a.png", "Words").text("ocrLanguage", language);
            let document = upload(&bot, &form);
            assert_eq!(outcome(&document), ("failed", &json!("ocr_language")), "{language}");
            fails_again(&bot, &document);
        }
        for language in ["eng", "deu", "deu+eng"] {
            let form = image("a.png", &bot.text("Words")).text("ocrLanguage", language);
            let document = upload(&bot, &form);
            assert_eq!(outcome(&document), ("finished", &Value::Null), "{language}");
            assert_eq!(texts(&bot.client, &id(&document)), [bot.text("Words")]);
        }
    }

    fn a_missing_program_is_reported(database: Database) {
        let programs = Programs::without_any();
        let path = programs.alone();
        let app = TestApp::start(database, &[("PATH", &path)]);
        let bot = project(&app);
        let document = upload(&bot, &scan().text("ocrEnabled", "true"));
        assert_eq!(outcome(&document), ("failed", &json!("ocr_unavailable")));
        assert_eq!(bot.client.get(&super::download_at(&id(&document))).bytes(), SCAN);
        fails_again(&bot, &document);
        // Who needs none does without.
        let pdf = test_samples::pdf::pdf(&[&["Written"]]);
        let form = Form::new().file("a.pdf", "application/pdf", &pdf).text("ocrEnabled", "true");
        assert_eq!(texts(&bot.client, &id(&upload(&bot, &form))), ["Written"]);
        let form = super::text_form("a.txt", "Words").text("imagesEnabled", "true");
        assert_eq!(status(&upload(&bot, &form.text("ocrEnabled", "true"))), "finished");
    }

    fn a_program_that_does_not_end_is_ended(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[("EXTRACTION__TIME", "1s")]);
        let bot = project(&app);
        let document = upload(&bot, &image("a.png", "Words"));
        assert_eq!(outcome(&document), ("failed", &json!("timeout")));
        super::processes::until_no_worker_is_left(&app);
        // It is not tried again by itself, but when a client asks for it.
        programs.release();
        let _ = bot.client.post(&extract_at(&id(&document)), &json!({})).ok();
        assert_eq!(outcome(&settled(&bot, &id(&document))), ("finished", &Value::Null));
    }
}
