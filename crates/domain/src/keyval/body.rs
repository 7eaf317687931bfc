//! What operations on key-value entries take.

use serde::Serialize;

use super::{EntryFilter, KEY_MAX, KeyFilter, WORD_MAX, violation_of};
use crate::input::{Field, Fields, Input};
use crate::json::Json;
use crate::violation::ViolationCode;

/// What is stored: `value` is required, and `null` is a value.
#[derive(Debug, Clone, Serialize)]
pub struct PutEntry {
    /// `value`: at most 1 MiB of JSON.
    pub value: Json,
}

impl Input for PutEntry {
    /// What is only stored, as text, may have in it what would be refused elsewhere.
    const RAW_MEMBER: Option<&'static str> = Some("value");

    fn read(fields: &mut Fields<'_>) -> Self {
        let value = fields.required_or_null(value_field());
        Self { value: value.unwrap_or_else(|| Json::of(&())) }
    }
}

/// The value of an entry.
pub(crate) fn value_field() -> Field<Json> {
    Field::new("value").at_most_1_mib().description("What is stored: at most 1 MiB of JSON.")
}

/// A part of an entry's address, or the beginning of one, of so many bytes.
pub(crate) fn part_field(name: &'static str, (min, max): (usize, usize)) -> Field<String> {
    Field::new(name).documented_bytes(min, max).check(|text, check| {
        let (min, max) = check.bounds_of_length();
        let found = violation_of(text, max).filter(|_| min > 0 || !text.is_empty());
        if let Some((code, what)) = found {
            check.violation(code, what);
        }
    })
}

/// Which entries are deleted: those to which all members apply. One of `userId`, `type` and
/// `keyPrefix` is required.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BulkDelete {
    /// `userId`
    pub user_id: Option<String>,
    /// `type`
    #[serde(rename = "type")]
    pub entry_type: Option<String>,
    /// `keyPrefix`; all keys begin with an empty one.
    pub key_prefix: Option<String>,
    /// `keepPermanent`; true by default.
    pub keep_permanent: bool,
}

impl Input for BulkDelete {
    fn read(fields: &mut Fields<'_>) -> Self {
        let is_filtered = ["userId", "type", "keyPrefix"].iter().any(|name| fields.has_value(name));
        let delete = Self {
            user_id: fields.optional(
                part_field("userId", (1, WORD_MAX)).description("Only entries of this userId."),
            ),
            entry_type: fields.optional(
                part_field("type", (1, WORD_MAX)).description("Only entries of this type."),
            ),
            key_prefix: fields.optional(part_field("keyPrefix", (0, KEY_MAX)).description(
                "Only entries with a key that begins so; all keys do if it is empty.",
            )),
            keep_permanent: fields
                .optional(
                    Field::new("keepPermanent")
                        .default(true)
                        .description("Whether entries with a key that begins with `!` are kept."),
                )
                .unwrap_or(true),
        };
        fields.documented_member();
        if !is_filtered {
            let message =
                "One of userId, type and keyPrefix is needed; an empty keyPrefix means all.";
            fields.violation_of_all(ViolationCode::NoFilter, message);
        }
        delete
    }
}

impl BulkDelete {
    /// Which entries it means.
    #[must_use]
    pub fn filter(&self) -> EntryFilter {
        let key = self.key_prefix.clone().map_or(KeyFilter::Any, KeyFilter::prefix);
        EntryFilter { user_id: self.user_id.clone(), entry_type: self.entry_type.clone(), key }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{InputSettings, Valid};
    use crate::text::LONG_TEXT_MAX;
    use crate::violation::{Violations, codes};

    fn put(body: &str) -> Result<Valid<PutEntry>, Violations> {
        PutEntry::parse(body.as_bytes(), &InputSettings::default())
    }

    fn bulk(body: &str) -> Result<Valid<BulkDelete>, Violations> {
        BulkDelete::parse(body.as_bytes(), &InputSettings::default())
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
        let (fits, longer) = ("x".repeat(LONG_TEXT_MAX - 2), "x".repeat(LONG_TEXT_MAX));
        assert!(put(&format!(r#"{{"value":"{fits}"}}"#)).is_ok());
        let violations = put(&format!(r#"{{"value":"{longer}"}}"#)).unwrap_err();
        assert_eq!(codes(&violations), [("/value", "too_long")]);
    }

    #[test]
    fn a_bulk_delete_says_what_it_means() {
        let all = bulk(r#"{"keyPrefix":""}"#).unwrap();
        assert_eq!((all.filter(), all.keep_permanent), (EntryFilter::default(), true));
        let some = bulk(r#"{"userId":"u","type":"t","keyPrefix":"k","keepPermanent":false}"#);
        let some = some.unwrap();
        let (user_id, entry_type) = (Some("u".to_owned()), Some("t".to_owned()));
        let key = KeyFilter::Prefix("k".to_owned());
        assert_eq!(some.filter(), EntryFilter { user_id, entry_type, key });
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
