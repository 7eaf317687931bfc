//! Everything that can be wrong with the body of an update. Nothing of such a body takes effect.

use botyard_tests::{each_database, each_scheme, sample};
use domain::input::{FieldDoc, FieldType};
use serde_json::{Map, Value, json};

use super::BOTS;

/// What is wrong with a value in a field of this type: where below the field, and how. `None` if
/// the field takes the value.
fn violation(field: &FieldDoc, value: &Value) -> Option<(&'static str, &'static str)> {
    let wrong = Some(("", "wrong_type"));
    let wrong_item = Some(("/0", "wrong_type"));
    let first = value.as_array().map(|items| items.first());
    match (&field.field_type, value, first) {
        (FieldType::Any, _, _)
        | (FieldType::Text, Value::String(_), _)
        | (FieldType::Number, Value::Number(_), _)
        | (FieldType::Boolean, Value::Bool(_), _)
        | (FieldType::Object, Value::Object(_), _)
        | (FieldType::TextList, _, Some(None | Some(Value::String(_))))
        | (FieldType::ObjectList, _, Some(None | Some(Value::Object(_)))) => None,
        (FieldType::Integer, Value::Number(number), _) if number.is_u64() => None,
        (FieldType::OneOf(_), Value::String(_), _) => Some(("", "not_allowed")),
        (FieldType::TextList | FieldType::ObjectList, _, Some(Some(_))) => wrong_item,
        _ => wrong,
    }
}

/// A value of each JSON type, and lists of each.
fn values() -> [Value; 14] {
    [
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(1.5),
        json!("x"),
        json!("1"),
        json!({}),
        json!([]),
        json!(["x"]),
        json!([{}]),
        json!([1]),
        json!([null]),
        json!([[]]),
    ]
}

