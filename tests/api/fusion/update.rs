//! `PUT {bot}/fusion/{fusionId}`

use botyard_tests::{OnBot, at_once, each_scheme};
use serde_json::{Value, json};

use super::{archive, at, id_of, new_view, upload};

const KIB: usize = 1 << 10;

/// A new Fusion-View with this metadata; returns its path below the bot.
#[track_caller]
fn view_with(bot: &OnBot<'_>, metadata: &str) -> String {
    let body = format!(r#"{{"type":"h5p","title":"t",{metadata}}}"#);
    let answer = bot.client.request("POST", &bot.path("/fusion")).body(body).send();
    at(&id_of(&answer.ok()))
}

/// The members between title and file, as they are written.
#[track_caller]
fn metadata(bot: &OnBot<'_>, view: &str) -> String {
    let text = bot.get(view).text();
    let (_, rest) = text.split_once("\"title\":\"t\",").unwrap();
    rest.split_once("\"file\":").unwrap().0.to_owned()
}

each_scheme! {
    fn members_are_replaced_removed_and_added_at_the_top_level(bot: &OnBot) {
        let view = view_with(bot, r#""a":{"x":1,"y":2},"b":2,"c":1.50,"d":[1]"#);
        let body = r#"{"e":1e2,"b":null,"a":{"z": 3},"none":null,"d":[],"f":"\u00e4"}"#;
        let answer = bot.put_bytes(&view, body);
        assert_eq!(answer.status(), 200, "{answer}");
        let expected = r#""a":{"z": 3},"c":1.50,"d":[],"e":1e2,"f":"\u00e4","#;
        assert_eq!(metadata(bot, &view), expected);
        assert_eq!(bot.get(&view).text(), answer.text());
    }

    fn the_title_changes_like_everything_else(bot: &OnBot) {
        let view = view_with(bot, r#""a":1"#);
        let title = bot.text("renamed");
        let after = bot.put(&view, &json!({"title": format!(" {title} ")})).ok();
        assert_eq!((&after["title"], &after["a"]), (&json!(title), &json!(1)));
        let before = bot.tenant.snapshot();
        for (bad, code) in [
            (Value::Null, "null"),
            (json!(""), "too_short"),
            (json!("ä".repeat(201)), "too_long"),
            (json!(1), "wrong_type"),
        ] {
            let answer = bot.put(&view, &json!({"title": bad, "a": 2}));
            answer.has_violations(&[("/title", code)]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn an_update_without_a_field_is_refused(bot: &OnBot) {
        let view = at(&new_view(bot));
        bot.put(&view, &json!({})).has_violations(&[("", "no_fields")]);
        bot.put(&view, &json!([])).has_violations(&[("", "not_an_object")]);
        bot.put_bytes(&view, "").problem(422, "malformed_json");
    }

    fn what_only_the_service_sets_is_refused(bot: &OnBot) {
        let view = view_with(bot, r#""a":1"#);
        let before = bot.tenant.snapshot();
        let got = bot.get(&view).ok();
        let reserved = ["_id", "botId", "type", "file", "createdAt", "updatedAt"];
        for name in reserved {
            // Not even what it is already.
            for value in [json!("x"), json!({"a": 1}), got[name].clone()] {
                if value.is_null() {
                    continue;
                }
                let answer = bot.put(&view, &json!({name: value, "a": 2, "title": "other"}));
                answer.problem(422, "reserved_field");
                answer.has_violations(&[(&format!("/{name}"), "reserved_field")]);
            }
        }
        let all: Value = reserved.iter().map(|name| ((*name).to_owned(), json!(1))).collect();
        let pointers = reserved.map(|name| format!("/{name}"));
        let violations = pointers.each_ref().map(|pointer| (pointer.as_str(), "reserved_field"));
        bot.put(&view, &all).has_violations(&violations);
        before.assert_unchanged(&bot.tenant);
    }

    fn an_update_that_changes_nothing_leaves_no_trace(bot: &OnBot) {
        let view = view_with(bot, r#""a":1.0,"b":{"x":[]}"#);
        let before = bot.tenant.snapshot();
        for body in [r#"{"a":1.0}"#, r#"{"title":" t"}"#, r#"{"none":null}"#, r#"{"b":{"x":[]}}"#] {
            let _ = bot.put_bytes(&view, body).ok();
        }
        before.assert_unchanged(&bot.tenant);
        // Numbers are kept as they are written, so another spelling is another value.
        let answer = bot.put_bytes(&view, r#"{"a":1.00}"#);
        assert!(answer.text().contains(r#""a":1.00,"#), "{answer}");
    }

    fn the_time_of_change_moves_and_the_time_of_making_stays(bot: &OnBot) {
        let id = new_view(bot);
        let before = bot.get(&at(&id)).ok();
        // Times are in milliseconds, and a change may be faster.
        let moved = (0..1_000).any(|number| {
            let after = bot.put(&at(&id), &json!({"number": number})).ok();
            assert_eq!(after["createdAt"], before["createdAt"]);
            assert!(after["updatedAt"].as_str() >= before["updatedAt"].as_str());
            after["updatedAt"] != before["updatedAt"]
        });
        assert!(moved);
    }

    fn metadata_does_not_grow_beyond_64_kib(bot: &OnBot) {
        let view = at(&new_view(bot));
        let text = |bytes: usize| json!("x".repeat(bytes));
        let _ = bot.put(&view, &json!({"a": text(40 * KIB)})).ok();
        let before = bot.tenant.snapshot();
        let answer = bot.put(&view, &json!({"b": text(40 * KIB)}));
        answer.has_violations(&[("", "too_long")]);
        let rest = 64 * KIB - 40 * KIB - r#"{"a":"","b":""}"#.len();
        bot.put(&view, &json!({"b": text(rest + 1)})).has_violations(&[("", "too_long")]);
        for bytes in [64 * KIB, 70 * KIB, 1 << 20] {
            bot.put(&view, &json!({"b": text(bytes)})).problem(413, "body_too_large");
        }
        before.assert_unchanged(&bot.tenant);
        let _ = bot.put(&view, &json!({"b": text(rest)})).ok();
        // What goes in the same update makes room.
        let _ = bot.put(&view, &json!({"a": null, "b": text(50 * KIB)})).ok();
        let got = bot.get(&view).ok();
        assert_eq!((&got["a"], &got["b"]), (&Value::Null, &text(50 * KIB)));
    }

    fn a_package_stays_when_metadata_changes(bot: &OnBot) {
        let id = new_view(bot);
        let _ = upload(bot, &id, &archive(&bot.text("content")));
        let file = bot.get(&at(&id)).ok()["file"].clone();
        let after = bot.put(&at(&id), &json!({"title": "other", "fileName": "x"})).ok();
        assert_eq!(after["file"], file);
        assert_ne!(file, Value::Null);
    }

    fn updates_of_different_members_at_once_are_all_kept(bot: &OnBot) {
        let view = at(&new_view(bot));
        at_once(10, |number| {
            let name = format!("member-{number}");
            bot.put(&view, &json!({name: number})).ok()
        });
        let got = bot.get(&view).ok();
        for number in 0..10 {
            assert_eq!(got[format!("member-{number}")], json!(number));
        }
    }
}
