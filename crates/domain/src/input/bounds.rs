//! What a value must keep to beside its type, for the API document.

use crate::text::LONG_TEXT_MAX;

/// The bounds of a member as the API document states them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bounds {
    /// The least and the greatest number.
    pub range: Option<(f64, f64)>,
    /// What every number is greater than.
    pub above: Option<f64>,
    /// How long a text, or each text of a list, is at least and at most.
    pub length: Option<(usize, usize)>,
    /// The regular expression that a text matches.
    pub pattern: Option<&'static str>,
    /// Whether lengths count bytes (of UTF-8) instead of characters.
    pub in_bytes: bool,
    /// How many items a list has at least and at most.
    pub items: Option<(usize, usize)>,
    /// Whether each item of a list stands in it once.
    pub unique_items: bool,
}

impl Bounds {
    /// No bound at all.
    pub(super) const NONE: Self = Self {
        range: None,
        above: None,
        length: None,
        pattern: None,
        in_bytes: false,
        items: None,
        unique_items: false,
    };

    /// Those of a text that has none of its own. The limit is one of bytes, and no text has more
    /// characters than bytes.
    pub(super) const TEXT: Self =
        Self { length: Some((0, LONG_TEXT_MAX)), in_bytes: true, ..Self::NONE };
}
