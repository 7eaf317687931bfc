//! What operations on MaxAge rules take.

use serde::Serialize;

use super::pattern::PATTERN_MAX;
use super::{KeyPattern, MaxAgeRule};
use crate::input::{Field, Fields, Input};
use crate::json::{Number, write_number};

/// A new rule; both members are required.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMaxAgeRule {
    /// `keyPattern`
    pub key_pattern: KeyPattern,
    /// `maxAgeSeconds`, more than 0.
    #[serde(serialize_with = "write_number")]
    pub max_age_seconds: f64,
}

impl Input for CreateMaxAgeRule {
    fn read(fields: &mut Fields<'_>) -> Self {
        let key_pattern = fields.required(key_pattern());
        let key_pattern = key_pattern.and_then(|text| KeyPattern::parse(&text));
        let max_age = fields.required(max_age_seconds()).unwrap_or_default();
        Self {
            key_pattern: key_pattern.unwrap_or_else(KeyPattern::any),
            max_age_seconds: max_age.0,
        }
    }
}

/// A partial update of a rule.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateMaxAgeRule {
    /// `keyPattern`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_pattern: Option<KeyPattern>,
    /// `maxAgeSeconds`, more than 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_seconds: Option<Number>,
}

impl Input for UpdateMaxAgeRule {
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.some_field();
        let key_pattern = fields.not_null(key_pattern());
        Self {
            key_pattern: key_pattern.and_then(|text| KeyPattern::parse(&text)),
            max_age_seconds: fields.not_null(max_age_seconds()),
        }
    }
}

impl UpdateMaxAgeRule {
    /// Changes the fields that this names.
    pub(super) fn apply(&self, rule: &mut MaxAgeRule) {
        if let Some(key_pattern) = &self.key_pattern {
            rule.key_pattern.clone_from(key_pattern);
        }
        if let Some(max_age_seconds) = self.max_age_seconds {
            rule.max_age_seconds = max_age_seconds.0;
        }
    }
}

fn key_pattern() -> Field<String> {
    let pattern = Field::new("keyPattern").documented_bytes(1, PATTERN_MAX);
    let description = "Which keys it applies to: `*` is any run of characters, `?` is one, and `\\` makes \
                   the next one stand for itself.";
    pattern.description(description).check(|text, check| {
        if let Some((code, what)) = KeyPattern::violation_of(text) {
            check.violation(code, what);
        }
    })
}

fn max_age_seconds() -> Field<Number> {
    Field::new("maxAgeSeconds")
        .positive()
        .description("How many seconds an entry stays that is neither read nor written.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{InputSettings, Valid};
    use crate::violation::{Violations, codes};

    fn create(body: &str) -> Result<Valid<CreateMaxAgeRule>, Violations> {
        CreateMaxAgeRule::parse(body.as_bytes(), &InputSettings::default())
    }

    fn update(body: &str) -> Result<Valid<UpdateMaxAgeRule>, Violations> {
        UpdateMaxAgeRule::parse(body.as_bytes(), &InputSettings::default())
    }

    #[test]
    fn a_rule_needs_both_members() {
        let rule = create(r#"{"keyPattern":" a*","maxAgeSeconds":1.5e-1}"#).unwrap();
        assert_eq!((rule.key_pattern.as_str(), rule.max_age_seconds), (" a*", 0.15));
        let expected = [("/keyPattern", "missing_field"), ("/maxAgeSeconds", "missing_field")];
        for body in ["{}", r#"{"keyPattern":null,"maxAgeSeconds":null}"#] {
            assert_eq!(codes(&create(body).unwrap_err()), expected);
        }
    }

    #[test]
    fn an_update_names_what_it_changes() {
        let rule = update(r#"{"maxAgeSeconds":1e300}"#).unwrap();
        assert_eq!((&rule.key_pattern, rule.max_age_seconds), (&None, Some(Number(1e300))));
        assert_eq!(codes(&update("{}").unwrap_err()), [("", "no_fields")]);
        let nulls = update(r#"{"keyPattern":null,"maxAgeSeconds":null}"#).unwrap_err();
        assert_eq!(codes(&nulls), [("/keyPattern", "null"), ("/maxAgeSeconds", "null")]);
    }

    #[test]
    fn every_violation_is_reported_in_creates_and_updates() {
        for (pattern, seconds, expected) in [
            ("\"\"", "0", ("too_short", "out_of_range")),
            ("\"\\\\\"", "-0.0", ("bad_format", "out_of_range")),
            ("\"\\u0000\"", "-1", ("bad_character", "out_of_range")),
            ("1", "1e999", ("wrong_type", "out_of_range")),
            ("[]", "1e-999", ("wrong_type", "out_of_range")),
            ("true", "\"1\"", ("wrong_type", "wrong_type")),
        ] {
            let body = format!(r#"{{"keyPattern":{pattern},"maxAgeSeconds":{seconds},"a":1}}"#);
            let expected = [
                ("/keyPattern", expected.0),
                ("/maxAgeSeconds", expected.1),
                ("/a", "unknown_field"),
            ];
            let sorted = |violations: Violations| {
                let mut codes: Vec<_> = codes(&violations)
                    .into_iter()
                    .map(|(at, code)| format!("{at} {code}"))
                    .collect();
                codes.sort();
                codes
            };
            let mut expected = expected.map(|(at, code)| format!("{at} {code}"));
            expected.sort();
            assert_eq!(sorted(create(&body).unwrap_err()), expected);
            assert_eq!(sorted(update(&body).unwrap_err()), expected);
        }
    }
}
