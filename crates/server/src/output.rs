//! What goes to standard output and standard error, as text for people or JSON for programs.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

/// The form that results are printed in.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    json: bool,
}

impl Output {
    /// JSON for programs, or text for people.
    pub const fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints one result.
    ///
    /// # Errors
    /// If standard output can't be written to.
    pub fn one<T: Serialize>(self, value: &T, text: impl FnOnce(&T) -> String) -> io::Result<()> {
        if self.json {
            return self.line(&serde_json::to_string(value)?);
        }
        self.line(&text(value))
    }

    /// Prints a list: a JSON array, or one line each.
    ///
    /// # Errors
    /// If standard output can't be written to.
    pub fn list<T: Serialize>(self, values: &[T], text: impl Fn(&T) -> String) -> io::Result<()> {
        if self.json {
            return self.line(&serde_json::to_string(values)?);
        }
        values.iter().try_for_each(|value| self.line(&text(value)))
    }

    /// Prints a line as it is.
    ///
    /// # Errors
    /// If standard output can't be written to.
    pub fn line(self, line: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{line}")?;
        out.flush()
    }
}

/// Says why the program failed, a line for each reason, and with which exit code it ends.
pub fn fail(error: &dyn Display) -> ExitCode {
    for line in error.to_string().lines() {
        // Where standard error is closed, nobody is there to be told.
        let _ = writeln!(io::stderr().lock(), "botyard: {line}");
    }
    ExitCode::FAILURE
}