each_scheme! {
    fn every_wrong_type_is_reported_for_every_field(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for value in values() {
            let fields = sample::config_fields();
            let mut body = Map::new();
            let mut expected = Vec::new();
            for field in &fields {
                if let Some((below, code)) = violation(field, &value) {
                    body.insert(field.name.clone(), value.clone());
                    expected.push((format!("/{}{below}", field.name), code));
                }
            }
            assert!(expected.len() > 10, "{value}");
            let expected: Vec<_> =
                expected.iter().map(|(pointer, code)| (pointer.as_str(), *code)).collect();
            bot.put("", &Value::Object(body)).has_violations(&expected);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn one_violation_among_valid_fields_keeps_all_of_them_out(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        let body = json!({"name": bot.text("x"), "isPublic": 1, "tagList": ["x"]});
        bot.put("", &body).has_violations(&[("/isPublic", "wrong_type")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn fields_that_no_client_sets_are_unknown(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        let foreign = foreign_members();
        let mut body = Map::from_iter([("model".to_owned(), json!("x"))]);
        body.extend(foreign.iter().map(|name| ((*name).to_owned(), json!("x"))));
        let expected: Vec<_> = foreign.iter().map(|name| format!("/{name}")).collect();
        let expected: Vec<_> =
            expected.iter().map(|pointer| (pointer.as_str(), "unknown_field")).collect();
        bot.put("", &Value::Object(body)).has_violations(&expected);
        for name in foreign {
            let answer = bot.put("", &json!({name: null}));
            answer.problem(422, "unknown_field");
            answer.has_violations(&[(&format!("/{name}"), "unknown_field")]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn every_violation_of_a_body_is_reported_at_once(bot: &OnBot) {
        let body = r#"{
            "colour": 1, "a/b~c": 2, "": 3, "name": " ", "temperature": 3, "isPublic": "yes",
            "tagList": ["a", 1, null], "reasoningEffort": "huge", "modelSource": "x",
            "activeDocSearchCount": 1.0, "userDocumentsMaxMb": -1, "complianceText": [],
            "model": "a", "model": "b", "wordReplacements": [{}, 1], "customJs": "\u0000",
            "storageaccessText": {"a": {"b/c": ["\ud800"]}}
        }"#;
        let answer = bot.put_bytes("", body);
        answer.problem(422, "invalid_body");
        answer.has_violations(&[
            ("/colour", "unknown_field"),
            ("/a~1b~0c", "unknown_field"),
            ("/", "unknown_field"),
            ("/name", "too_short"),
            ("/temperature", "out_of_range"),
            ("/isPublic", "wrong_type"),
            ("/tagList/1", "wrong_type"),
            ("/tagList/2", "wrong_type"),
            ("/reasoningEffort", "not_allowed"),
            ("/modelSource", "not_allowed"),
            ("/activeDocSearchCount", "wrong_type"),
            ("/userDocumentsMaxMb", "out_of_range"),
            ("/complianceText", "wrong_type"),
            ("/model", "duplicate_field"),
            ("/wordReplacements/1", "wrong_type"),
            ("/customJs", "bad_character"),
            ("/storageaccessText/a/b~1c/0", "bad_character"),
        ]);
    }

    fn violations_of_body_and_query_are_reported_together(bot: &OnBot) {
        let path = bot.path("?nope=1&colour=2");
        let answer = bot.client.put(&path, &json!({"colour": 1, "isPublic": 2}));
        answer.problem(422, "bad_query");
        answer.has_violations(&[
            ("/nope", "bad_query"),
            ("/colour", "bad_query"),
            ("/colour", "unknown_field"),
            ("/isPublic", "wrong_type"),
        ]);
        let places: Vec<_> = answer.json()["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| (error["pointer"].clone(), error["in"].clone()))
            .collect();
        assert!(places.contains(&(json!("/nope"), json!("query"))));
        assert!(places.contains(&(json!("/isPublic"), json!("body"))));
    }

    fn a_single_violation_gives_its_name_to_the_problem(bot: &OnBot) {
        let answer = bot.put("", &json!({"colour": 1}));
        let mut body = answer.problem(422, "unknown_field");
        body.as_object_mut().unwrap().remove("requestId");
        assert_eq!(body, json!({
            "type": "urn:botyard:problem:unknown_field",
            "title": "Unknown field",
            "status": 422,
            "detail": "The field `colour` is not known, or can't be set here.",
            "code": "unknown_field",
            "errors": [{
                "pointer": "/colour",
                "in": "body",
                "code": "unknown_field",
                "message": "The field `colour` is not known, or can't be set here.",
            }],
        }));
    }

    fn a_thousand_violations_are_all_reported_and_more_are_counted(bot: &OnBot) {
        for (count, listed) in [(1_000, 1_000), (1_001, 1_000), (1_500, 1_000)] {
            let names = (0..count).map(|number| format!("f{number}"));
            let body: Map<_, _> = names.map(|name| (name, json!(1))).collect();
            let answer = bot.put("", &Value::Object(body));
            assert_eq!(answer.violations().len(), listed);
            let detail = answer.json()["detail"].as_str().unwrap().to_owned();
            assert!(detail.ends_with(&format!("There are {} more faults.", count - 1)), "{detail}");
        }
    }

    fn violations_of_the_query_do_not_hide_those_of_the_body(bot: &OnBot) {
        let query: Vec<_> = (0..1_200).map(|number| format!("{number:x}")).collect();
        let path = bot.path(&format!("?{}", query.join("&")));
        let answer = bot.client.put(&path, &json!({"colour": 1, "isPublic": 2}));
        let of_body: Vec<_> =
            answer.violations().into_iter().filter(|(_, code)| code != "bad_query").collect();
        let expected = [("/colour", "unknown_field"), ("/isPublic", "wrong_type")];
        assert_eq!(of_body, expected.map(|(at, code)| (at.to_owned(), code.to_owned())));
    }

    fn the_first_value_of_a_repeated_member_is_checked(bot: &OnBot) {
        let answer = bot.put_bytes("", r#"{"temperature":9,"temperature":"a"}"#);
        answer.has_violations(&[("/temperature", "duplicate_field"), ("/temperature", "out_of_range")]);
        let answer = bot.put_bytes("", r#"{"isPublic":1,"isPublic":true}"#);
        answer.has_violations(&[("/isPublic", "duplicate_field"), ("/isPublic", "wrong_type")]);
    }

    fn a_long_name_does_not_come_back(bot: &OnBot) {
        for letter in ["n", "~", "ä"] {
            let answer = bot.put("", &json!({letter.repeat(1 << 20): 1}));
            answer.has_violations(&[("", "unknown_field")]);
            assert!(answer.bytes().len() < 1_500);
        }
    }

    fn a_member_may_not_occur_twice_at_any_level(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for (body, pointer) in [
            (r#"{"model":"a","model":"a"}"#, "/model"),
            (r#"{"model":"a","\u006dodel":"b"}"#, "/model"),
            (r#"{"model":null,"model":null}"#, "/model"),
            (r#"{"complianceText":{"a":1,"b":2,"a":1}}"#, "/complianceText/a"),
            (r#"{"complianceText":{"a":[{"b":1,"b":1}]}}"#, "/complianceText/a/0/b"),
            (r#"{"wordReplacements":[{},{"x":1,"x":2}]}"#, "/wordReplacements/1/x"),
        ] {
            bot.put_bytes("", body).has_violations(&[(pointer, "duplicate_field")]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn nul_and_half_surrogate_pairs_are_refused_everywhere(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for bad in [r"\u0000", r"\ud800", r"\udc00", r"\ud800\ud800", r"\udc00\ud800", r"\uD834 \uDD1E"] {
            for (body, pointer) in [
                (format!(r#"{{"name":"a{bad}"}}"#), "/name"),
                (format!(r#"{{"botPassword":"{bad}"}}"#), "/botPassword"),
                (format!(r#"{{"modelSource":"{bad}"}}"#), "/modelSource"),
                (format!(r#"{{"tagList":["a","{bad}"]}}"#), "/tagList/1"),
                (format!(r#"{{"complianceText":{{"a":["{bad}"]}}}}"#), "/complianceText/a/0"),
            ] {
                let answer = bot.put_bytes("", body);
                assert_eq!(answer.violations(), [(pointer.to_owned(), "bad_character".to_owned())], "{bad}");
            }
            let in_a_name = format!(r#"{{"complianceText":{{"{bad}":1}}}}"#);
            bot.put_bytes("", in_a_name).problem(422, "bad_character");
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_whole_surrogate_pair_is_a_character(bot: &OnBot) {
        let answer = bot.put_bytes("", r#"{"model":"\uD834\uDD1E"}"#);
        assert_eq!(answer.ok()["model"], json!("𝄞"));
    }

    fn a_body_that_is_missing_is_reported(bot: &OnBot) {
        for nothing in ["", " ", "\r\n\t "] {
            bot.put_bytes("", nothing).has_violations(&[("", "malformed_json")]);
        }
        let _ = bot.client.request("PUT", bot.base()).send().problem(422, "malformed_json");
    }

    fn a_body_that_is_no_json_is_reported(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for odd in [
            "{",
            "}",
            r#"{"model"}"#,
            r#"{"model":}"#,
            r#"{"model":"x",}"#,
            r#"{,"model":"x"}"#,
            r#"{"model":"x"}}"#,
            r#"{"model":"x"} {"model":"x"}"#,
            r#"{'model':'x'}"#,
            r#"{model:"x"}"#,
            r#"{"model":"x" /* no */}"#,
            r#"{"model":"x"//no
            }"#,
            r#"{"temperature":NaN}"#,
            r#"{"temperature":Infinity}"#,
            r#"{"temperature":+1}"#,
            r#"{"temperature":01}"#,
            r#"{"temperature":.5}"#,
            r#"{"temperature":1.}"#,
            r#"{"temperature":0x1}"#,
            r#"{"isPublic":True}"#,
            r#"{"model":"\x41"}"#,
            r#"{"model":"\u12"}"#,
            "{\"model\":\"a\nb\"}",
            "{\"model\":\"x\"}\0",
            "\u{feff}{\"model\":\"x\"}",
            "model=x",
            "<model>x</model>",
        ] {
            let answer = bot.put_bytes("", odd);
            assert_eq!(answer.status(), 422, "{odd}: {answer}");
            answer.problem(422, "malformed_json");
        }
        bot.put_bytes("", b"{\"model\":\"\xff\"}").problem(422, "malformed_json");
        bot.put_bytes("", b"{\"model\":\"\xed\xa0\x80\"}").problem(422, "malformed_json");
        before.assert_unchanged(&bot.tenant);
    }

    fn a_form_is_reported_as_one(bot: &OnBot) {
        let form = "multipart/form-data; boundary=x";
        let (fields, json) = ("application/x-www-form-urlencoded", "application/json");
        for (content_type, body, is_form) in [
            (form, "--x\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nx\r\n--x--", true),
            (form, "", false),
            (fields, "model=x", true),
            // As curl calls what it sends unless it is told otherwise.
            (fields, r#"{"model":}"#, false),
            (json, "model=x", false),
        ] {
            let request = bot.client.request("PUT", bot.base()).header("Content-Type", content_type);
            let problem = request.body(body).send().problem(422, "malformed_json");
            let detail = problem["detail"].as_str().unwrap();
            assert_eq!(detail.ends_with(" This operation takes JSON, not a form."), is_form, "{body}");
            assert_eq!(problem["errors"][0]["message"], detail);
        }
    }

    fn a_body_that_is_no_object_is_reported(bot: &OnBot) {
        for odd in ["null", "true", "1", "\"x\"", "[]", r#"[{"model":"x"}]"#] {
            bot.put_bytes("", odd).has_violations(&[("", "not_an_object")]);
        }
    }

    fn an_update_without_fields_is_reported(bot: &OnBot) {
        for nothing in ["{}", " { } "] {
            let answer = bot.put_bytes("", nothing);
            answer.problem(422, "no_fields");
            answer.has_violations(&[("", "no_fields")]);
        }
    }
}

/// Members that a client could hope to set.
fn foreign_members() -> Vec<&'static str> {
    let mut names = vec![
        "_id",
        "id",
        "botId",
        "projectId",
        "organisationId",
        "project_id",
        "archived",
        "thisIsTrash",
        "apiKeys",
        "createdAt",
        "updatedAt",
        "created_at",
        "kind",
        "state",
        "mode",
        "config",
        "demo",
        "template",
        "isDemo",
        "isTemplate",
        "tokens",
        "scopes",
        "readOnly",
        "owner",
        "__proto__",
        "constructor",
        "$set",
        "Name",
        "NAME",
        "name ",
        " name",
        "namé",
        "custom_js",
        "tagList[]",
        "complianceText.de",
    ];
    names.sort_unstable();
    names
}

each_database! {
    fn fields_that_no_client_sets_are_unknown_to_a_new_bot(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let before = tenant.snapshot();
        for name in foreign_members() {
            let answer = client.post(BOTS, &json!({"name": tenant.text("x"), name: "x"}));
            answer.has_violations(&[(&format!("/{name}"), "unknown_field")]);
        }
        before.assert_unchanged(&tenant);
    }

    fn every_wrong_type_is_reported_for_a_new_bot(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let before = tenant.snapshot();
        for field in sample::config_fields().iter().filter(|field| field.name != "name") {
            for value in values() {
                let Some((below, code)) = violation(field, &value) else {
                    continue;
                };
                let body = json!({"name": "x", field.name.clone(): value});
                client.post(BOTS, &body).has_violations(&[(&format!("/{}{below}", field.name), code)]);
            }
        }
        before.assert_unchanged(&tenant);
    }
}
