//! Deleting a bot for good, archiving it, putting it into the trash, and bringing it back.

use botyard_tests::{OnBot, each_database, each_scheme};
use domain::access::Scheme;
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use super::BOTS;

const MODES: [DeleteMode; 3] = [DeleteMode::Delete, DeleteMode::Archive, DeleteMode::Trash];

/// The confirmation of a delete.
fn done(bot: &OnBot<'_>, mode: &str) -> Value {
    json!({"_id": bot.id().to_string(), "mode": mode})
}

/// The state of the bot in the database, `None` if it was deleted: then its row goes, sooner or later.
fn state(bot: &OnBot<'_>) -> Option<String> {
    let there = format!("id = '{}' AND deleted_at IS NULL", bot.id());
    let query = format!("SELECT state AS value FROM bots WHERE {there}");
    bot.tenant.app().sql().texts(&query).pop()
}

each_scheme! {
    fn a_delete_without_a_word_is_for_good(bot: &OnBot) {
        assert_eq!(bot.delete("").ok(), done(bot, "delete"));
        assert_eq!(state(bot), None);
    }

    fn an_empty_object_is_no_word_either(bot: &OnBot) {
        assert_eq!(bot.delete_with("", &json!({})).ok(), done(bot, "delete"));
        assert_eq!(state(bot), None);
    }

    fn an_empty_body_is_no_word_either(bot: &OnBot) {
        let request = bot.client.request("DELETE", bot.base());
        assert_eq!(request.body("").send().ok(), done(bot, "delete"));
    }

    fn the_body_says_delete(bot: &OnBot) {
        assert_eq!(bot.delete_with("", &json!({"mode": "delete"})).ok(), done(bot, "delete"));
        assert_eq!(state(bot), None);
    }

    fn the_body_says_archive(bot: &OnBot) {
        assert_eq!(bot.delete_with("", &json!({"mode": "archive"})).ok(), done(bot, "archive"));
        assert_eq!(state(bot).as_deref(), Some("archived"));
    }

    fn the_body_says_trash(bot: &OnBot) {
        assert_eq!(bot.delete_with("", &json!({"mode": "trash"})).ok(), done(bot, "trash"));
        assert_eq!(state(bot).as_deref(), Some("trashed"));
    }

    fn the_query_says_delete(bot: &OnBot) {
        assert_eq!(bot.delete("?mode=delete").ok(), done(bot, "delete"));
        assert_eq!(state(bot), None);
    }

    fn the_query_says_archive(bot: &OnBot) {
        assert_eq!(bot.delete("?mode=archive").ok(), done(bot, "archive"));
        assert_eq!(state(bot).as_deref(), Some("archived"));
    }

    fn the_query_says_trash(bot: &OnBot) {
        assert_eq!(bot.delete_with("?mode=trash", &json!({})).ok(), done(bot, "trash"));
        assert_eq!(state(bot).as_deref(), Some("trashed"));
    }

    fn body_and_query_say_the_same(bot: &OnBot) {
        let answer = bot.delete_with("?mode=archive", &json!({"mode": "archive"}));
        assert_eq!(answer.ok(), done(bot, "archive"));
    }

    fn body_and_query_contradict_each_other(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for body in MODES {
            for query in MODES.into_iter().filter(|query| *query != body) {
                let path = format!("?mode={}", query.as_str());
                let answer = bot.delete_with(&path, &json!({"mode": body.as_str()}));
                answer.has_violations(&[("/mode", "contradiction")]);
            }
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn an_unknown_mode_is_refused(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for word in ["", "Delete", "remove", "archived", "delete ", "restore"] {
            let answer = bot.delete_with("", &json!({"mode": word}));
            answer.has_violations(&[("/mode", "not_allowed")]);
            let query = format!("?mode={}", word.replace(' ', "%20"));
            bot.delete(&query).has_violations(&[("/mode", "bad_query")]);
        }
        for value in [json!(1), json!(true), json!(["archive"]), json!({})] {
            bot.delete_with("", &json!({"mode": value})).has_violations(&[("/mode", "wrong_type")]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_mode_of_null_is_refused(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        bot.delete_with("", &json!({"mode": null})).has_violations(&[("/mode", "null")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn whatever_is_odd_deletes_nothing(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for (query, body, violation) in [
            ("", r#"{"mode":"archive","mode":"trash"}"#, ("/mode", "duplicate_field")),
            ("", r#"{"mod":"archive"}"#, ("/mod", "unknown_field")),
            ("", r#"{"_id":"x"}"#, ("/_id", "unknown_field")),
            ("", "archive", ("", "malformed_json")),
            ("", " ", ("", "malformed_json")),
            ("", "null", ("", "not_an_object")),
            ("", "\"archive\"", ("", "not_an_object")),
            ("?mode=archive&mode=archive", "", ("/mode", "bad_query")),
            ("?mod=archive", "", ("/mod", "bad_query")),
            ("?Mode=archive", "{}", ("/Mode", "bad_query")),
            ("?mode", "", ("/mode", "bad_query")),
        ] {
            let request = bot.client.request("DELETE", &bot.path(query));
            request.body(body).send().has_violations(&[violation]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn an_archived_bot_is_not_found_any_more(bot: &OnBot) {
        let _ = bot.delete("?mode=archive").ok();
        is_not_found(bot);
    }

    fn a_trashed_bot_is_not_found_any_more(bot: &OnBot) {
        let _ = bot.delete("?mode=trash").ok();
        is_not_found(bot);
    }

    fn the_other_bots_of_the_project_stay_as_they_are(bot: &OnBot) {
        let other = bot.tenant.new_bot("other");
        let client = bot.tenant.as_project();
        let path = format!("{BOTS}/{other}");
        let before = client.get(&path).ok();
        let _ = bot.delete("").ok();
        assert_eq!(client.get(&path).ok(), before);
        assert_eq!(client.get(BOTS).items(), [before]);
    }

    fn an_archived_bot_comes_back_as_it_was(bot: &OnBot) {
        comes_back(bot, DeleteMode::Archive);
    }

    fn a_trashed_bot_comes_back_as_it_was(bot: &OnBot) {
        comes_back(bot, DeleteMode::Trash);
    }

    fn of_deletes_at_once_one_is_done(bot: &OnBot) {
        let answers = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| bot.delete("?mode=archive").status()))
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        let done = answers.iter().filter(|status| **status == 200).count();
        let refused = answers.iter().filter(|status| **status == 404).count();
        assert_eq!((done, refused), (1, 7), "{answers:?}");
    }
}

/// Every operation on the bot says that there is none; the token itself stays valid.
#[track_caller]
fn is_not_found(bot: &OnBot<'_>) {
    for scheme in [Scheme::Bot, Scheme::Project] {
        let client = bot.tenant.bearer(scheme, botyard_tests::Mint::default());
        let base = match scheme {
            Scheme::Bot => "/api/external/bot".to_owned(),
            Scheme::Project => format!("{BOTS}/{}", bot.id()),
        };
        client.get(&base).problem(404, "bot_not_found");
        client.put(&base, &json!({"model": "x"})).problem(404, "bot_not_found");
        client.delete(&base).problem(404, "bot_not_found");
        client.delete(&format!("{base}?mode=trash")).problem(404, "bot_not_found");
        client.get(&format!("{base}/changelog")).problem(404, "bot_not_found");
        client.post(&format!("{base}/duplicate"), &json!({})).problem(404, "bot_not_found");
        // A wrong body or query tells nothing that a valid one does not.
        client.put(&base, &json!({"nope": "x"})).problem(404, "bot_not_found");
        client.get(&format!("{base}/changelog?limit=0")).problem(404, "bot_not_found");
        let checkauth = match scheme {
            Scheme::Bot => "/api/external/checkauth",
            Scheme::Project => "/api/external/projectapi/checkauth",
        };
        let _ = client.get(checkauth).ok();
    }
    assert_eq!(bot.tenant.as_project().get(BOTS).items(), Vec::<Value>::new());
}

#[track_caller]
fn comes_back(bot: &OnBot<'_>, mode: DeleteMode) {
    let mut before = bot.get("").ok();
    let _ = bot.delete_with("", &json!({"mode": mode.as_str()})).ok();
    bot.get("").problem(404, "bot_not_found");
    bot.tenant.restore_bot(bot.id());
    let mut after = bot.get("").ok();
    assert!(after["updatedAt"].as_str() >= before["updatedAt"].as_str());
    for got in [&mut before, &mut after] {
        got["updatedAt"] = Value::Null;
    }
    assert_eq!(after, before);
    assert_eq!(bot.tenant.as_project().get(BOTS).items().len(), 1);
    let _ = bot.put("", &json!({"model": bot.text("again")})).ok();
}

each_database! {
    fn the_tokens_of_a_deleted_bot_open_nothing_any_more(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        // The token is well known by now.
        let _ = client.get("/api/external/checkauth").ok();
        let _ = tenant.as_project().delete(&format!("{BOTS}/{}", tenant.bot())).ok();
        for path in ["/api/external/checkauth", "/api/external/bot", "/api/external/bot/changelog"] {
            client.get(path).problem(401, "unauthenticated");
        }
        client.delete("/api/external/bot").problem(401, "unauthenticated");
    }

    fn a_project_token_does_not_find_a_deleted_bot(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let path = format!("{BOTS}/{}", tenant.bot());
        let _ = client.delete(&path).ok();
        client.get(&path).problem(404, "bot_not_found");
        client.delete(&path).problem(404, "bot_not_found");
        client.put(&path, &json!({"model": "x"})).problem(404, "bot_not_found");
        assert_eq!(client.get(BOTS).text(), "[]");
        let _ = client.get("/api/external/projectapi/checkauth").ok();
    }

    fn a_bot_deletes_itself(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let _ = client.delete("/api/external/bot").ok();
        client.get("/api/external/checkauth").problem(401, "unauthenticated");
        client.delete("/api/external/bot").problem(401, "unauthenticated");
    }

    fn the_token_of_an_archived_bot_still_says_what_it_is(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let before = client.get("/api/external/checkauth").ok();
        for mode in [DeleteMode::Archive, DeleteMode::Trash] {
            tenant.delete_bot(tenant.bot(), mode);
            assert_eq!(client.get("/api/external/checkauth").ok(), before);
            client.get("/api/external/bot").problem(404, "bot_not_found");
            tenant.restore_bot(tenant.bot());
            let _ = client.get("/api/external/bot").ok();
        }
    }

    fn what_a_token_may_not_do_comes_before_what_is_not_there(app: &TestApp) {
        let tenant = app.tenant();
        tenant.delete_bot(tenant.bot(), DeleteMode::Archive);
        let path = format!("{BOTS}/{}", tenant.bot());
        let reader = tenant.bearer(Scheme::Project, botyard_tests::Mint::read_only());
        reader.delete(&path).problem(403, "read_only_token");
        let stranger = tenant.bearer(Scheme::Project, botyard_tests::Mint::scopes("stats:read"));
        stranger.get(&path).problem(403, "missing_scope");
    }
}
