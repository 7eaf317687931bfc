//! Uploads at once: how many there may be, and what comes of them.

use botyard_tests::waiting::until;
use botyard_tests::{Form, TestApp, at_once, each_database};
use serde_json::{Value, json};

use super::files::{content, jobs, known, stored, until_blobs, until_nothing_is_left};
use super::held::{Held, all_taken, has_free_slot, until_free};
use super::{archive, at, both, new_view, send, sha256, upload};

each_database! {
    fn a_project_has_at_most_so_many_uploads_at_once(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "2")]);
        let form = Form::archive(&archive("content"));
        for bot in &both(&app) {
            let [one, other, third] = [(); 3].map(|()| new_view(bot));
            let begin = |number: usize| Held::half(bot, [&one, &other][number], &form);
            let mut held = all_taken(bot, &third, 2, begin);
            let before = bot.tenant.snapshot();
            let answer = send(bot, &third, &form);
            answer.problem(429, "too_many_at_once");
            assert!(answer.header("retry-after").is_some());
            before.assert_unchanged(&bot.tenant);
            // Whatever else is asked is answered, and another project uploads.
            let _ = bot.get(&at(&third)).ok();
            bot.client.get(&bot.path("/fusion/x")).problem(404, "fusion_view_not_found");
            let sibling = bot.tenant.sibling().with_bot_token();
            let _ = upload(&sibling, &new_view(&sibling), &archive("content"));

            let _ = held.remove(0).finish().ok();
            let _ = send(bot, &third, &form).ok();
            let _ = held.remove(0).finish().ok();
            assert!(has_free_slot(bot, &third));
        }
    }

    fn eight_uploads_at_once_are_taken_and_a_ninth_is_not(database: Database) {
        let app = TestApp::start(database, &[]);
        let bot = app.tenant().with_project_token();
        let form = Form::archive(&archive("content"));
        let views: Vec<_> = (0..9).map(|_| new_view(&bot)).collect();
        let begin = |number: usize| Held::half(&bot, &views[number], &form);
        let held = all_taken(&bot, &views[8], 8, begin);
        send(&bot, &views[8], &form).problem(429, "too_many_at_once");
        for upload in held {
            let _ = upload.finish().ok();
        }
        let _ = send(&bot, &views[8], &form).ok();
    }

    fn uploads_that_stop_give_their_slots_back(database: Database) {
        let pause = [("LIMITS__BODY_PAUSE", "200ms")];
        let trickle = [("LIMITS__BODY_RATE", "1MiB"), ("LIMITS__BODY_RATE_AFTER", "200ms")];
        for settings in [&pause[..], &trickle] {
            let settings = [settings, &[("LIMITS__UPLOADS_PER_PROJECT", "2")]].concat();
            let app = TestApp::start(database, &settings);
            let bot = app.tenant().with_project_token();
            let (view, form) = (new_view(&bot), Form::archive(&archive("content")));
            let stopped: Vec<_> = (0..4).map(|_| Held::half(&bot, &view, &form)).collect();
            let answers: Vec<_> = stopped.into_iter().map(Held::answer).collect();
            // Two at least had a slot; the others were refused, or came after those.
            let codes: Vec<_> = answers.iter().map(|answer| answer.json()["code"].clone()).collect();
            assert!(codes.iter().filter(|code| **code == "too_slow").count() >= 2, "{codes:?}");
            assert!(answers.iter().all(|answer| [408, 429].contains(&answer.status())), "{codes:?}");
            let _ = send(&bot, &view, &form).ok();
        }
    }

    fn a_refused_upload_takes_no_slot(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "1")]);
        for bot in &both(&app) {
            let id = new_view(bot);
            for _ in 0..3 {
                send(bot, &id, &Form::archive(b"no archive")).problem(415, "unsupported_media_type");
                send(bot, &id, &Form::archive(b"PK\x03\x04")).problem(422, "bad_archive");
                send(bot, &id, &Form::new()).problem(422, "missing_field");
                send(bot, "x", &Form::new()).problem(404, "fusion_view_not_found");
                let _ = upload(bot, &id, &archive("content"));
            }
        }
    }

    fn fifty_uploads_of_the_same_content_are_one_blob(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "64")]);
        let bytes = archive("content");
        for bot in &both(&app) {
            let views: Vec<_> = (0..50).map(|_| new_view(bot)).collect();
            at_once(views.len(), |number| upload(bot, &views[number], &bytes));
            // Who came too late with its bytes has removed them before it answered.
            assert_eq!((stored(&bot.tenant), known(&bot.tenant).len()), (known(&bot.tenant), 1));
            assert_eq!(content(&bot.tenant, &sha256(&bytes)), bytes);
            for view in bot.get("/fusion").items() {
                assert_eq!(view["file"]["sha256"], json!(sha256(&bytes)));
            }
        }
    }

    fn uploads_to_one_view_at_once_leave_one_of_them(database: Database) {
        let settings = [("LIMITS__UPLOADS_PER_PROJECT", "64"), ("BLOBS__GRACE", "0s")];
        let app = TestApp::start(database, &settings);
        for bot in &both(&app) {
            let id = new_view(bot);
            let content = |number: usize| archive(&(number / 2).to_string());
            let answers = at_once(16, |number| upload(bot, &id, &content(number)));
            let file = bot.get(&at(&id)).ok()["file"].clone();
            let is_it = |answer: &Value| {
                let mut answer = answer.clone();
                answer.as_object_mut().unwrap().remove("fusionId");
                answer == file
            };
            assert!(answers.iter().any(is_it), "{file} is none of {answers:?}");

            // The changelog tells how one came after the other, without a gap.
            let entries = bot.get("/changelog").items();
            let uploads: Vec<_> =
                entries.iter().filter(|entry| entry["action"] == "upload").collect();
            assert_eq!(uploads.len(), 16);
            let mut current = file.clone();
            for entry in uploads {
                assert_eq!(entry["changes"][0]["to"], current);
                current = entry["changes"][0]["from"].clone();
            }
            assert_eq!(current, json!(null));

            until_blobs(&bot.tenant, 1);
            assert!(known(&bot.tenant)[0].contains(file["sha256"].as_str().unwrap()));
        }
    }

    fn uploads_and_deletes_at_once_leave_nothing_behind(database: Database) {
        let settings = [("LIMITS__UPLOADS_PER_PROJECT", "64"), ("BLOBS__GRACE", "0s")];
        let app = TestApp::start(database, &settings);
        for bot in &both(&app) {
            let views: Vec<_> = (0..20).map(|_| new_view(bot)).collect();
            at_once(2 * views.len(), |number| {
                let id = &views[number / 2];
                if number % 2 == 0 {
                    let _ = bot.delete(&at(id)).ok();
                    return;
                }
                let answer = send(bot, id, &Form::archive(&archive(&(number / 8).to_string())));
                if answer.status() != 200 {
                    answer.problem(404, "fusion_view_not_found");
                }
            });
            assert_eq!(bot.get("/fusion").items(), [json!(null); 0]);
            until_blobs(&bot.tenant, 0);
        }
        until_nothing_is_left(&app);
    }

    fn content_that_goes_and_comes_again_is_there_in_the_end(database: Database) {
        let app = TestApp::start(database, &[("BLOBS__GRACE", "0s")]);
        let bytes = archive("content");
        for bot in &both(&app) {
            // Each removal races with the next upload of the same content.
            for _ in 0..20 {
                let id = new_view(bot);
                let _ = upload(bot, &id, &bytes);
                let _ = bot.delete(&at(&id)).ok();
            }
            let id = new_view(bot);
            let _ = upload(bot, &id, &bytes);
            until("all removals are done", || jobs(&bot.tenant) == 0);
            until_blobs(&bot.tenant, 1);
            assert_eq!(content(&bot.tenant, &sha256(&bytes)), bytes);
        }
    }

    fn a_copy_and_an_upload_at_once_are_both_whole(database: Database) {
        let settings = [("LIMITS__UPLOADS_PER_PROJECT", "64"), ("BLOBS__GRACE", "0s")];
        let app = TestApp::start(database, &settings);
        for bot in &both(&app) {
            let id = new_view(bot);
            let _ = upload(bot, &id, &archive("0"));
            at_once(6, |number| {
                if number > 0 {
                    let _ = bot.post("/duplicate", &json!({})).ok();
                    return;
                }
                for number in 1..10 {
                    let _ = upload(bot, &id, &archive(&number.to_string()));
                }
            });
            until("all removals are done", || jobs(&bot.tenant) == 0);
            // Each view that is there has its blob, whichever it copied.
            let project = bot.tenant.project().id;
            let used = app.sql().texts(&format!(
                "SELECT DISTINCT file_sha256 AS value FROM fusion_views WHERE project_id = '{project}'"
            ));
            until_blobs(&bot.tenant, used.len());
            for sha256 in used {
                assert_eq!(super::sha256(&content(&bot.tenant, &sha256)), sha256);
            }
            assert_eq!(stored(&bot.tenant), known(&bot.tenant));
        }
    }

    fn an_upload_that_is_slow_does_not_hold_up_others(database: Database) {
        let app = TestApp::start(database, &[("HTTP__WORKERS", "1")]);
        for bot in &both(&app) {
            let [slow, other] = [(); 2].map(|()| new_view(bot));
            let form = Form::archive(&archive("slow"));
            let held = Held::half(bot, &slow, &form);
            let _ = upload(bot, &other, &archive("fast"));
            let _ = bot.put(&at(&slow), &json!({"a": 1})).ok();
            let _ = held.finish().ok();
            let got = bot.get(&at(&slow)).ok();
            assert_eq!(got["a"], json!(1));
            assert_ne!(got["file"], json!(null));
            until_free(bot, &slow);
        }
    }
}
