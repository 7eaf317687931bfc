//! What is added to the usage of a day.

use serde::Serialize;

use super::check::stand_in;
use crate::input::{Field, Fields, INTEGER_MAX, Input};
use crate::json::Number;
use crate::usage::{Day, UsageAmounts, UsageKey, UsageKind};

/// The largest number of seconds, and the highest cost: far more than there can be, but sums of them
/// stay numbers.
const AMOUNT_MAX: f64 = INTEGER_MAX as f64;

/// Usage to be added to that of a day, kind and model.
///
/// As a line: `day`, `kind` and `model` are required, and numbers that are missing are 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewUsage {
    /// `day`, `kind` and `model`.
    #[serde(flatten)]
    pub of: UsageKey,
    /// `requests`, `inputTokens`, `outputTokens`, `characters`: 0 to 2^53 − 1; `seconds` and `cost`:
    /// 0 to as much, with fractions.
    #[serde(flatten)]
    pub amounts: UsageAmounts,
}

impl Input for NewUsage {
    fn read(fields: &mut Fields<'_>) -> Self {
        let of = UsageKey {
            day: fields.required(Field::new("day")).unwrap_or(Day::FIRST),
            kind: fields.required(Field::new("kind")).unwrap_or(UsageKind::ChatCompletion),
            model: fields.required(Field::new("model").as_name()).unwrap_or_else(stand_in),
        };
        let amounts = UsageAmounts {
            requests: fields.optional(Field::new("requests")).unwrap_or_default(),
            input_tokens: fields.optional(Field::new("inputTokens")).unwrap_or_default(),
            output_tokens: fields.optional(Field::new("outputTokens")).unwrap_or_default(),
            characters: fields.optional(Field::new("characters")).unwrap_or_default(),
            seconds: amount(fields, "seconds"),
            cost: amount(fields, "cost"),
        };
        Self { of, amounts }
    }
}

fn amount(fields: &mut Fields<'_>, name: &'static str) -> f64 {
    let amount = fields.optional(Field::<Number>::new(name).range(0.0, AMOUNT_MAX));
    amount.unwrap_or_default().0
}
