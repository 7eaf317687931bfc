//! The kinds of values: how each is written, and what the code gets for it.
//!
//! A kind is a type that implements [`Scalar`]. Where the type of the value says enough
//! (`Duration`, `SocketAddr`, `u32`), it is its own kind; where it does not, the kind is a name for
//! a way of writing (`Size` gives a `usize`, `HeaderName` a `String`). [`Positive`], [`Optional`]
//! and [`List`] change another kind.

mod blob_url;
mod database_url;
mod duration;
mod network;
mod number;
mod text;
mod web;

use std::marker::PhantomData;

use super::value::RawValue;

pub use blob_url::BlobUrl;
pub use database_url::DatabaseUrl;
pub use duration::parse_duration;
pub use number::Size;
pub use text::{HeaderName, LogFilter, LogFormat, ModelSource, PackageType};
pub use web::{CollectorUrl, Origin, PublicUrl, UserAgent};

/// How the values of a kind are written; for the help, the documents and the messages.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// What such a value is called.
    pub noun: &'static str,
    /// How it is written, as it continues "write …".
    pub spelling: &'static str,
    /// What stands for it in the help of the command line.
    pub placeholder: &'static str,
    /// What restricts or widens it.
    pub remark: &'static str,
    /// Whether there can be several.
    pub list: bool,
    /// Whether it can hold a password, so that it is neither shown whole nor quoted in a message.
    pub credentials: bool,
}

impl Shape {
    /// A single value that holds no secret.
    pub const fn new(
        noun: &'static str,
        spelling: &'static str,
        placeholder: &'static str,
    ) -> Self {
        Self { noun, spelling, placeholder, remark: "", list: false, credentials: false }
    }

    /// A complaint about a text that is nothing of this kind.
    pub fn mismatch(&self) -> String {
        format!("is no {}; write {}", self.noun, self.spelling)
    }

    /// The sentence about a text, without the text where it could hold a password.
    fn complaint(&self, text: &str, reason: &str) -> String {
        if self.credentials { format!("this {reason}") } else { format!("\"{text}\" {reason}") }
    }
}

/// A kind whose values are written as one text.
pub trait Scalar {
    /// What the code gets.
    type Value;
    /// How it is written.
    const SHAPE: Shape;
    /// Reads a value. The complaint continues a sentence that begins with the text, such as
    /// `is no size; write …` ([`Shape::mismatch`]).
    fn read(text: &str) -> Result<Self::Value, String>;
}

/// What a setting can hold: one value or a list of them.
pub trait SettingKind {
    /// What the code gets.
    type Value;
    /// How it is written.
    const SHAPE: Shape;
    /// Reads what a source gave. The complaint is a sentence of its own.
    fn read(given: &RawValue) -> Result<Self::Value, String>;
}

impl<S: Scalar> SettingKind for S {
    type Value = S::Value;
    const SHAPE: Shape = S::SHAPE;

    fn read(given: &RawValue) -> Result<Self::Value, String> {
        match given {
            RawValue::Text(text) => {
                S::read(text).map_err(|reason| S::SHAPE.complaint(text, &reason))
            }
            RawValue::List(_) => Err(format!("a list {}", S::SHAPE.mismatch())),
        }
    }
}

/// Any number of values.
pub struct List<S>(PhantomData<S>);

impl<S: Scalar> SettingKind for List<S> {
    type Value = Vec<S::Value>;
    const SHAPE: Shape = Shape { list: true, ..S::SHAPE };

    fn read(given: &RawValue) -> Result<Self::Value, String> {
        let read =
            |text: &String| S::read(text).map_err(|reason| S::SHAPE.complaint(text, &reason));
        match given {
            RawValue::Text(text) => {
                let reason = format!("is no list; write [\"{text}\"]");
                Err(S::SHAPE.complaint(text, &reason))
            }
            RawValue::List(texts) => texts.iter().map(read).collect(),
        }
    }
}

/// A value that may be left empty.
pub struct Optional<S>(PhantomData<S>);

impl<S: Scalar> Scalar for Optional<S> {
    type Value = Option<S::Value>;
    const SHAPE: Shape = Shape { remark: "may be empty", ..S::SHAPE };

    fn read(text: &str) -> Result<Self::Value, String> {
        if text.is_empty() {
            return Ok(None);
        }
        S::read(text).map(Some)
    }
}

/// A value that must not be nought.
pub struct Positive<S>(PhantomData<S>);

impl<S: Scalar<Value: Default + PartialEq>> Scalar for Positive<S> {
    type Value = S::Value;
    const SHAPE: Shape = Shape { remark: "more than 0", ..S::SHAPE };

    fn read(text: &str) -> Result<Self::Value, String> {
        let value = S::read(text)?;
        if value == S::Value::default() {
            return Err("is too small; it must be more than 0".to_owned());
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> RawValue {
        RawValue::Text(text.to_owned())
    }

    fn list(texts: &[&str]) -> RawValue {
        RawValue::List(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn a_list_names_the_element_that_does_not_fit() {
        assert!(List::<u32>::read(&list(&[])).unwrap().is_empty());
        assert_eq!(List::<u32>::read(&list(&["1", "2"])).unwrap(), [1, 2]);
        let complaint = List::<u32>::read(&list(&["1", "x"])).unwrap_err();
        assert!(complaint.starts_with("\"x\" is no whole number"), "{complaint}");
        let complaint = List::<u32>::read(&text("1")).unwrap_err();
        assert_eq!(complaint, "\"1\" is no list; write [\"1\"]");
    }

    #[test]
    fn a_single_value_is_no_list() {
        let complaint = <u32 as SettingKind>::read(&list(&["1"])).unwrap_err();
        assert!(complaint.starts_with("a list is no whole number"), "{complaint}");
    }

    #[test]
    fn only_an_optional_value_may_be_empty() {
        assert_eq!(<Optional<u32> as Scalar>::read(""), Ok(None));
        assert_eq!(<Optional<u32> as Scalar>::read("7"), Ok(Some(7)));
        assert!(<Optional<u32> as Scalar>::read("x").is_err());
        assert!(<u32 as Scalar>::read("").is_err());
    }

    #[test]
    fn a_positive_value_is_not_nought() {
        assert_eq!(<Positive<u32> as Scalar>::read("1"), Ok(1));
        assert!(<Positive<u32> as Scalar>::read("0").is_err());
        assert!(<Positive<Size> as Scalar>::read("0KiB").is_err());
        assert!(<Positive<std::time::Duration> as Scalar>::read("0s").is_err());
    }
}
