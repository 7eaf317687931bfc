//! What operations take: JSON of a client, or a value of a program that embeds this crate.
//!
//! A type implements [`Input`] by reading each of its fields from [`Fields`], where a [`Field`] says
//! what a value must be. All violations are collected. The same reading, of no input at all, describes
//! the fields for the API document, so that none can be read and not be documented.
//!
//! There is one way to a [`Valid`] input. A value of a program is written as the JSON that a client
//! would send and read from that, so what is refused over HTTP is refused here for the same reason.

mod bounds;
mod choice;
mod doc;
mod field;
mod fields;
mod object;
mod patch;
mod settings;
mod table;
#[cfg(test)]
mod tests;
mod valid;
mod value;

pub use bounds::Bounds;
pub use choice::Choice;
pub use doc::{ChoiceDoc, FieldDoc, FieldType, ObjectDoc};
pub use field::{Check, Field};
pub use fields::Fields;
pub use object::ListedObject;
pub use patch::Patch;
pub use settings::{InputSettings, ModelSources};
pub(crate) use table::{Intent, fields_of};
pub use valid::{Input, Valid};
pub use value::{FieldValue, INTEGER_MAX, ValueLocation, ViewField};
