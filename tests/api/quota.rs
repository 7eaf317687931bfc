//! How many bots a project may have, and how much content a bot and a project.

use botyard_tests::{TestApp, at_once, each_database};
use domain::bot::{BotKind, DeleteMode};
use serde_json::json;

use crate::bots::BOTS;

each_database! {
    fn a_project_has_at_most_as_many_bots_as_its_quota(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__BOTS_PER_PROJECT", "2")]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let body = json!({"name": tenant.text("x")});
        let _ = client.post(BOTS, &body).ok();
        let bot = tenant.as_bot(tenant.bot());
        let before = tenant.snapshot();
        client.post(BOTS, &body).problem(403, "quota_exceeded");
        let path = format!("{BOTS}/{}/duplicate", tenant.bot());
        client.post(&path, &json!({})).problem(403, "quota_exceeded");
        bot.post("/api/external/bot/duplicate", &json!({})).problem(403, "quota_exceeded");
        // A body that is wrong as well is reported first.
        client.post(BOTS, &json!({})).problem(422, "missing_field");
        before.assert_unchanged(&tenant);

        // Another project has a quota of its own.
        let other = app.tenant();
        let _ = other.as_project().post(BOTS, &json!({"name": other.text("x")})).ok();
    }

    fn bots_that_are_hidden_count_and_deleted_ones_do_not(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__BOTS_PER_PROJECT", "4")]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let body = json!({"name": tenant.text("x")});
        let archived = tenant.new_bot("archived");
        tenant.delete_bot(archived, DeleteMode::Archive);
        tenant.delete_bot(tenant.new_bot("trashed"), DeleteMode::Trash);
        let _ = tenant.new_hidden_bot(BotKind::Demo);
        client.post(BOTS, &body).problem(403, "quota_exceeded");
        let _ = client.delete(&format!("{BOTS}/{}", tenant.bot())).ok();
        let _ = client.post(BOTS, &body).ok();
        client.post(BOTS, &body).problem(403, "quota_exceeded");
    }

    fn bots_made_at_once_do_not_exceed_the_quota(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__BOTS_PER_PROJECT", "7")]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let bot = tenant.as_bot(tenant.bot());
        let (client, bot, body) = (&client, &bot, &json!({"name": tenant.text("x")}));
        let statuses = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..20)
                .map(|number| {
                    scope.spawn(move || {
                        let answer = match number % 2 {
                            0 => client.post(BOTS, body),
                            _ => bot.post("/api/external/bot/duplicate", body),
                        };
                        if answer.status() != 200 {
                            answer.problem(403, "quota_exceeded");
                        }
                        answer.status()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 6, "{statuses:?}");
        assert_eq!(client.get(BOTS).items().len(), 7);
    }

    fn a_quota_of_0_is_none(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__BOTS_PER_PROJECT", "0")]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        for _ in 0..3 {
            let _ = client.post(BOTS, &json!({"name": tenant.text("x")})).ok();
        }
    }
}

const KIB: usize = 1 << 10;

/// A text that takes so many KiB.
fn kib(count: usize) -> String {
    "x".repeat(count * KIB)
}

each_database! {
    fn a_bot_has_at_most_as_much_content_as_its_quota(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__CONTENT_PER_BOT", "64KiB")]);
        for bot in [app.tenant().with_bot_token(), app.tenant().with_project_token()] {
            let skill = json!({"name": "one", "skillId": "one", "content": kib(30)});
            let _ = bot.post("/skills", &skill).ok();
            let stage = bot.post("/stages", &json!({"name": "two", "enterJS": kib(10)})).ok();
            let stage = format!("/stages/{}", stage["_id"].as_str().unwrap());
            let before = bot.tenant.snapshot();
            for (rel, body) in [
                ("/skills", json!({"name": "x", "params": [{"a": kib(30)}]})),
                ("/skills", json!({"name": "x", "toolCallAnswer": [kib(15), kib(15)]})),
                ("/stages", json!({"name": "x", "exitJS": kib(15), "preConditionJS": kib(15)})),
                ("/fusion", json!({"type": "links", "title": "x", "more": kib(30)})),
            ] {
                bot.post(rel, &body).problem(403, "quota_exceeded");
            }
            bot.put("/skills/one", &json!({"content": kib(60)})).problem(403, "quota_exceeded");
            bot.put(&stage, &json!({"exitJS": kib(30)})).problem(403, "quota_exceeded");
            // A body that is wrong, and a name that is taken, are reported first.
            bot.post("/skills", &json!({"content": kib(60)})).problem(422, "missing_field");
            let taken = json!({"name": "one", "content": kib(60)});
            bot.post("/skills", &taken).problem(409, "taken");
            before.assert_unchanged(&bot.tenant);
            // What goes makes room.
            let _ = bot.put("/skills/one", &json!({"content": kib(5)})).ok();
            let _ = bot.put(&stage, &json!({"exitJS": kib(30)})).ok();
            let _ = bot.delete(&stage).ok();
            let _ = bot.put("/skills/one", &json!({"content": kib(50)})).ok();
            // A copy has a quota of its own.
            let _ = bot.post("/duplicate", &json!({})).ok();
            let _ = bot.delete("/skills/one").ok();
            let _ = bot.post("/skills", &json!({"name": "new", "content": kib(60)})).ok();
        }
    }

    fn a_project_has_at_most_as_much_content_as_its_quota(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__CONTENT_PER_PROJECT", "64KiB")]);
        for bot in [app.tenant().with_bot_token(), app.tenant().with_project_token()] {
            let _ = bot.post("/skills", &json!({"name": "one", "content": kib(40)})).ok();
            let other = bot.tenant.as_bot(bot.tenant.new_bot("other"));
            let before = bot.tenant.snapshot();
            bot.post("/duplicate", &json!({})).problem(403, "quota_exceeded");
            bot.post("/skills", &json!({"name": "two", "content": kib(30)})).problem(403, "quota_exceeded");
            let path = "/api/external/bot/skills";
            other.post(path, &json!({"name": "two", "content": kib(30)})).problem(403, "quota_exceeded");
            before.assert_unchanged(&bot.tenant);
            let _ = other.post(path, &json!({"name": "two", "content": kib(10)})).ok();
        }
    }

    fn skills_made_at_once_do_not_exceed_the_quota(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__CONTENT_PER_BOT", "64KiB")]);
        let bot = app.tenant().with_project_token();
        let answers = at_once(20, |number| {
            bot.post("/skills", &json!({"name": format!("{number}"), "content": kib(10)}))
        });
        for answer in answers.iter().filter(|answer| answer.status() != 200) {
            answer.problem(403, "quota_exceeded");
        }
        // Each takes a little more than its text.
        assert_eq!(bot.get("/skills").items().len(), 5);
        assert_eq!(answers.iter().filter(|answer| answer.status() == 200).count(), 5);
    }

    fn a_content_quota_of_0_is_none(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__CONTENT_PER_BOT", "0")]);
        let bot = app.tenant().with_project_token();
        let _ = bot.post("/skills", &json!({"name": "x", "content": kib(100)})).ok();
        let _ = bot.post("/skills", &json!({"name": "y", "content": kib(100)})).ok();
    }
}
