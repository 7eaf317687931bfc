//! Members whose names a resource leaves open: the metadata of a Fusion-View. They are kept as they
//! came: in their order, numbers as they were written.

use std::collections::HashMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::changelog::FieldChange;
use crate::error::DomainError;
use crate::json::Json;
use crate::violation::ViolationCode;

/// How many bytes of JSON they take in all at most: 64 KiB.
pub const FREE_FIELDS_MAX: usize = 64 << 10;

/// Free members in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FreeFields(Vec<(String, Json)>);

/// What a request says of free members: a new value, or `None` to remove the member.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FreeFieldsPatch(pub Vec<(String, Option<Json>)>);

impl FreeFieldsPatch {
    /// The members that get a value.
    pub(crate) fn into_values(self) -> impl Iterator<Item = (String, Json)> {
        self.0.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}

impl Serialize for FreeFieldsPatch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl FreeFields {
    /// These members, none of which has the name of another.
    pub(crate) fn of(members: impl IntoIterator<Item = (String, Json)>) -> Self {
        Self(members.into_iter().collect())
    }

    /// The members.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Changes members as the patch says; new ones come last. Returns what differs then.
    ///
    /// # Errors
    /// [`DomainError::BodyTooLarge`] if the new values alone take more than [`FREE_FIELDS_MAX`],
    /// [`DomainError::Invalid`] if all members together would.
    pub fn apply(&mut self, patch: &FreeFieldsPatch) -> Result<Vec<FieldChange>, DomainError> {
        let mut changes = Vec::new();
        // Members that go stay in their place until the end, so that the places of others stay right.
        let members = std::mem::take(&mut self.0).into_iter();
        let mut members: Vec<_> = members.map(|(name, value)| (name, Some(value))).collect();
        let names = members.iter().enumerate().map(|(at, (name, _))| (name.clone(), at));
        let places: HashMap<String, usize> = names.collect();
        for (name, value) in &patch.0 {
            let known = places.get(name).and_then(|at| members.get_mut(*at));
            let before = known.as_ref().and_then(|(_, before)| before.clone());
            changes.extend(FieldChange::between(name, &before, value));
            match known {
                Some((_, old)) => old.clone_from(value),
                None => members.push((name.clone(), value.clone())),
            }
        }
        self.0 = members.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        if self.is_too_large() {
            if Self::of(patch.clone().into_values()).is_too_large() {
                return Err(DomainError::BodyTooLarge(FREE_FIELDS_MAX as u64));
            }
            let message = "The free fields take at most 64 KiB of JSON in all.";
            return Err(DomainError::invalid("", ViolationCode::TooLong, message));
        }
        Ok(changes)
    }

    /// How many bytes of JSON they take.
    #[must_use]
    pub fn size(&self) -> usize {
        Json::of(self).as_str().len()
    }

    fn is_too_large(&self) -> bool {
        self.size() > FREE_FIELDS_MAX
    }
}

impl Serialize for FreeFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for FreeFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = FreeFields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(FreeFields(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str) -> FreeFields {
        serde_json::from_str(text).unwrap()
    }

    fn patch(members: &[(&str, Option<&str>)]) -> FreeFieldsPatch {
        let json = |text: &str| Json::parse_text(text).unwrap();
        let members = members.iter().map(|(name, value)| ((*name).to_owned(), value.map(json)));
        FreeFieldsPatch(members.collect())
    }

    #[test]
    fn members_keep_their_order_and_their_spelling() {
        let text = r#"{"b":1.10,"a":{"z":[],"y":123456789012345678901234567890},"":"ä"}"#;
        assert_eq!(serde_json::to_string(&fields(text)).unwrap(), text);
    }

    #[test]
    fn a_patch_replaces_removes_and_appends() {
        let mut free = fields(r#"{"b":1,"a":2,"c":3}"#);
        let given =
            [("a", Some("20")), ("b", None), ("d", Some("[]")), ("e", None), ("c", Some("3"))];
        let changes = free.apply(&patch(&given)).unwrap();
        assert_eq!(free, fields(r#"{"a":20,"c":3,"d":[]}"#));
        let changed: Vec<_> = changes.iter().map(|change| change.field.as_str()).collect();
        assert_eq!(changed, ["a", "b", "d"]);
    }

    #[test]
    fn they_are_bounded_as_a_whole() {
        let mut free = fields(r#"{"a":1}"#);
        let value = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
        let fits = value(FREE_FIELDS_MAX - r#"{"a":1,"b":}"#.len());
        assert!(free.clone().apply(&patch(&[("b", Some(&fits))])).is_ok());
        let longer = value(fits.len() + 1);
        let error = free.clone().apply(&patch(&[("b", Some(&longer))])).unwrap_err();
        assert!(matches!(error, DomainError::Invalid(_)));
        let alone = value(FREE_FIELDS_MAX);
        let error = free.apply(&patch(&[("b", Some(&alone))])).unwrap_err();
        assert_eq!(error, DomainError::BodyTooLarge(FREE_FIELDS_MAX as u64));
    }
}
