mod examples;

use std::collections::BTreeSet;

use domain::violation::ViolationCode;
use serde_json::{Value, json};

use super::*;
use crate::problem::ProblemKind;

fn whole() -> Value {
    let options = HttpOptions::default();
    let text = document(&crate::operations(), &InputSettings::default(), &options);
    serde_json::from_str(&text).unwrap_or_default()
}

/// What the pointer leads to, through references; `null` if there is nothing.
fn at<'a>(document: &'a Value, pointer: &str) -> &'a Value {
    let steps = pointer.split('/').skip(1);
    steps.fold(document, |value, step| {
        let step = step.replace("~1", "/");
        let value = match value["$ref"].as_str() {
            Some(reference) => {
                document.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null)
            }
            None => value,
        };
        &value[&step]
    })
}

/// Every reference below a value.
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

#[test]
fn bounds_of_bodies_are_described() {
    let document = whole();
    let schema = "/paths/~1api~1external~1projectapi~1bots/post/requestBody/content\
                  /application~1json/schema/properties";
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
        let described = at(&document, &format!("{schema}{pointer}")).as_f64();
        assert_eq!(described, expected.as_f64(), "{pointer}");
    }
}

#[test]
fn closed_sets_are_components() {
    let document = whole();
    let schemas = &document["components"]["schemas"];
    for (pointer, name) in [
        ("/Actor/properties/scheme/$ref", "Scheme"),
        ("/ApiKey/properties/scopes/items/$ref", "Scope"),
        ("/Bot/properties/textVerbosity/oneOf/0/$ref", "TextVerbosity"),
        ("/BotDeleted/properties/mode/$ref", "DeleteMode"),
        ("/ChangelogEntry/properties/action/$ref", "Action"),
        ("/ChangelogEntry/properties/resource/$ref", "ChangedResource"),
        ("/CreateBot/properties/modelSource/oneOf/0/$ref", "ModelSource"),
        ("/CreateSkill/properties/answerMode/oneOf/0/$ref", "AnswerMode"),
        ("/Extraction/properties/error/oneOf/0/$ref", "ExtractionError"),
        ("/Extraction/properties/status/$ref", "ExtractionStatus"),
        ("/ExtractionSettings/properties/chunking_strategy/$ref", "Strategy"),
        ("/Problem/properties/rule/$ref", "ArchiveRule"),
        ("/Skill/properties/answerMode/$ref", "AnswerMode"),
        ("/UploadDocument/properties/chunking_strategy/$ref", "Strategy"),
    ] {
        let reference = schemas.pointer(pointer).and_then(Value::as_str);
        assert_eq!(reference, Some(&*format!("#/components/schemas/{name}")), "{pointer}");
        let words = schemas[name]["enum"].as_array();
        assert!(words.is_some_and(|words| words.len() > 1), "{name}");
    }
}

/// What is there and has no description, of all that people read.
fn not_described(document: &Value) -> Vec<String> {
    let components = document["components"].as_object().unwrap();
    let named = ["schemas", "parameters", "headers", "responses"].into_iter().flat_map(|kind| {
        let members = components[kind].as_object().unwrap().iter();
        members.map(move |(name, value)| (format!("{kind}/{name}"), value))
    });
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter().filter(|(name, _)| *name != "parameters");
        methods.map(move |(method, value)| (format!("{method} {path}"), value))
    });
    let tags = document["tags"].as_array().unwrap().iter();
    let tags = tags.map(|tag| (format!("group {}", tag["name"]), tag));
    let mut found: Vec<_> = named.chain(operations).chain(tags).collect();
    let schemas = components["schemas"].as_object().unwrap();
    let parts = schemas.iter().flat_map(|(name, schema)| {
        let parts = schema["allOf"].as_array().into_iter().flatten().chain([schema]);
        parts.map(move |part| (name, part))
    });
    for (name, part) in parts {
        for (member, schema) in part["properties"].as_object().into_iter().flatten() {
            found.push((format!("{name}.{member}"), schema));
        }
    }
    let is_described =
        |value: &Value| value["description"].as_str().is_some_and(|text| text.len() > 3);
    found.into_iter().filter(|(_, value)| !is_described(value)).map(|(name, _)| name).collect()
}

#[test]
fn everything_is_described() {
    assert_eq!(not_described(&whole()), [""; 0]);
}

#[test]
fn every_code_of_a_problem_is_explained() {
    let document = whole();
    let responses = document["components"]["responses"].as_object().unwrap();
    let descriptions: String =
        responses.values().filter_map(|one| one["description"].as_str()).collect();
    let unsaid = ["method_not_allowed", "too_slow", "head_too_large"];
    for kind in ProblemKind::ALL.iter().filter(|kind| !unsaid.contains(&kind.code())) {
        assert!(
            descriptions.contains(&format!("- `{}`: {}", kind.code(), kind.description())),
            "{kind:?}"
        );
    }
    for code in ViolationCode::ALL {
        assert!(descriptions.contains(&format!("- `{code}`: {}", code.description())), "{code}");
    }
}

