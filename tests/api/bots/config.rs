//! Changing the configuration: what is named changes, the rest stays.

use botyard_tests::{OnBot, each_scheme, sample};
use domain::input::FieldType;
use serde_json::{Value, json};

/// The bot without what a change of it moves by itself.
fn config_of(bot: &OnBot<'_>) -> Value {
    let mut got = bot.get("").ok();
    got.as_object_mut().unwrap().remove("updatedAt");
    got
}

each_scheme! {
    fn every_field_round_trips_by_itself(bot: &OnBot) {
        let mut expected = config_of(bot);
        for field in sample::config_fields() {
            let value = match &field.field_type {
                FieldType::Text if field.name == "botPassword" => json!(bot.text("botpw-new")),
                FieldType::Text => json!(bot.text("new")),
                FieldType::Number => json!(1.25),
                FieldType::Integer => json!(9_007_199_254_740_991_u64),
                FieldType::Boolean => json!(false),
                FieldType::TextList => json!([bot.text("new"), bot.text("new")]),
                FieldType::Object => json!({"new": bot.text("new")}),
                FieldType::ObjectList => json!([{}, {"new": {"deep": [bot.text("new")]}}]),
                FieldType::OneOf(words) => json!(words[0]),
                FieldType::Any | FieldType::Free | FieldType::ListOf(_) => json!([]),
            };
            let answer = bot.put("", &json!({field.name.clone(): value})).ok();
            assert_eq!(answer[&field.name], value, "{}", field.name);
            expected[&field.name] = value;
            assert_eq!(config_of(bot), expected, "{}", field.name);
        }
    }

    fn every_word_of_an_enumeration_is_taken(bot: &OnBot) {
        for field in sample::config_fields() {
            let FieldType::OneOf(words) = &field.field_type else {
                continue;
            };
            for word in words {
                let answer = bot.put("", &json!({field.name.clone(): word})).ok();
                assert_eq!(answer[&field.name], json!(word), "{}", field.name);
            }
        }
    }

    fn null_unsets_every_field_but_the_name(bot: &OnBot) {
        let fields = sample::config_fields();
        let names = fields.iter().map(|field| field.name.as_str()).filter(|name| *name != "name");
        let nulls: serde_json::Map<_, _> =
            names.map(|name| (name.to_owned(), Value::Null)).collect();
        let answer = bot.put("", &Value::Object(nulls.clone())).ok();
        let got = bot.get("").ok();
        for name in nulls.keys() {
            assert_eq!(answer[name], Value::Null, "{name}");
            assert_eq!(got[name], Value::Null, "{name}");
        }
        assert_ne!(got["name"], Value::Null);
    }

    fn the_name_can_be_changed_but_not_unset(bot: &OnBot) {
        bot.put("", &json!({"name": null})).has_violations(&[("/name", "null")]);
        let name = bot.text("renamed");
        assert_eq!(bot.put("", &json!({"name": name})).ok()["name"], json!(name));
    }

    fn a_name_is_kept_without_the_blanks_around_it(bot: &OnBot) {
        let name = bot.text("trimmed");
        let answer = bot.put("", &json!({"name": format!(" \t\n{name}\u{2003} ")}));
        assert_eq!(answer.ok()["name"], json!(name));
    }

    fn an_empty_list_and_an_empty_text_are_not_null(bot: &OnBot) {
        let empty = json!({
            "tagList": [], "wordReplacements": [], "complianceText": {}, "model": "", "botPassword": "",
        });
        let answer = bot.put("", &empty).ok();
        let got = bot.get("").ok();
        for (name, value) in empty.as_object().unwrap() {
            assert_eq!((&answer[name], &got[name]), (value, value), "{name}");
        }
    }

    fn an_update_answers_what_a_read_answers(bot: &OnBot) {
        let answer = bot.put("", &json!({"temperature": 0.5})).ok();
        assert_eq!(answer, bot.get("").ok());
    }

    fn an_update_that_changes_nothing_leaves_no_trace(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        let name = bot.get("").ok()["name"].clone();
        let _ = bot.put("", &json!({"name": name, "isPublic": true})).ok();
        before.assert_unchanged(&bot.tenant);
    }

    fn the_time_of_change_moves_and_the_time_of_making_stays(bot: &OnBot) {
        let before = bot.get("").ok();
        // Times are in milliseconds, and a change may be faster.
        let moved = (0..1_000).any(|number| {
            let after = bot.put("", &json!({"activeDocSearchCount": number})).ok();
            assert_eq!(after["createdAt"], before["createdAt"]);
            assert!(after["updatedAt"].as_str() >= before["updatedAt"].as_str());
            after["updatedAt"] != before["updatedAt"]
        });
        assert!(moved);
    }

    fn a_whole_temperature_stays_whole(bot: &OnBot) {
        for (sent, expected) in [("1", "1"), ("0", "0"), ("2", "2"), ("0.5", "0.5"), ("1.0", "1"), ("1e0", "1"), ("15e-1", "1.5")] {
            let answer = bot.put_bytes("", format!(r#"{{"temperature":{sent}}}"#));
            assert_eq!(answer.status(), 200, "{answer}");
            assert!(answer.text().contains(&format!("\"temperature\":{expected},")), "{sent}: {answer}");
        }
    }

    fn objects_come_back_as_they_were_sent(bot: &OnBot) {
        let object = r#"{"b":1.50,"a":12345678901234567890.1234567890,"z":[1e3,-0,"\u00e4\/"]}"#;
        let answer = bot.put_bytes("", format!(r#"{{"complianceText": {object} }}"#));
        assert_eq!(answer.status(), 200, "{answer}");
        assert!(answer.text().contains(object), "{answer}");
        assert!(bot.get("").text().contains(object));
    }

    fn whatever_can_be_written_can_be_kept(bot: &OnBot) {
        let texts = [
            "\u{1}\u{1f}\u{7f}\u{80}\u{2028}\u{feff}\u{fffd}\u{10ffff}",
            "'; DROP TABLE bots; -- %s $1 \\x00 {} ${x}",
            "a\u{0301} \u{202e}rtl \u{200d}👩‍👩‍👧",
            "<script>&amp;\"'</script>\r\n\t",
        ];
        for text in texts {
            let text = bot.text(text);
            let answer = bot.put("", &json!({"customJs": text, "tagList": [text], "name": text})).ok();
            assert_eq!(answer["customJs"], json!(text));
            assert_eq!(answer["tagList"], json!([text]));
            assert_eq!(bot.get("").ok()["name"], json!(text.trim()));
        }
    }

    fn a_body_is_json_whatever_its_type_says(bot: &OnBot) {
        for content_type in ["text/plain", "application/xml", "multipart/form-data", "x", ""] {
            let request = bot.client.request("PUT", bot.base()).header("Content-Type", content_type);
            let model = bot.text(content_type);
            let answer = request.body(json!({"model": model}).to_string()).send();
            assert_eq!(answer.ok()["model"], json!(model), "{content_type}");
        }
    }

    fn updates_of_different_fields_at_once_are_all_kept(bot: &OnBot) {
        let switches: Vec<_> = sample::config_fields()
            .into_iter()
            .filter(|field| field.field_type == FieldType::Boolean)
            .map(|field| field.name)
            .collect();
        std::thread::scope(|scope| {
            for names in switches.chunks(5) {
                scope.spawn(move || {
                    for name in names {
                        let _ = bot.put("", &json!({name.clone(): false})).ok();
                    }
                });
            }
        });
        let got = bot.get("").ok();
        for name in &switches {
            assert_eq!(got[name], json!(false), "{name}");
        }
    }
}
