//! What a field demands of its value beside the type.

use std::fmt;

use serde_json::Value;
use validator::{ValidateLength as _, ValidateRange as _};

use super::InputSettings;
use super::bounds::Bounds;
use super::value::{FieldValue, ValueLocation};
use crate::json::{Json, Number};
use crate::text::{LONG_TEXT_MAX, NAME_MAX, violation_of_name};
use crate::violation::{ViolationCode, Violations};

/// A check of the readable texts in a list, each with its index.
type ItemsCheck = fn(&[(usize, String)], &mut Check<'_>);

/// A field of an input: its name on the wire, and what it demands of a value of its type. It is built
/// before it is read: `Field::new("description").at_most(10_000)`.
pub struct Field<T> {
    pub(super) name: &'static str,
    pub(super) bounds: Bounds,
    pub(super) allowed_values: Option<fn(&InputSettings) -> [&str; 2]>,
    pub(super) description: &'static str,
    pub(super) default: Option<Value>,
    normalize: Option<fn(T) -> T>,
    checks: Vec<fn(&T, &mut Check<'_>)>,
    check_items: Option<ItemsCheck>,
}

/// Where a check says what is wrong with a value.
pub struct Check<'a> {
    location: ValueLocation<'a>,
    bounds: Bounds,
    allowed_values: Option<fn(&InputSettings) -> [&str; 2]>,
    settings: &'a InputSettings,
    violations: &'a mut Violations,
}

impl Check<'_> {
    /// Adds a violation; the sentence goes on after the name of the field.
    pub fn violation(&mut self, code: ViolationCode, what: impl fmt::Display) {
        self.location.violation(self.violations, code, what);
    }

    /// Adds a violation of one item of a list.
    pub fn violation_of_item(
        &mut self,
        index: usize,
        code: ViolationCode,
        what: impl fmt::Display,
    ) {
        self.location.item(index).violation(self.violations, code, what);
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &InputSettings {
        self.settings
    }

    /// How long the text may be at least and at most, as the field documents it.
    pub(crate) fn bounds_of_length(&self) -> (usize, usize) {
        self.bounds.length.unwrap_or((0, usize::MAX))
    }

    /// Checks that a text has at most as many characters as the field's bounds say.
    pub(crate) fn length(&mut self, text: &str) {
        let max = self.bounds.length.map(|(_, max)| max);
        if let Some(max) = max
            && !text.validate_length(None, Some(max as u64), None)
        {
            let what = format_args!("must have at most {max} characters");
            self.violation(ViolationCode::TooLong, what);
        }
    }

    /// Checks that a number lies in the range that the field's bounds say.
    fn range(&mut self, number: f64) {
        if let Some((min, max)) = self.bounds.range
            && !number.validate_range(Some(min), Some(max), None, None)
        {
            let what = format_args!("must lie between {min} and {max}");
            self.violation(ViolationCode::OutOfRange, what);
        }
    }
}

impl<T: FieldValue> Field<T> {
    /// A field that takes every value of its type.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        let bounds = T::BOUNDS;
        Self {
            name,
            bounds,
            allowed_values: None,
            description: "",
            default: None,
            normalize: None,
            checks: Vec::new(),
            check_items: None,
        }
    }

    /// Says what the field means, as a sentence, for the API document.
    #[must_use]
    pub fn description(self, description: &'static str) -> Self {
        Self { description, ..self }
    }

    /// Says what holds where the field is left out, for the API document; nothing for `null`.
    #[must_use]
    pub fn default(self, default: impl Into<Value>) -> Self {
        Self { default: Some(default.into()).filter(|default| !default.is_null()), ..self }
    }

    /// Adds a check; each of them looks at every value.
    #[must_use]
    pub fn check(mut self, check: fn(&T, &mut Check<'_>)) -> Self {
        self.checks.push(check);
        self
    }

    /// Reads the value from its text; none, and what is wrong with it among the violations, if it is not
    /// valid. Items of a list are checked also where others can't be read.
    pub(super) fn read(
        &self,
        raw: &str,
        settings: &InputSettings,
        violations: &mut Violations,
    ) -> Option<T> {
        let before = violations.total();
        let value = T::read(raw, ValueLocation::member(self.name), violations);
        if let Some(check_items) = self.check_items {
            check_items(&T::readable_texts(raw), &mut self.checking(settings, violations));
        }
        let value = self.accept(value?, settings, violations)?;
        (violations.total() == before).then_some(value)
    }

    const fn checking<'a>(
        &self,
        settings: &'a InputSettings,
        violations: &'a mut Violations,
    ) -> Check<'a> {
        let location = ValueLocation::member(self.name);
        let (bounds, allowed_values) = (self.bounds, self.allowed_values);
        Check { location, bounds, allowed_values, settings, violations }
    }

    /// The value as it is kept; none, and what is wrong with it among the violations, if a check refuses it.
    fn accept(&self, value: T, settings: &InputSettings, violations: &mut Violations) -> Option<T> {
        let before = violations.total();
        let value = match self.normalize {
            Some(normalize) => normalize(value),
            None => value,
        };
        for check in &self.checks {
            check(&value, &mut self.checking(settings, violations));
        }
        (violations.total() == before).then_some(value)
    }
}