#[test]
fn parameters_of_paths_are_as_the_server_has_them() {
    let document = whole();
    let parameters = &document["components"]["parameters"];
    for (name, schema) in [
        ("PathBotId", json!({"type": "string", "format": "uuid"})),
        ("PathRuleId", json!({"type": "string", "format": "uuid"})),
        ("PathSkillId", json!({"type": "string", "minLength": 1})),
        ("PathKey", json!({"type": "string", "minLength": 1, "maxLength": 1_024})),
        ("QueryKeyPrefix", json!({"type": "string", "maxLength": 1_024})),
    ] {
        assert_eq!(parameters[name]["schema"], schema, "{name}");
    }
    for operation in crate::operations() {
        let described: Vec<_> = operation.path_docs.iter().map(|doc| doc.name).collect();
        let named: Vec<_> = operation.path_params().collect();
        assert_eq!(described, named, "{}", operation.id);
    }
}

#[test]
fn every_operation_can_belong_to_a_trace() {
    let document = whole();
    let trace = json!({"$ref": "#/components/parameters/HeaderTrace"});
    for (path, item) in document["paths"].as_object().unwrap() {
        assert_eq!(item["parameters"], json!([trace]), "{path}");
    }
    for (name, response) in document["components"]["responses"].as_object().unwrap() {
        for header in ["X-Request-Id", "traceresponse"] {
            assert!(response["headers"][header]["$ref"].is_string(), "{name} {header}");
        }
    }
}

#[test]
fn references_lead_to_components_and_to_every_one() {
    let document = whole();
    let mut found = Vec::new();
    references(&document, &mut found);
    let found: BTreeSet<_> = found.into_iter().collect();
    let components = document["components"].as_object().unwrap();
    let schemes = |kind: &&String| kind.as_str() != "securitySchemes";
    let named: BTreeSet<_> = components
        .keys()
        .filter(schemes)
        .flat_map(|kind| {
            let names = components[kind].as_object().unwrap().keys();
            names.map(move |name| format!("#/components/{kind}/{name}"))
        })
        .collect();
    assert_eq!(found, named);
    assert!(found.len() > 100, "{}", found.len());
}

#[test]
fn no_two_components_have_the_same_name() {
    let mut registry = ComponentRegistry::default();
    let (operations, options) = (crate::operations(), HttpOptions::default());
    assembled(&operations, &InputSettings::default(), &options, &mut registry);
    assert_eq!(registry.clashes, [""; 0]);
}

/// Programs load the whole document. What several operations have in common is to be a component, so that an operation
/// adds little.
#[test]
fn the_document_is_no_larger_than_it_need_be() {
    const OF_AN_OPERATION: usize = 2_600;
    let (operations, options) = (crate::operations(), HttpOptions::default());
    let text = document(&operations, &InputSettings::default(), &options);
    assert!(text.len() < OF_AN_OPERATION * operations.len(), "{} bytes", text.len());
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
fn bounds_beside_those_of_values_are_described() {
    let document = whole();
    let schemas = &document["components"]["schemas"];
    for (pointer, expected) in [
        ("/UpdateBot/minProperties", json!(1)),
        ("/CreateBot/minProperties", Value::Null),
        ("/BulkDeleteKeyvalEntries/minProperties", json!(1)),
        ("/AssignDocuments/properties/docIds/minItems", json!(1)),
        ("/UpdateStage/properties/skills/uniqueItems", json!(true)),
        ("/CreateSkill/properties/skillId/pattern", json!("^[A-Za-z0-9._-]+$")),
        ("/CreateFusionView/properties/type/pattern", json!("^[a-z0-9-]+$")),
        (
            "/CreateBot/properties/textVerbosity/description",
            json!("How verbose texts of the model are."),
        ),
        (
            "/CreateUser/properties/guestId/description",
            json!(
                "What the chat runtime calls the user; no other user of the bot has the same, and no user \
                 has none. At most 256 bytes in UTF-8."
            ),
        ),
    ] {
        assert_eq!(schemas.pointer(pointer).unwrap_or(&Value::Null), &expected, "{pointer}");
    }
}

#[test]
fn languages_have_their_pattern() {
    let document = whole();
    let pointer = "/components/schemas/ExtractDocument/properties/ocrLanguage";
    let described = at(&document, pointer);
    assert_eq!(described["maxLength"], 409);
    assert_eq!(described["pattern"], r"^[A-Za-z0-9_]{1,40}(\+[A-Za-z0-9_]{1,40}){0,9}$");
}

#[test]
fn the_fields_of_a_form_are_explained() {
    let document = whole();
    let form = |method: &str, path: &str| {
        let path = format!("/paths/~1api~1external~1projectapi~1doc~1{path}/{method}");
        format!("{path}/requestBody/content/multipart~1form-data")
    };
    let (new, other) = (form("post", "upload"), form("put", "replace~1{docId}"));
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
        let described = at(&document, &format!("{form}/schema/properties/{field}"));
        assert!(described["description"].is_string(), "{field}");
        assert_eq!(described["default"], default, "{field}");
    }
    let example = |form: &str, field: &str| at(&document, &format!("{form}/example/{field}"));
    assert_eq!(example(&new, "maxChars"), 1_000);
    assert_eq!(example(&new, "skillId"), "opening-hours");
    assert_eq!(example(&other, "extract"), true);
}

#[test]
fn what_lies_beside_the_api_is_described() {
    let document = whole();
    for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
        let described = &document["paths"][path]["get"];
        assert!(described["responses"]["200"].is_object(), "{path}");
        assert_eq!(described["security"], json!([]), "{path}");
    }
}
