//! How long, how many, how large.

use botyard_tests::{each_database, each_scheme, sample};
use domain::input::{FieldType, INTEGER_MAX};
use serde_json::{Map, Value, json};

use super::BOTS;

const MIB: usize = 1 << 20;

/// The names of the fields of a type.
fn fields_of(wanted: &FieldType) -> Vec<String> {
    let fields = sample::config_fields().into_iter();
    let fields = fields.filter(|field| field.field_type == *wanted);
    fields.map(|field| field.name).collect()
}

fn long_texts() -> Vec<String> {
    let mut names = fields_of(&FieldType::Text);
    names.retain(|name| name != "name" && name != "modelSource");
    assert_eq!(names.len(), 14, "{names:?}");
    names
}

fn all_with(names: &[String], value: &Value) -> Value {
    let members = names.iter().map(|name| (name.clone(), value.clone()));
    Value::Object(members.collect::<Map<_, _>>())
}

fn violations_at<'a>(names: &'a [String], code: &'a str) -> Vec<(String, &'a str)> {
    names.iter().map(|name| (format!("/{name}"), code)).collect()
}

#[track_caller]
fn assert_violations(answer: &botyard_tests::Response, expected: &[(String, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|(pointer, code)| (pointer.as_str(), *code)).collect();
    answer.has_violations(&expected);
}

each_scheme! {
    fn a_whole_configuration_takes_at_most_20_mib(bot: &OnBot) {
        let text = "x".repeat(MIB);
        let before = bot.put("", &all_with(&long_texts(), &json!(text))).ok();
        let answer = bot.put("", &json!({"tagList": vec![text.as_str(); 7]}));
        answer.has_violations(&[("", "too_long")]);
        assert_eq!(bot.get("").ok()["updatedAt"], before["updatedAt"]);
    }

    fn a_name_of_200_characters_is_taken_and_one_of_201_is_not(bot: &OnBot) {
        for letter in ["a", "ä", "𝄞"] {
            let longest = letter.repeat(200);
            let answer = bot.put("", &json!({"name": format!("  {longest} ")}));
            assert_eq!(answer.ok()["name"], json!(longest));
            let answer = bot.put("", &json!({"name": letter.repeat(201)}));
            answer.has_violations(&[("/name", "too_long")]);
        }
    }

    fn a_name_of_nothing_but_blanks_is_too_short(bot: &OnBot) {
        for blank in ["", " ", "\t\r\n \u{3000}"] {
            bot.put("", &json!({"name": blank})).has_violations(&[("/name", "too_short")]);
        }
    }

    fn a_temperature_lies_between_0_and_2(bot: &OnBot) {
        for fine in ["0", "2", "0.0", "2.0", "1e-300", "20e-1"] {
            let answer = bot.put_bytes("", format!(r#"{{"temperature":{fine}}}"#));
            assert_eq!(answer.status(), 200, "{fine}: {answer}");
        }
        for bad in ["-0.1", "-1", "2.000001", "3", "1e300", "1e999", "-1e999"] {
            let answer = bot.put_bytes("", format!(r#"{{"temperature":{bad}}}"#));
            answer.has_violations(&[("/temperature", "out_of_range")]);
        }
    }

    fn integers_go_from_0_to_2_to_the_53_less_1(bot: &OnBot) {
        let names = fields_of(&FieldType::Integer);
        assert_eq!(names.len(), 6);
        for fine in [0, 1, INTEGER_MAX] {
            let answer = bot.put("", &all_with(&names, &json!(fine))).ok();
            for name in &names {
                assert_eq!(answer[name], json!(fine), "{name}");
            }
        }
        let zeros = format!(r#"{{"{}":-0}}"#, names.join("\":-0,\""));
        let answer = bot.put_bytes("", zeros).ok();
        for name in &names {
            assert_eq!(answer[name], json!(0), "{name}");
        }
        for bad in ["-1", "9007199254740992", "18446744073709551616", &"9".repeat(64)] {
            let body = format!(r#"{{"{}":{bad}}}"#, names.join(&format!("\":{bad},\"")));
            let answer = bot.put_bytes("", body);
            assert_violations(&answer, &violations_at(&names, "out_of_range"));
        }
    }

    fn an_integer_has_neither_fraction_nor_exponent(bot: &OnBot) {
        let names = fields_of(&FieldType::Integer);
        for bad in ["1.0", "1e3", "0.5", "1E0", "-1.5", "\"1\""] {
            let body = format!(r#"{{"{}":{bad}}}"#, names.join(&format!("\":{bad},\"")));
            let answer = bot.put_bytes("", body);
            assert_violations(&answer, &violations_at(&names, "wrong_type"));
        }
    }

    fn a_number_of_more_than_64_characters_is_none(bot: &OnBot) {
        for (pointer, body) in [
            ("/temperature", format!(r#"{{"temperature":1.{}}}"#, "0".repeat(63))),
            ("/complianceText/a/1", format!(r#"{{"complianceText":{{"a":[1,{}]}}}}"#, "1".repeat(65))),
        ] {
            bot.put_bytes("", body).has_violations(&[(pointer, "out_of_range")]);
        }
    }

    fn a_body_of_128_levels_is_taken_and_one_of_129_is_not(bot: &OnBot) {
        // The body is the first level, the object the second.
        let deep = |levels: usize| {
            let inner = levels - 2;
            format!(r#"{{"complianceText":{{"a":{}{}}}}}"#, "[".repeat(inner), "]".repeat(inner))
        };
        let answer = bot.put_bytes("", deep(128));
        assert_eq!(answer.status(), 200, "{answer}");
        assert!(bot.get("").text().contains(&"[".repeat(126)));
        bot.put_bytes("", deep(129)).problem(422, "too_deep");
        bot.put_bytes("", "[".repeat(1_000_000)).problem(422, "too_deep");
    }
}

each_database! {
    fn a_long_text_of_1_mib_is_taken(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let names = long_texts();
        let longest = format!("botpw-{}", "ä".repeat((MIB - 6) / 2));
        assert_eq!(longest.len(), MIB);
        for name in &names {
            let text = if name == "botPassword" { longest.clone() } else { "x".repeat(MIB) };
            let answer = bot.put("", &json!({name.clone(): text})).ok();
            assert_eq!(answer[name], json!(text), "{name}");
            // Every answer has all of them.
            let _ = bot.put("", &json!({name.clone(): null})).ok();
        }
    }

    fn a_long_text_of_more_than_1_mib_is_too_long(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let names = long_texts();
        let before = bot.tenant.snapshot();
        let answer = bot.put("", &all_with(&names, &json!("x".repeat(MIB + 1))));
        assert_violations(&answer, &violations_at(&names, "too_long"));
        // It is the bytes that count.
        let answer = bot.put("", &json!({"model": "ä".repeat(MIB / 2 + 1)}));
        answer.has_violations(&[("/model", "too_long")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn lists_have_at_most_10_000_items(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let mut names = fields_of(&FieldType::TextList);
        names.extend(fields_of(&FieldType::ObjectList));
        assert_eq!(names.len(), 3);
        let items = |name: &str, count: usize| match name {
            "wordReplacements" => json!(vec![json!({}); count]),
            _ => json!(vec!["x"; count]),
        };
        for name in &names {
            let answer = bot.put("", &json!({name.clone(): items(name, 10_000)})).ok();
            assert_eq!(answer[name].as_array().unwrap().len(), 10_000, "{name}");
            let answer = bot.put("", &json!({name.clone(): items(name, 10_001)}));
            answer.has_violations(&[(&format!("/{name}"), "too_many_items")]);
        }
    }

    fn texts_in_lists_and_objects_take_1_mib_each(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        // With its name, colon, quotes and braces, such an object takes 8 bytes more than its text.
        let body = |more: usize| {
            let object = json!({"a": "x".repeat(MIB - 8 + more)});
            json!({
                "tagList": ["a", "x".repeat(MIB + more)],
                "wordReplacements": [{}, object],
                "complianceText": object,
                "storageaccessText": object,
            })
        };
        let _ = bot.put("", &body(0)).ok();
        let before = bot.tenant.snapshot();
        bot.put("", &body(1)).has_violations(&[
            ("/tagList/1", "too_long"),
            ("/wordReplacements/1", "too_long"),
            ("/complianceText", "too_long"),
            ("/storageaccessText", "too_long"),
        ]);
        before.assert_unchanged(&bot.tenant);
    }

    fn the_same_limits_hold_when_a_bot_is_made(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let before = tenant.snapshot();
        let body = json!({
            "name": "n".repeat(201),
            "customJs": "x".repeat(MIB + 1),
            "tagList": vec!["x"; 10_001],
            "temperature": 2.1,
            "userDocumentsMaxMb": -1,
        });
        client.post(BOTS, &body).has_violations(&[
            ("/name", "too_long"),
            ("/customJs", "too_long"),
            ("/tagList", "too_many_items"),
            ("/temperature", "out_of_range"),
            ("/userDocumentsMaxMb", "out_of_range"),
        ]);
        before.assert_unchanged(&tenant);
    }
}
