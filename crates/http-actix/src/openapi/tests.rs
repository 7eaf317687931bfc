use serde_json::json;

use super::*;

fn whole() -> Value {
    let options = HttpOptions::default();
    let text = document(&crate::operations(), &InputSettings::default(), &options);
    serde_json::from_str(&text).unwrap_or_default()
}

#[test]
fn bounds_of_bodies_are_described() {
    let document = whole();
    let schema = "/paths/~1api~1external~1projectapi~1bots/post/requestBody/content\
                  /application~1json/schema/properties";
    let fields = document.pointer(schema).unwrap_or(&Value::Null);
    for (pointer, expected) in [
        ("/name/minLength", json!(1)),
        ("/name/maxLength", json!(200)),
        ("/model/maxLength", json!(1 << 20)),
        ("/temperature/minimum", json!(0)),
        ("/temperature/maximum", json!(2)),
        ("/userDocumentsMaxMb/maximum", json!((1_u64 << 53) - 1)),
        ("/tagList/maxItems", json!(10_000)),
        ("/tagList/items/maxLength", json!(1 << 20)),
        ("/wordReplacements/maxItems", json!(10_000)),
    ] {
        let described = fields.pointer(pointer).and_then(Value::as_f64);
        assert_eq!(described, expected.as_f64(), "{pointer}");
    }
}

#[test]
fn closed_sets_of_views_are_described() {
    let document = whole();
    let schemas = &document["components"]["schemas"];
    for pointer in [
        "/Actor/properties/scheme",
        "/ApiKey/properties/scopes/items",
        "/BotDeleted/properties/mode",
        "/ChangelogEntry/properties/action",
        "/ChangelogEntry/properties/resource",
        "/Extraction/properties/error",
        "/Extraction/properties/status",
        "/ExtractionSettings/properties/chunking_strategy",
        "/TokenData/properties/scheme",
        "/TokenData/properties/scopes/items",
    ] {
        let words = schemas.pointer(pointer).and_then(|text| text["enum"].as_array());
        assert!(words.is_some_and(|words| words.len() > 1), "{pointer}");
    }
}

#[test]
fn references_lead_to_schemas() {
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let document = whole();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 100, "{}", found.len());
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap_or_default();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn what_can_be_null_is_there_all_the_same() {
    let document = whole();
    for (schema, member, expected) in [
        ("Extraction", "error", true),
        ("Extraction", "finishedAt", true),
        ("Extraction", "status", true),
        ("FusionView", "file", true),
        ("Stage", "skills", true),
        ("ProjectDocument", "botId", true),
        ("ProjectDocument", "botIds", false),
        ("KeyvalEntry", "guestId", false),
    ] {
        let schema = &document["components"]["schemas"][schema];
        assert!(schema["properties"][member].is_object(), "{member}");
        let required = schema["required"].as_array();
        let is_there = required.is_some_and(|names| names.contains(&json!(member)));
        assert_eq!(is_there, expected, "{schema} {member}");
    }
}

#[test]
fn languages_have_their_pattern() {
    let document = whole();
    let replaced = &document["paths"]["/api/external/projectapi/doc/extract/{docId}"]["post"];
    let pointer = "/requestBody/content/application~1json/schema/properties/ocrLanguage";
    let described = replaced.pointer(pointer).unwrap_or(&Value::Null);
    assert_eq!(described["maxLength"], 409);
    assert_eq!(described["pattern"], r"^[A-Za-z0-9_]{1,40}(\+[A-Za-z0-9_]{1,40}){0,9}$");
}

#[test]
fn the_fields_of_a_form_are_explained() {
    let document = whole();
    let form = |method: &str, path: &str| {
        let path = format!("/api/external/projectapi/doc/{path}");
        document["paths"][&path][method]["requestBody"]["content"]["multipart/form-data"].clone()
    };
    let (new, other) = (form("post", "upload"), form("put", "replace/{docId}"));
    for (form, field, default) in [
        (&new, "extract", json!(true)),
        (&new, "maxChars", json!(2_000)),
        (&new, "maxOverlap", Value::Null),
        (&new, "chunking_strategy", Value::Null),
        (&new, "imagesEnabled", json!(false)),
        (&new, "ocrLanguage", json!("eng")),
        (&new, "skillId", Value::Null),
        (&other, "extract", json!(true)),
        // What is left out stays as it was.
        (&other, "maxChars", Value::Null),
    ] {
        let described = &form["schema"]["properties"][field];
        assert!(described["description"].is_string(), "{field}");
        assert_eq!(described["default"], default, "{field}");
    }
    assert_eq!(new["example"]["maxChars"], 1_000);
    assert_eq!(new["example"]["skillId"], "opening-hours");
    assert_eq!(other["example"]["extract"], true);
}

#[test]
fn what_lies_beside_the_api_is_described() {
    let document = whole();
    for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
        let described = &document["paths"][path]["get"];
        assert!(described["responses"]["200"].is_object(), "{path}");
        assert!(described["security"].is_null(), "{path}");
    }
}