impl Field<String> {
    /// Documents that the text has so many characters, which is not checked: add a [`Self::check`].
    #[must_use]
    pub fn documented_length(self, min: usize, max: usize) -> Self {
        let bounds = Bounds { length: Some((min, max)), in_bytes: false, ..self.bounds };
        Self { bounds, ..self }
    }

    /// Documents that the text has so many bytes, which is not checked: add a [`Self::check`].
    #[must_use]
    pub fn documented_bytes(self, min: usize, max: usize) -> Self {
        let bounds = Bounds { length: Some((min, max)), in_bytes: true, ..self.bounds };
        Self { bounds, ..self }
    }

    /// A text of at most so many characters.
    #[must_use]
    pub fn at_most(self, max: usize) -> Self {
        self.documented_length(0, max).check(|text, check| check.length(text))
    }

    /// A name or title: 1 to 200 characters, kept without the blanks around it.
    #[must_use]
    pub fn as_name(self) -> Self {
        let name = self.documented_length(1, NAME_MAX).check(|name, check| {
            if let Some((code, what)) = violation_of_name(name) {
                check.violation(code, what);
            }
        });
        Self { normalize: Some(|name: String| name.trim().to_owned()), ..name }
    }

    /// Documents the regular expression of JSON Schema that the text matches, and how many characters it has. Neither
    /// is checked: add a [`Self::check`].
    #[must_use]
    pub fn documented_pattern(self, pattern: &'static str, (min, max): (usize, usize)) -> Self {
        let field = self.documented_length(min, max);
        let bounds = Bounds { pattern: Some(pattern), ..field.bounds };
        Self { bounds, ..field }
    }

    /// A text that is one of two words of the settings.
    #[must_use]
    pub fn one_of(self, words: fn(&InputSettings) -> [&str; 2]) -> Self {
        Self { allowed_values: Some(words), ..self }.check(|text, check| {
            let words = check.allowed_values.map_or([""; 2], |words| words(check.settings));
            if !words.contains(&text.as_str()) {
                check.location.not_allowed(check.violations, &words);
            }
        })
    }
}

impl Field<Json> {
    /// A value of at most 1 MiB of JSON.
    #[must_use]
    pub fn at_most_1_mib(self) -> Self {
        self.check(|value, check| {
            if value.as_str().len() > LONG_TEXT_MAX {
                check.violation(ViolationCode::TooLong, "must take at most 1 MiB of JSON");
            }
        })
    }
}

impl Field<Number> {
    /// A number of this range, both ends included.
    #[must_use]
    pub fn range(self, min: f64, max: f64) -> Self {
        let bounds = Bounds { range: Some((min, max)), ..self.bounds };
        Self { bounds, ..self }.check(|number, check| check.range(number.0))
    }

    /// A number that is greater than 0.
    #[must_use]
    pub fn positive(self) -> Self {
        let bounds = Bounds { above: Some(0.0), ..self.bounds };
        Self { bounds, ..self }.check(|number, check| {
            if number.0 <= 0.0 {
                check.violation(ViolationCode::OutOfRange, "must be more than 0");
            }
        })
    }
}

impl Field<u64> {
    /// A number of this range, both ends included.
    #[must_use]
    pub fn range(self, min: u32, max: u32) -> Self {
        let bounds = Bounds { range: Some((min.into(), max.into())), ..self.bounds };
        #[expect(clippy::cast_precision_loss, reason = "no number is read that is not exact")]
        Self { bounds, ..self }.check(|number, check| check.range(*number as f64))
    }
}

impl Field<Vec<String>> {
    /// Documents how many characters each item has, which is not checked: add a [`Self::check`].
    #[must_use]
    pub fn documented_item_length(self, min: usize, max: usize) -> Self {
        let bounds = Bounds { length: Some((min, max)), in_bytes: false, ..self.bounds };
        Self { bounds, ..self }
    }

    /// Documents that no item stands in the list twice, which is not checked: add a [`Self::check`].
    #[must_use]
    pub fn documented_unique(self) -> Self {
        let bounds = Bounds { unique_items: true, ..self.bounds };
        Self { bounds, ..self }
    }

    /// Checks the items, each with its index; those that are no texts are left out, and are violations anyway.
    #[must_use]
    pub fn check_items(self, check: ItemsCheck) -> Self {
        Self { check_items: Some(check), ..self }
    }

    /// A list with at least one item and at most so many.
    #[must_use]
    pub fn some_items(self, max: usize) -> Self {
        let bounds = Bounds { items: Some((1, max)), ..self.bounds };
        Self { bounds, ..self }.check(|items, check| {
            let max = check.bounds.items.map_or(usize::MAX, |(_, max)| max);
            if items.is_empty() {
                check.violation(ViolationCode::TooShort, "must have at least one item");
            } else if items.len() > max {
                let what = format_args!("must have at most {max} items");
                check.violation(ViolationCode::TooManyItems, what);
            }
        })
    }
}
