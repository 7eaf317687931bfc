//! Configurations of bots, made from the description of the body itself: a new field is in all
//! tests at once.

use domain::bot::UpdateBot;
use domain::input::{FieldDoc, FieldType, Input as _, InputSettings};
use serde_json::{Map, Value, json};

use crate::audit::PASSWORD;

/// Every config field, with what it may hold.
#[must_use]
pub fn config_fields() -> Vec<FieldDoc> {
    UpdateBot::describe(&InputSettings::default())
}

/// A configuration with every field set, each text of it with `marker` inside.
#[must_use]
pub fn full_config(marker: &str) -> Map<String, Value> {
    let fields = config_fields();
    let value = |field: &FieldDoc| value_of(field, marker);
    fields.iter().map(|field| (field.name.clone(), value(field))).collect()
}

/// A value that the field takes, with `marker` inside if it is a text.
#[must_use]
pub fn value_of(field: &FieldDoc, marker: &str) -> Value {
    let name = &field.name;
    match &field.field_type {
        FieldType::Text if name == "botPassword" => json!(format!("{PASSWORD}{marker}")),
        FieldType::Text => json!(format!("{name} ä𝄞\n\"\\ {marker}")),
        FieldType::Number => json!(0.7),
        FieldType::Integer => json!(7),
        FieldType::Boolean => json!(true),
        FieldType::TextList => json!([format!("{name} {marker}"), "", marker]),
        FieldType::Object => json!({"de": marker, "en": {"deep": [1, 2.5, null, marker]}}),
        FieldType::ObjectList => json!([{"from": marker, "to": "x"}, {}]),
        FieldType::ListOf(_) => json!([]),
        FieldType::OneOf(words) => json!(words.last()),
        FieldType::Any | FieldType::Free => json!({"any": marker}),
    }
}
