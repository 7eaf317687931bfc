//! What a job is called.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

/// The name of a kind of job. A database may hold jobs of kinds that only newer code knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct JobKind(Cow<'static, str>);

impl JobKind {
    /// The kind of this name: lower-case letters and underscores, because names stand in the text of statements.
    ///
    /// # Panics
    /// If there is anything else in the name, so that a constant with such a name does not compile.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        let mut rest = name.as_bytes();
        while let [byte, tail @ ..] = rest {
            let is_known = *byte == b'_' || byte.is_ascii_lowercase();
            assert!(is_known, "a kind of job is lower-case letters and underscores");
            rest = tail;
        }
        Self(Cow::Borrowed(name))
    }

    /// The kind whose name stands in a row.
    #[must_use]
    pub const fn from_row(name: String) -> Self {
        Self(Cow::Owned(name))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for JobKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
