//! What the document shows is what it describes.

use super::*;

/// Answers that are no JSON, and the document itself.
const WITHOUT: [&str; 5] = ["EventStream", "File", "Metrics", "Openapi", "PartOfFile"];

/// What is wrong with a value by its schema, as far as the document uses JSON Schema.
fn violations(document: &Value, schema: &Value, value: &Value, place: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#')).unwrap();
        return violations(document, target, value, place);
    }
    if let Some(options) = schema["oneOf"].as_array() {
        let fits = |option: &&Value| violations(document, option, value, place).is_empty();
        let count = options.iter().filter(fits).count();
        return if count == 1 { Vec::new() } else { vec![format!("{place}: {count} fit {value}")] };
    }
    let is = |name: &Value| match name.as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("null") => value.is_null(),
        _ => false,
    };
    let of_type = &schema["type"];
    let is_of_type = match of_type.as_array() {
        Some(names) => names.iter().any(is),
        None => of_type.is_null() || is(of_type),
    };
    let is_a_word = schema["enum"].as_array().is_none_or(|words| words.contains(value));
    if !(is_of_type && is_a_word) {
        return vec![format!("{place}: {value} by {schema}")];
    }
    if let Some(items) = value.as_array() {
        let items = items.iter().enumerate();
        let each = |(at, item): (usize, &Value)| {
            violations(document, &schema["items"], item, &format!("{place}/{at}"))
        };
        return items.flat_map(each).collect();
    }
    let Some(members) = value.as_object() else { return Vec::new() };
    let required = schema["required"].as_array().into_iter().flatten();
    let missing = required.filter(|name| !members.contains_key(name.as_str().unwrap()));
    let missing = missing.map(|name| format!("{place}: {name} is missing"));
    let each = |(name, member): (&String, &Value)| {
        let place = format!("{place}/{name}");
        match schema["properties"].get(name) {
            Some(schema) => violations(document, schema, member, &place),
            None if schema["properties"].is_null() || schema["additionalProperties"] == true => {
                Vec::new()
            }
            None => vec![format!("{place} is not described")],
        }
    };
    missing.chain(members.iter().flat_map(each)).collect()
}

#[test]
fn every_answer_has_an_example_that_is_as_described() {
    let document = whole();
    let responses = document["components"]["responses"].as_object().unwrap();
    let mut without = Vec::new();
    for (name, response) in responses {
        let contents = response["content"].as_object().into_iter().flatten();
        for (_, content) in contents.filter(|(media_type, _)| *media_type != "text/csv") {
            match content.get("example") {
                Some(example) => {
                    let found = violations(&document, &content["schema"], example, name);
                    assert_eq!(found, [""; 0]);
                }
                None if !without.contains(name) => without.push(name.clone()),
                None => {}
            }
        }
    }
    assert_eq!(without, WITHOUT);
}

#[test]
fn every_example_of_a_body_is_as_described() {
    let document = whole();
    let bodies = document["components"]["requestBodies"].as_object().unwrap();
    for (name, body) in bodies {
        for content in body["content"].as_object().unwrap().values() {
            let found = violations(&document, &content["schema"], &content["example"], name);
            assert_eq!(found, [""; 0]);
        }
    }
    assert!(bodies.len() > 20, "{}", bodies.len());
}

#[test]
fn examples_that_are_not_as_described_are_noticed() {
    let document = json!({"components": {"schemas": {"Word": {"type": "string", "enum": ["a"]}}}});
    let schema = json!({
        "type": "object",
        "required": ["word"],
        "properties": {
            "word": {"oneOf": [{"$ref": "#/components/schemas/Word"}, {"type": "null"}]},
            "list": {"type": ["array", "null"], "items": {"type": "integer"}},
        },
    });
    for (value, count) in [
        (json!({"word": "a", "list": [1]}), 0),
        (json!({"word": null, "list": null}), 0),
        (json!({"word": "b"}), 1),
        (json!({}), 1),
        (json!({"word": "a", "list": ["x", 1.5]}), 2),
        (json!({"word": "a", "other": 1}), 1),
        (json!([]), 1),
    ] {
        assert_eq!(violations(&document, &schema, &value, "").len(), count, "{value}");
    }
}
