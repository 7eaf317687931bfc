//! What the table of operations says of bodies.

use domain::input::{FieldDoc, InputSettings};
use serde_json::Value;

use crate::options::HttpLimits;

/// The field of a form that holds the file.
pub const FILE: &str = "file";

/// What the table of operations says of a body.
#[derive(Clone)]
pub enum BodySpec {
    /// A JSON object.
    Json(JsonSpec),
    /// A form with a file (`multipart/form-data`).
    Form(FormSpec),
}

impl BodySpec {
    /// Whether leaving it out is an error.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        match self {
            Self::Json(json) => json.required,
            Self::Form(_) => true,
        }
    }

    /// Its members, or the fields beside its file.
    #[must_use]
    pub fn fields(&self, settings: &InputSettings) -> Vec<FieldDoc> {
        match self {
            Self::Json(json) => (json.describe)(settings),
            Self::Form(form) => (form.texts)(settings),
        }
    }
}

/// What the table of operations says of a JSON object.
#[derive(Clone)]
pub struct JsonSpec {
    /// Whether leaving it out is an error.
    pub required: bool,
    /// Which limit applies.
    pub size: BodySize,
    /// Its members.
    pub describe: fn(&InputSettings) -> Vec<FieldDoc>,
    /// Whether it must have a member, whichever that is.
    pub needs_member: fn(&InputSettings) -> bool,
    /// A body that is accepted.
    pub example: fn() -> Value,
}

/// Which limit applies to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodySize {
    /// `limits.json_body`
    Json,
    /// `limits.bot_body`
    Bot,
    /// `limits.metadata_body`
    Metadata,
    /// `limits.keyval_body`
    Keyval,
    /// `limits.plan_body`
    Plan,
}

impl BodySize {
    /// The limit in bytes.
    #[must_use]
    pub const fn bytes(self, limits: &HttpLimits) -> usize {
        match self {
            Self::Json => limits.json_body,
            Self::Bot => limits.bot_body,
            Self::Metadata => limits.metadata_body,
            Self::Keyval => limits.keyval_body,
            Self::Plan => limits.plan_body,
        }
    }
}

/// What the table of operations says of a form. The file must be there.
#[derive(Clone)]
pub struct FormSpec {
    /// Which limit applies to the file.
    pub size: FileSize,
    /// The media types that the file may have; none stands for all.
    pub media_types: &'static [&'static str],
    /// The fields beside the file.
    pub texts: fn(&InputSettings) -> Vec<FieldDoc>,
    /// A form that is accepted.
    pub example: fn() -> FormExample,
}

/// A form with all that a client sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormExample {
    /// What the file is called.
    pub file_name: &'static str,
    /// What the file says of its type.
    pub media_type: &'static str,
    /// The bytes of the file.
    pub content: Vec<u8>,
    /// The other fields, by their names.
    pub texts: Vec<(&'static str, String)>,
}

/// Which limit applies to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSize {
    /// `limits.archive`
    Archive,
    /// `limits.document`
    Document,
}

impl FileSize {
    /// How many bytes there must be. An empty archive is left to the checks of archives.
    pub(super) const fn least(self) -> u64 {
        match self {
            Self::Archive => 0,
            Self::Document => 1,
        }
    }

    /// The limit in bytes.
    #[must_use]
    pub const fn bytes(self, limits: &HttpLimits) -> u64 {
        match self {
            Self::Archive => limits.archive,
            Self::Document => limits.document,
        }
    }
}
