//! The bodies of the key-value operations.

use super::{EntryFilter, KEY_MAX, KeyFilter, WORD_MAX, check_value, violation_of};
use crate::body::{Body, Fields, Rules, Slot};
use crate::json::Json;
use crate::violation::{ViolationCode, Violations};

/// What is stored: `value` is required, and `null` is a value.
#[derive(Debug, Clone)]
pub struct PutEntry {
    /// `value`
    pub value: Json,
}

impl Body for PutEntry {
    /// What is only stored, as text, may have in it what would be refused elsewhere.
    const RAW_MEMBER: Option<&'static str> = Some("value");

    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let value = fields.required_or_null("value").unwrap_or_else(|| Json::of(&()));
        fields.with_violations(|violations| check_value(&value, violations));
        Self { value }
    }
}

/// Which entries are deleted: those to which all members apply. One of `userId`, `type` and
/// `keyPrefix` is required.
#[derive(Debug, Clone)]
pub struct BulkDelete {
    /// `userId`, `type`, `keyPrefix`
    pub filter: EntryFilter,
    /// `keepPermanent`; true by default.
    pub keep_permanent: bool,
}

impl Body for BulkDelete {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let is_filtered = ["userId", "type", "keyPrefix"].iter().any(|name| fields.has_value(name));
        let user_id = part(fields, "userId", (1, WORD_MAX));
        let entry_type = part(fields, "type", (1, WORD_MAX));
        let key_prefix = part(fields, "keyPrefix", (0, KEY_MAX));
        let keep_permanent = fields.optional("keepPermanent").unwrap_or(true);
        if !is_filtered {
            let message =
                "One of userId, type and keyPrefix is needed; an empty keyPrefix means all.";
            fields.with_violations(|violations| {
                violations.body("", ViolationCode::NoFilter, message);
            });
        }
        let key = key_prefix.map_or(KeyFilter::Any, KeyFilter::prefix);
        Self { filter: EntryFilter { user_id, entry_type, key }, keep_permanent }
    }
}

/// A member that is a part of an address, of so many bytes.
fn part(fields: &mut Fields<'_>, name: &str, (min, max): (usize, usize)) -> Option<String> {
    let text = fields.optional::<String>(name);
    fields.document_length(min, max);
    let violation = text.as_deref().filter(|text| text.len() >= min.max(1) || min > 0);
    if let Some((code, what)) = violation.and_then(|text| violation_of(text, max)) {
        fields.with_violations(|violations: &mut Violations| {
            Slot::member(name).violation(violations, code, what);
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(violations: &Violations) -> Vec<(&str, &str)> {
        violations
            .iter()
            .map(|violation| (violation.pointer.as_str(), violation.code.as_str()))
            .collect()
    }

    fn put(body: &str) -> Result<PutEntry, Violations> {
        PutEntry::parse(body.as_bytes(), &Rules::default())
    }

    fn bulk(body: &str) -> Result<BulkDelete, Violations> {
        BulkDelete::parse(body.as_bytes(), &Rules::default())
    }

    #[test]
    fn a_value_is_kept_as_it_came() {
        for value in [
            r#"{"b":1.10,"a":[1e400, 123456789012345678901234567890]}"#,
            "null",
            "\"\\u0000\\ud800\"",
            "\"\"",
            "0.0",
        ] {
            assert_eq!(put(&format!(r#"{{"value": {value} }}"#)).unwrap().value.as_str(), value);
        }
        assert_eq!(codes(&put("{}").unwrap_err()), [("/value", "missing_field")]);
        let violations = put(r#"{"value":{"a":1,"a":2},"more":1}"#).unwrap_err();
        assert_eq!(
            codes(&violations),
            [("/value/a", "duplicate_field"), ("/more", "unknown_field")]
        );
        let (fits, longer) = ("x".repeat(super::super::VALUE_MAX - 2), "x".repeat(1 << 20));
        assert!(put(&format!(r#"{{"value":"{fits}"}}"#)).is_ok());
        let violations = put(&format!(r#"{{"value":"{longer}"}}"#)).unwrap_err();
        assert_eq!(codes(&violations), [("/value", "too_long")]);
    }

    #[test]
    fn a_bulk_delete_says_what_it_means() {
        let all = bulk(r#"{"keyPrefix":""}"#).unwrap();
        assert_eq!((all.filter, all.keep_permanent), (EntryFilter::default(), true));
        let some = bulk(r#"{"userId":"u","type":"t","keyPrefix":"k","keepPermanent":false}"#);
        let some = some.unwrap();
        let (user_id, entry_type) = (Some("u".to_owned()), Some("t".to_owned()));
        let key = KeyFilter::Prefix("k".to_owned());
        assert_eq!(some.filter, EntryFilter { user_id, entry_type, key });
        assert!(!some.keep_permanent);
        assert_eq!(codes(&bulk(r#"{"userId":1}"#).unwrap_err()), [("/userId", "wrong_type")]);
        for none in ["{}", r#"{"userId":null}"#, r#"{"keepPermanent":false}"#] {
            assert_eq!(codes(&bulk(none).unwrap_err()), [("", "no_filter")]);
        }
        let violations = bulk(r#"{"userId":"","type":1,"keyPrefix":"a\u0000"}"#).unwrap_err();
        let expected =
            [("/keyPrefix", "bad_character"), ("/userId", "too_short"), ("/type", "wrong_type")];
        assert_eq!(codes(&violations), expected);
    }
}
