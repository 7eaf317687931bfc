//! What goes to standard output and standard error, as text for people or JSON for programs.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use domain::access::Secret;
use serde::{Serialize, Serializer};

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
        self.line(&printable(&text(value)))
    }

    /// Prints one result that takes several lines.
    ///
    /// # Errors
    /// If standard output can't be written to.
    pub fn lines<T: Serialize>(
        self,
        value: &T,
        text: impl FnOnce(&T) -> Vec<String>,
    ) -> io::Result<()> {
        if self.json {
            return self.line(&serde_json::to_string(value)?);
        }
        text(value).iter().try_for_each(|line| self.line(&printable(line)))
    }

    /// Prints a list: a JSON array, or one line each.
    ///
    /// # Errors
    /// If standard output can't be written to.
    pub fn list<T: Serialize>(self, values: &[T], text: impl Fn(&T) -> String) -> io::Result<()> {
        if self.json {
            return self.line(&serde_json::to_string(values)?);
        }
        values.iter().try_for_each(|value| self.line(&printable(&text(value))))
    }

    /// Prints a line as it is.
    ///
    /// # Errors
    /// If standard output can't be written to.
    pub fn line(self, line: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match writeln!(out, "{line}").and_then(|()| out.flush()) {
            // The reader of the lines, such as `head`, has closed the pipe: it needs no more of them.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

/// The line with its control characters written out: names are their tenants' own, and must not forge
/// rows or speak to the terminal.
fn printable(line: &str) -> String {
    let mut printable = String::with_capacity(line.len());
    for letter in line.chars() {
        if letter.is_control() {
            printable.extend(letter.escape_default());
        } else {
            printable.push(letter);
        }
    }
    printable
}

/// Writes a secret into a result, which is where it is meant to be seen.
///
/// # Errors
/// As the serializer.
pub fn revealed<S: Serializer>(secret: &Secret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(secret.reveal())
}

/// Says why the program failed, a line for each reason, and with which exit code it ends.
pub fn fail(error: &dyn Display) -> ExitCode {
    for line in error.to_string().lines() {
        // A failed write is ignored: where standard error is closed, there is no other place to report it.
        let _ = writeln!(io::stderr().lock(), "botyard: {line}");
    }
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_not_forge_a_row() {
        assert_eq!(printable("Ada\n\u{1b}[31m — Ünö"), "Ada\\n\\u{1b}[31m — Ünö");
    }
}
