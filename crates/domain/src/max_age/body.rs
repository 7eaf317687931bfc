//! The bodies of the operations on MaxAge rules.

use super::KeyPattern;
use super::pattern::PATTERN_MAX;
use crate::body::{Body, Fields, Rules, Slot};
use crate::violation::ViolationCode;

/// A new rule; both members are required.
#[derive(Debug, Clone)]
pub struct CreateMaxAgeRule {
    /// `keyPattern`
    pub key_pattern: KeyPattern,
    /// `maxAgeSeconds`, more than 0.
    pub max_age_seconds: f64,
}

impl Body for CreateMaxAgeRule {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let given = fields.required("keyPattern");
        let key_pattern = pattern(fields, given).unwrap_or_else(KeyPattern::any);
        let given = fields.required("maxAgeSeconds");
        let max_age_seconds = seconds(fields, given).unwrap_or_default();
        Self { key_pattern, max_age_seconds }
    }
}

/// A partial update of a rule.
#[derive(Debug, Clone)]
pub struct UpdateMaxAgeRule {
    /// `keyPattern`
    pub key_pattern: Option<KeyPattern>,
    /// `maxAgeSeconds`, more than 0.
    pub max_age_seconds: Option<f64>,
}

impl Body for UpdateMaxAgeRule {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        fields.some_field();
        let given = fields.not_null("keyPattern");
        let key_pattern = pattern(fields, given);
        let given = fields.not_null("maxAgeSeconds");
        let max_age_seconds = seconds(fields, given);
        Self { key_pattern, max_age_seconds }
    }
}

fn pattern(fields: &mut Fields<'_>, given: Option<String>) -> Option<KeyPattern> {
    fields.document_length(1, PATTERN_MAX);
    let text = given?;
    if let Some((code, what)) = KeyPattern::violation_of(&text) {
        fields.with_violations(|violations| {
            Slot::member("keyPattern").violation(violations, code, what);
        });
    }
    KeyPattern::parse(&text)
}

fn seconds(fields: &mut Fields<'_>, given: Option<f64>) -> Option<f64> {
    fields.document_above(0.0);
    let seconds = given?;
    if seconds <= 0.0 {
        let (slot, what) = (Slot::member("maxAgeSeconds"), "must be more than 0");
        fields.with_violations(|violations| {
            slot.violation(violations, ViolationCode::OutOfRange, what);
        });
    }
    Some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::Violations;

    fn codes(violations: &Violations) -> Vec<(&str, &str)> {
        violations
            .iter()
            .map(|violation| (violation.pointer.as_str(), violation.code.as_str()))
            .collect()
    }

    fn create(body: &str) -> Result<CreateMaxAgeRule, Violations> {
        CreateMaxAgeRule::parse(body.as_bytes(), &Rules::default())
    }

    fn update(body: &str) -> Result<UpdateMaxAgeRule, Violations> {
        UpdateMaxAgeRule::parse(body.as_bytes(), &Rules::default())
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
        assert_eq!((rule.key_pattern, rule.max_age_seconds), (None, Some(1e300)));
        assert_eq!(codes(&update("{}").unwrap_err()), [("", "no_fields")]);
        let nulls = update(r#"{"keyPattern":null,"maxAgeSeconds":null}"#).unwrap_err();
        assert_eq!(codes(&nulls), [("/keyPattern", "null"), ("/maxAgeSeconds", "null")]);
    }

    #[test]
    fn every_violation_is_told_in_creates_and_updates() {
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
