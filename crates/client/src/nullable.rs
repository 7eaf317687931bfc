//! Fields that may be absent, `null` or a value: an `Option` in an `Option`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Reads a field that is there; one that is absent is `None` by default.
pub fn deserialize<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// Writes a field that is there; one that is absent is skipped.
pub fn serialize<S, T>(field: &Option<Option<T>>, serializer: S) -> Result<S::Ok, S::Error>
where
    S: Serializer,
    T: Serialize,
{
    field.as_ref().and_then(Option::as_ref).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::skill::UpdateSkill;

    #[test]
    fn absent_null_and_a_value_are_three_things() {
        for (description, body) in [
            (None, json!({})),
            (Some(None), json!({"description": null})),
            (Some(Some("a".to_owned())), json!({"description": "a"})),
        ] {
            let update = UpdateSkill { description, ..UpdateSkill::default() };
            assert_eq!(serde_json::to_value(&update).unwrap(), body);
            assert_eq!(serde_json::from_value::<UpdateSkill>(body).unwrap(), update);
        }
    }
}
