//! What the changelog says of Fusion-Views.

use botyard_tests::{Caller, OnBot, each_scheme};
use serde_json::{Value, json};

use super::{archive, archive_of, at, id_of, new_view, send, upload};
use botyard_tests::Form;

fn change(field: &str, from: Value, to: Value) -> Value {
    json!({"field": field, "from": from, "to": to})
}

/// The latest entry, of which nothing but the changes is left to check.
#[track_caller]
fn latest(bot: &OnBot<'_>, action: &str, view: &str) -> Value {
    let entry = bot.get("/changelog?limit=1").items().swap_remove(0);
    let (Caller::Bot(token) | Caller::Project(token)) = bot.client.caller() else {
        panic!("somebody with a token");
    };
    assert_eq!(entry["action"], json!(action), "{entry}");
    assert_eq!(entry["resource"], json!("fusion"), "{entry}");
    assert_eq!(entry["resourceId"], json!(view), "{entry}");
    assert_eq!(entry["botId"], json!(bot.id().to_string()), "{entry}");
    assert_eq!(entry["actor"]["tokenId"], json!(token.token().id.to_string()), "{entry}");
    assert_eq!(entry["actor"]["scheme"], json!(bot.scheme.as_str()), "{entry}");
    entry["changes"].clone()
}

/// How many entries there are.
fn count(bot: &OnBot<'_>) -> usize {
    bot.get("/changelog").items().len()
}

each_scheme! {
    fn creating_a_view_is_an_entry(bot: &OnBot) {
        let body = json!({"type": "h5p", "title": bot.text("t"), "a": {"x": 1.5}, "b": null});
        let id = id_of(&bot.post("/fusion", &body).ok());
        assert_eq!(latest(bot, "create", &id), json!([
            change("type", json!(null), json!("h5p")),
            change("title", json!(null), json!(bot.text("t"))),
            change("a", json!(null), json!({"x": 1.5})),
        ]));
    }

    fn an_entry_of_an_update_has_what_changed_and_nothing_else(bot: &OnBot) {
        let body = json!({"type": "h5p", "title": "t", "a": 1, "b": 2, "c": 3});
        let id = id_of(&bot.post("/fusion", &body).ok());
        let body = json!({"a": 1, "b": null, "c": [3], "d": "x".repeat(3_000), "title": "T"});
        let _ = bot.put(&at(&id), &body).ok();
        let changes = latest(bot, "update", &id);
        let long = changes[3]["to"].as_str().unwrap().to_owned();
        assert_eq!(changes, json!([
            change("title", json!("t"), json!("T")),
            change("b", json!(2), json!(null)),
            change("c", json!(3), json!([3])),
            change("d", json!(null), json!(long)),
        ]));
        assert!(long.starts_with(&"x".repeat(2_000)) && long.len() < 2_100, "{long}");
    }

    fn an_upload_is_an_entry_with_the_file_before_and_after(bot: &OnBot) {
        let id = new_view(bot);
        let mut before = json!(null);
        for letter in [b'a', b'b'] {
            let _ = upload(bot, &id, &archive_of(1_000, letter));
            let after = bot.get(&at(&id)).ok()["file"].clone();
            let changes = latest(bot, "upload", &id);
            assert_eq!(changes, json!([change("file", before, after.clone())]));
            before = after;
        }
    }

    fn deleting_a_view_is_an_entry(bot: &OnBot) {
        let id = new_view(bot);
        let _ = bot.delete(&at(&id)).ok();
        let changes = latest(bot, "delete", &id);
        assert_eq!(changes, json!([change("title", json!(bot.text("view")), json!(null))]));
    }

    fn what_is_refused_or_changes_nothing_is_no_entry(bot: &OnBot) {
        let id = new_view(bot);
        let before = count(bot);
        bot.post("/fusion", &json!({})).problem(422, "missing_field");
        bot.put(&at(&id), &json!({"type": "x"})).problem(422, "reserved_field");
        let _ = bot.put(&at(&id), &json!({"title": bot.text("view")})).ok();
        send(bot, &id, &Form::archive(b"no archive")).problem(415, "unsupported_media_type");
        send(bot, &id, &Form::archive(b"PK\x03\x04")).problem(422, "bad_archive");
        send(bot, &id, &Form::new()).problem(422, "missing_field");
        assert_eq!(count(bot), before);
        let _ = upload(bot, &id, &archive("content"));
        assert_eq!(count(bot), before + 1);
    }
}
