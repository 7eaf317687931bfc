//! How long a request waits for the chunks of its document.

use botyard_tests::waiting::eventually;
use botyard_tests::{Form, TestApp, each_database};
use serde_json::{Value, json};

use super::programs::{Programs, image, start};
use super::{
    UPLOAD, chunks, extract_at, get, is_going, post, project, replace, settled, status, text_form,
    texts, upload_plain,
};
use crate::skills::id;

each_database! {
    fn a_request_that_does_not_wait_says_that_chunks_are_to_come(database: Database) {
        let app = TestApp::start(database, &[("EXTRACTION__WAIT", "0s")]);
        let bot = project(&app);
        let form = text_form("a.txt", &bot.text("Words"));
        let made = post(&bot.client, UPLOAD, &form).ok()["projectDoc"].clone();
        let through_bot = post(&bot.client, &bot.path("/doc/upload"), &form).ok();
        let document = id(&made);
        for extraction in [
            &made["extraction"],
            &through_bot["projectDoc"]["extraction"],
            &through_bot["botDoc"]["extraction"],
            &replace(&bot.client, &upload_plain(&bot, "x"), &form).ok()["extraction"],
            &bot.client.post(&extract_at(&upload_plain(&bot, "y")), &json!({})).ok()["extraction"],
        ] {
            assert_eq!(extraction["status"], json!("queued"));
            assert_eq!((&extraction["error"], &extraction["finishedAt"]), (&Value::Null, &Value::Null));
            assert_eq!(extraction["chunkCount"], json!(0));
        }
        let after = settled(&bot, &document);
        assert_eq!((status(&after), &after["extraction"]["chunkCount"]), ("finished", &json!(1)));
        assert_eq!(texts(&bot.client, &document), [bot.text("Words")]);
        // The answer comes before the extraction fails, so it is `queued` as well.
        let form = Form::new().file("a", "application/octet-stream", b"\0\x01");
        let failed = id(&post(&bot.client, UPLOAD, &form.text("extract", "false")).ok()["projectDoc"]);
        let answer = bot.client.post(&extract_at(&failed), &json!({})).ok();
        assert_eq!(answer["extraction"]["status"], json!("queued"));
        assert_eq!(settled(&bot, &failed)["extraction"]["error"], json!("unsupported"));
    }

    fn a_request_waits_no_longer_than_the_setting_says(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[("EXTRACTION__WAIT", "300ms")]);
        let bot = project(&app);
        let made = post(&bot.client, UPLOAD, &image("a.png", &bot.text("Words"))).ok();
        let made = &made["projectDoc"];
        assert!(is_going(made), "{made}");
        let running = eventually("it runs", || {
            let document = get(&bot.client, &id(made));
            (status(&document) == "running").then_some(document)
        });
        assert_eq!(running["extraction"]["finishedAt"], Value::Null);
        assert_eq!(chunks(&bot.client, &id(made)), Vec::<Value>::new());
        programs.release();
        let after = settled(&bot, &id(made));
        assert_eq!(status(&after), "finished");
        assert_eq!(texts(&bot.client, &id(made)), [bot.text("Words")]);
    }

    fn an_upload_that_waits_for_its_chunks_takes_no_slot(database: Database) {
        let programs = Programs::that_wait();
        let path = programs.and_others();
        let settings = [("PATH", path.as_str()), ("LIMITS__UPLOADS_PER_PROJECT", "1")];
        let app = TestApp::start(database, &settings);
        let bot = project(&app);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                post(&bot.client, UPLOAD, &image("a.png", &bot.text("Words"))).ok()
            });
            eventually("it runs", || {
                let listed = bot.client.get(super::FILES).items();
                listed.first().filter(|document| status(document) == "running").cloned()
            });
            for number in 0..3 {
                let _ = upload_plain(&bot, &number.to_string());
            }
            programs.release();
            let made = waiting.join().unwrap();
            assert_eq!(status(&made["projectDoc"]), "finished");
        });
    }

    fn chunks_stay_until_the_new_ones_are_all_there(database: Database) {
        let programs = Programs::that_wait();
        let app = start(database, &programs, &[]);
        let bot = project(&app);
        programs.release();
        let form = image("a.png", &bot.text("Words"));
        let document = id(&super::upload(&bot, &form));
        let before = chunks(&bot.client, &document);
        assert_eq!(before.len(), 1);
        programs.hold();
        let answer = bot.client.post(&extract_at(&document), &json!({"maxChars": 100})).ok();
        assert_eq!(answer["extraction"]["chunkCount"], json!(1));
        eventually("it runs", || {
            (status(&get(&bot.client, &document)) == "running").then_some(())
        });
        assert_eq!(chunks(&bot.client, &document), before);
        programs.release();
        let after = settled(&bot, &document);
        assert_eq!(after["extraction"]["settings"]["maxChars"], json!(100));
        let chunks = chunks(&bot.client, &document);
        assert_ne!(chunks[0]["_id"], before[0]["_id"]);
    }
}
