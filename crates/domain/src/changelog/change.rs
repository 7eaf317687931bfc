//! How one field changed, in a form that is safe to keep and to show.

use serde::Serialize;

use crate::json::{Json, takes_at_most};
use crate::text;

/// Longer values are cut.
const VALUE_MAX: usize = 2_000;

/// What a value reads as that the changelog does not show, before and after.
const MASK: &str = "***";

/// One field before and after a change. Values over 2 000 characters are cut and marked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldChange {
    /// The field's name on the wire.
    pub field: String,
    /// Its value before; `null` for never set.
    pub from: Json,
    /// Its value after; `null` for never set.
    pub to: Json,
}

impl FieldChange {
    /// The change of a field.
    #[must_use]
    pub fn new(field: &str, from: &impl Serialize, to: &impl Serialize) -> Self {
        Self { field: field.to_owned(), from: shown(from), to: shown(to) }
    }

    /// The change of a field, if it is one.
    #[must_use]
    pub fn between<T: PartialEq + Serialize>(field: &str, from: &T, to: &T) -> Option<Self> {
        (from != to).then(|| Self::new(field, from, to))
    }

    /// The change of a field whose value the changelog must not show.
    #[must_use]
    pub fn secret<T>(field: &str, from: Option<&T>, to: Option<&T>) -> Self {
        Self { field: field.to_owned(), from: mask(from.is_some()), to: mask(to.is_some()) }
    }

    /// The same without its values: only whether there was one, and whether there is one.
    #[must_use]
    pub fn masked(&self) -> Self {
        let null = Json::of(&None::<()>);
        let (from, to) = (mask(self.from != null), mask(self.to != null));
        Self { field: self.field.clone(), from, to }
    }
}

fn mask(is_set: bool) -> Json {
    Json::of(&is_set.then_some(MASK))
}

fn shown(value: &impl Serialize) -> Json {
    // A text of n characters takes at least n bytes of JSON, so most values are measured at once.
    if takes_at_most(VALUE_MAX, value) {
        return Json::of(value);
    }
    let text = match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(_) | Err(_) => Json::of(value).as_str().to_owned(),
    };
    let length = text.chars().count();
    if length <= VALUE_MAX {
        return Json::of(value);
    }
    Json::of(&format!("{}… (cut, {length} characters)", text::beginning(&text, VALUE_MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut_and_marked() {
        let kept = "ä".repeat(2_000);
        let change = FieldChange::new("description", &kept, &"ä".repeat(2_001));
        assert_eq!(change.from, Json::of(&kept));
        assert_eq!(change.to, Json::of(&format!("{kept}… (cut, 2001 characters)")));
        let list = vec!["0123456789"; 200];
        let cut = FieldChange::new("tagList", &list, &list).to.parse::<String>().unwrap();
        assert!(cut.starts_with("[\"0123456789\",") && cut.ends_with("… (cut, 2601 characters)"));
    }

    #[test]
    fn secrets_are_only_distinguished_from_nothing() {
        let change = FieldChange::secret("botPassword", None, Some(&"geheim"));
        assert_eq!((change.from.as_str(), change.to.as_str()), ("null", "\"***\""));
    }

    #[test]
    fn a_masked_change_says_only_whether_there_is_a_value() {
        let change = FieldChange::new("team", &"red", &None::<()>).masked();
        assert_eq!(change, FieldChange::secret("team", Some(&()), None));
        let both = FieldChange::new("team", &"red", &false).masked();
        assert_eq!((both.from.as_str(), both.to.as_str()), ("\"***\"", "\"***\""));
    }
}
