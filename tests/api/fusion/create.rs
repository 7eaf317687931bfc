//! `POST {bot}/fusion`

use botyard_tests::{OnBot, Response, each_scheme};
use domain::id::FusionViewId;
use serde_json::{Value, json};

use super::{at, id_of};

const KIB: usize = 1 << 10;

#[track_caller]
fn create(bot: &OnBot<'_>, body: impl Into<Vec<u8>>) -> Response {
    bot.client.request("POST", &bot.path("/fusion")).body(body).send()
}

/// A body whose metadata takes exactly so many bytes of JSON.
fn body_with(metadata: usize) -> String {
    let text = "x".repeat(metadata - r#"{"a":""}"#.len());
    format!(r#"{{"type":"h5p","title":"t","a":"{text}"}}"#)
}

each_scheme! {
    fn a_new_view_has_no_package_and_keeps_its_metadata_as_it_came(bot: &OnBot) {
        let title = bot.text("Kurs ä𝄞");
        let answer = create(bot, format!(
            "{{\"z\": 1.10, \"type\":\"h5p\",\"a\":{{ \"y\":[],\"x\":12345678901234567890.10 }},\
             \"gone\":null,\"title\":\"  {title} \",\"e\":1e3,\"\":-0,\"k\\u00e9\":\"\\u00e4\\/\"}}"
        ));
        let view = answer.ok();
        let (id, created) = (id_of(&view), view["createdAt"].as_str().unwrap());
        assert!(FusionViewId::parse(&id).is_some(), "{id}");
        let expected = format!(
            "{{\"_id\":\"{id}\",\"botId\":\"{bot}\",\"type\":\"h5p\",\"title\":\"{title}\",\
             \"z\":1.10,\"a\":{{ \"y\":[],\"x\":12345678901234567890.10 }},\"e\":1e3,\"\":-0,\
             \"ké\":\"\\u00e4\\/\",\"file\":null,\"createdAt\":\"{created}\",\"updatedAt\":\"{created}\"}}",
            bot = bot.id(),
        );
        assert_eq!(answer.text(), expected);
        assert_eq!(bot.get(&at(&id)).text(), expected);
        assert_eq!(bot.get("/fusion").text(), format!("[{expected}]"));
        let form = created.replace(|letter: char| letter.is_ascii_digit(), "0");
        assert_eq!(form, "0000-00-00T00:00:00.000Z");
    }

    fn type_and_title_are_both_needed(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        let (no_type, no_title) = (("/type", "missing_field"), ("/title", "missing_field"));
        for (body, violations) in [
            (json!({}), vec![no_type, no_title]),
            (json!({"type": "h5p"}), vec![no_title]),
            (json!({"title": "t"}), vec![no_type]),
            (json!({"type": null, "title": null}), vec![no_type, no_title]),
            (json!({"type": "h5p", "title": null, "a": 1}), vec![no_title]),
        ] {
            bot.post("/fusion", &body).has_violations(&violations);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_type_is_1_to_64_of_small_letters_digits_and_hyphens(bot: &OnBot) {
        for good in ["a", "0", "-", "website", "my-own-1", &"x".repeat(64)] {
            let view = bot.post("/fusion", &json!({"type": good, "title": "t"})).ok();
            assert_eq!((&view["type"], &view["file"]), (&json!(good), &Value::Null));
        }
        let before = bot.tenant.snapshot();
        for bad in ["", "A", "H5P", "a b", " a", "a_b", "a.b", "ä", "a\n", &"x".repeat(65)] {
            let answer = bot.post("/fusion", &json!({"type": bad, "title": "t"}));
            answer.has_violations(&[("/type", "bad_format")]);
        }
        for bad in [json!(1), json!(["h5p"]), json!({}), json!(true)] {
            let answer = bot.post("/fusion", &json!({"type": bad, "title": bad}));
            answer.has_violations(&[("/type", "wrong_type"), ("/title", "wrong_type")]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_title_has_1_to_200_characters(bot: &OnBot) {
        let longest = "𝄞".repeat(200);
        let view = bot.post("/fusion", &json!({"type": "h5p", "title": format!(" {longest}\n")}));
        assert_eq!(view.ok()["title"], json!(longest));
        for (bad, code) in
            [("", "too_short"), (" \u{3000}", "too_short"), (&"ä".repeat(201), "too_long")]
        {
            let answer = bot.post("/fusion", &json!({"type": "h5p", "title": bad}));
            answer.has_violations(&[("/title", code)]);
        }
    }

    fn what_only_the_service_sets_is_refused(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        let reserved = ["_id", "botId", "file", "createdAt", "updatedAt"];
        for name in reserved {
            for value in [json!("x"), json!({}), json!(1)] {
                let body = json!({"type": "h5p", "title": "t", name: value, "a": 1});
                let answer = bot.post("/fusion", &body);
                answer.problem(422, "reserved_field");
                answer.has_violations(&[(&format!("/{name}"), "reserved_field")]);
            }
        }
        let body = json!({
            "_id": bot.id().to_string(), "botId": bot.id().to_string(), "file": {"size": 1},
            "createdAt": "2026-01-31T12:00:00.000Z", "updatedAt": 1,
        });
        bot.post("/fusion", &body).has_violations(&[
            ("/_id", "reserved_field"),
            ("/botId", "reserved_field"),
            ("/createdAt", "reserved_field"),
            ("/file", "reserved_field"),
            ("/title", "missing_field"),
            ("/type", "missing_field"),
            ("/updatedAt", "reserved_field"),
        ]);
        before.assert_unchanged(&bot.tenant);
    }

    fn all_other_names_are_metadata(bot: &OnBot) {
        let names = [
            "__proto__", "constructor", "id", "_ID", "bot_id", "Type", "projectId", "title ",
            "a/b~c", "ä", " ", "blobId", "metadata", "file_name", "$ref", "fileName",
        ];
        let mut body = json!({"type": "h5p", "title": "t"});
        for (number, name) in names.iter().enumerate() {
            body[name] = json!(number);
        }
        let view = bot.post("/fusion", &body).ok();
        let got = bot.get(&at(&id_of(&view))).ok();
        for (number, name) in names.iter().enumerate() {
            assert_eq!(got[name], json!(number), "{name}");
        }
        assert_eq!(got, view);
    }

    fn metadata_that_is_no_valid_json_is_refused(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        let with = |member: &str| format!(r#"{{"type":"h5p","title":"t",{member}}}"#);
        let deep = |levels: usize| {
            format!("\"a\":{}{}", "[".repeat(levels), "]".repeat(levels))
        };
        for (member, code) in [
            (r#""a":1,"a":2"#, "duplicate_field"),
            (r#""a":1,"\u0061":2"#, "duplicate_field"),
            (r#""a":{"b":{"c":1,"c":1}}"#, "duplicate_field"),
            (r#""title":"again""#, "duplicate_field"),
            (r#""a":"\u0000""#, "bad_character"),
            (r#""a":{"\u0000":1}"#, "bad_character"),
            (r#""a":["\ud800"]"#, "bad_character"),
            (&deep(128), "too_deep"),
            (r#""a":01"#, "malformed_json"),
            (r#""a":"#, "malformed_json"),
            (r#""a":NaN"#, "malformed_json"),
        ] {
            create(bot, with(member)).problem(422, code);
        }
        for body in ["", "[]", "null", "1", "{}{}"] {
            assert_eq!(create(bot, body).status(), 422, "{body}");
        }
        before.assert_unchanged(&bot.tenant);
        assert_eq!(create(bot, with(&deep(127))).status(), 200);
    }

    fn metadata_takes_at_most_64_kib(bot: &OnBot) {
        let largest = body_with(64 * KIB);
        let view = create(bot, largest).ok();
        assert_eq!(view["a"].as_str().unwrap().len(), 64 * KIB - 8);
        assert_eq!(bot.get(&at(&id_of(&view))).ok(), view);

        let before = bot.tenant.snapshot();
        for metadata in [64 * KIB + 1, 66 * KIB, 70 * KIB, 1 << 20] {
            create(bot, body_with(metadata)).problem(413, "body_too_large");
        }
        // What is announced is refused before it comes.
        let path = bot.path("/fusion");
        let mut connection = bot.connect();
        let answer = connection.exchange("POST", &path, &["Content-Length: 1000000"], b"{");
        answer.problem(413, "body_too_large");
        before.assert_unchanged(&bot.tenant);
    }
}
