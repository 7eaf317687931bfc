//! What is wrong with a value, derived from the description of the member or the parameter alone.

use domain::input::{FieldDoc, FieldType, INTEGER_MAX};
use http_actix::{Operation, ParamDoc, ParamForm};
use serde_json::{Value, json};

use super::slots::{self, ParamSlot, Slot};
use super::world::NEVER;

/// A value that a member must not have, where below the member the violation lies, and its code.
pub type BadValue = (Value, &'static str, &'static str);

/// Values that a member must not have.
pub fn bad_values(field: &FieldDoc) -> Vec<BadValue> {
    let wrong = |values: &[Value]| -> Vec<BadValue> {
        values.iter().map(|value| (value.clone(), "", "wrong_type")).collect()
    };
    let beyond = |values: &[Value]| -> Vec<BadValue> {
        values.iter().map(|value| (value.clone(), "", "out_of_range")).collect()
    };
    let item = |value: Value| (value, "/0", "wrong_type");
    let mut bad = match &field.field_type {
        FieldType::Text => wrong(&[json!(1), json!(true), json!([]), json!({}), json!(["x"])]),
        FieldType::Number => wrong(&[json!("1"), json!(true), json!([1]), json!({})]),
        FieldType::Integer => {
            let mut bad = wrong(&[json!("1"), json!(true), json!([1]), json!(1.5), json!(1.0)]);
            bad.extend(beyond(&[json!(-1), json!(INTEGER_MAX + 1)]));
            bad
        }
        FieldType::Boolean => wrong(&[json!("true"), json!(1), json!(0), json!([]), json!({})]),
        FieldType::TextList => {
            let mut bad = wrong(&[json!("x"), json!(1), json!(true), json!({})]);
            bad.extend([json!([1]), json!([null]), json!([["x"]]), json!([{}])].map(item));
            bad
        }
        FieldType::Object => wrong(&[json!("x"), json!(1), json!(true), json!([]), json!([{}])]),
        FieldType::ObjectList | FieldType::ListOf(_) => {
            let mut bad = wrong(&[json!("x"), json!(1), json!(true), json!({})]);
            bad.extend([json!([1]), json!([null]), json!([[]]), json!(["x"])].map(item));
            bad
        }
        FieldType::OneOf(words) => {
            let mut bad = wrong(&[json!(1), json!(true), json!([]), json!({})]);
            let first = words.first().cloned().unwrap_or_default();
            let others =
                ["no such word".into(), String::new(), first.to_uppercase(), format!("{first} ")];
            bad.extend(others.map(|word| (json!(word), "", "not_allowed")));
            bad
        }
        FieldType::Any | FieldType::Free => Vec::new(),
    };
    bad.extend(
        field.bounds.above.iter().flat_map(|limit| beyond(&[json!(limit), json!(limit - 1.0)])),
    );
    if field.required && !field.nullable {
        bad.push((Value::Null, "", "missing_field"));
    } else if !field.nullable {
        bad.push((Value::Null, "", "null"));
    }
    bad
}

/// Values of a query parameter that are as they should be.
pub fn good_params(operation: &Operation, param: &ParamDoc) -> Vec<String> {
    match &param.form {
        ParamForm::Integer(min, max) => vec![min.to_string(), max.to_string()],
        ParamForm::OneOf(words) => words.iter().map(ToString::to_string).collect(),
        ParamForm::Boolean => vec!["true".to_owned(), "false".to_owned()],
        ParamForm::Day => vec!["2026-01-31".to_owned(), "2024-02-29".to_owned()],
        ParamForm::DayOrTime => {
            ["2026-01-31", "2026-01-31T12:00:00Z", "2026-01-31T13:00:00.5%2B01:00"]
                .map(str::to_owned)
                .into()
        }
        ParamForm::Characters(min, max) => [*min, *max].map(|count| "%C3%A4".repeat(count)).into(),
        ParamForm::Text | ParamForm::Bytes(..) | ParamForm::Id => match slot(operation, param) {
            Slot::Bot
            | Slot::Part(_)
            | Slot::Name
            | Slot::Position
            | Slot::Filter
            | Slot::Entry
            | Slot::Guest => vec![NEVER.to_owned()],
            Slot::Opaque(good) | Slot::Gone(good) => vec![good.to_owned()],
            Slot::Prefix => vec![NEVER.to_owned(), String::new()],
        },
    }
}

/// Values of a query parameter that are not, written as they stand in a query.
pub fn bad_params(operation: &Operation, param: &ParamDoc) -> Vec<String> {
    let mut bad: Vec<String> = match &param.form {
        ParamForm::Integer(min, max) => {
            let below = i64::from(*min) - 1;
            let beyond = u64::from(*max) + 1;
            let odd = [
                "",
                "x",
                "+1",
                "%2B1",
                "1.0",
                "1e1",
                "0x1",
                "1%20",
                "%D9%A3",
                "99999999999999999999",
            ];
            odd.map(str::to_owned)
                .into_iter()
                .chain([below.to_string(), beyond.to_string()])
                .collect()
        }
        ParamForm::OneOf(words) => {
            let first = words.first().copied().unwrap_or_default();
            vec![
                String::new(),
                "nope".into(),
                first.to_uppercase(),
                format!("{first}%20"),
                format!("{first},{first}"),
            ]
        }
        ParamForm::Day => {
            let odd = ["", "x", "2026-02-29", "2026-1-31", "20260131", "2026-01-31T00:00:00Z"];
            odd.map(str::to_owned).into()
        }
        ParamForm::DayOrTime => {
            let odd = [
                "",
                "x",
                "2026-02-29",
                "2026-01-31T12:00",
                "2026-01-31T24:00:00Z",
                "1769860800000",
            ];
            odd.map(str::to_owned).into()
        }
        ParamForm::Boolean => {
            ["", "1", "0", "yes", "True", "FALSE", "true%20", "null"].map(str::to_owned).into()
        }
        ParamForm::Characters(min, max) => {
            [min - 1, max + 1].map(|count| "%C3%A4".repeat(count)).into()
        }
        ParamForm::Text | ParamForm::Bytes(..) | ParamForm::Id => match slot(operation, param) {
            Slot::Bot
            | Slot::Part(_)
            | Slot::Name
            | Slot::Position
            | Slot::Filter
            | Slot::Guest => {
                vec![String::new(), "x".into(), NEVER.to_uppercase(), NEVER.replace('-', "")]
            }
            Slot::Opaque(good) | Slot::Gone(good) => {
                vec![String::new(), "x".into(), format!("{good}="), NEVER.into()]
            }
            Slot::Entry => vec![String::new(), "x".repeat(1_025), "%C3%A4".repeat(513)],
            Slot::Prefix => vec!["x".repeat(1_025)],
        },
    };
    bad.extend(["%", "%f", "%zz", "%ff", "%00", "%ED%A0%80"].map(str::to_owned));
    bad
}

fn slot(operation: &Operation, param: &ParamDoc) -> Slot {
    let slot = slots::known(operation, ParamSlot::Query, param.name);
    slot.unwrap_or_else(|| panic!("register `{}` in tests/api/matrix/slots.rs", param.name))
}
