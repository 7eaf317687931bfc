//! What goes to standard output and standard error, as text for people or JSON for programs.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::process::ExitCode;

use domain::access::Secret;
use serde::{Serialize, Serializer};
use serde_json::json;

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
        self.line(&self.form(value, |value| vec![text(value)])?)
    }

    /// Prints a list: a JSON array, or one line each.
    ///
    /// # Errors
    /// If standard output can't be written to.
    pub fn list<T: Serialize>(self, values: &[T], text: impl Fn(&T) -> String) -> io::Result<()> {
        if values.is_empty() && !self.json {
            return Ok(());
        }
        self.line(&self.form(values, |values| values.iter().map(text).collect())?)
    }

    /// Prints a list as [`Self::list`] does, or for people this line if it is empty.
    ///
    /// # Errors
    /// If standard output can't be written to.
    pub fn list_or<T: Serialize>(
        self,
        values: &[T],
        text: impl Fn(&T) -> String,
        none: &str,
    ) -> io::Result<()> {
        if values.is_empty() && !self.json { self.line(none) } else { self.list(values, text) }
    }

    /// A result as it is printed, which may take several lines.
    ///
    /// # Errors
    /// If it can't be written as JSON.
    pub fn form<T: Serialize + ?Sized>(
        self,
        value: &T,
        text: impl FnOnce(&T) -> Vec<String>,
    ) -> serde_json::Result<String> {
        if self.json {
            return serde_json::to_string(value);
        }
        let lines: Vec<_> = text(value).iter().map(|line| printable(line)).collect();
        Ok(lines.join("\n"))
    }

    /// Says on standard error why the program failed: a line for each reason, or one JSON object.
    pub fn fail(self, error: &anyhow::Error) {
        let mut stderr = io::stderr().lock();
        // A failed write is ignored: where standard error is closed, there is no other place to report it.
        if self.json {
            let found = error.downcast_ref::<Reasons>();
            let reasons = found.map_or_else(|| json!(Reasons::of(error).0), |found| json!(found.0));
            let _ = writeln!(stderr, "{}", json!({ "errors": reasons }));
        } else {
            for line in format!("{error:#}").lines() {
                let _ = writeln!(stderr, "botyard: {line}");
            }
        }
    }

    /// Prints a line, or several, as they are. They are written at once, so that on a terminal no line of the log
    /// comes between them.
    ///
    /// # Errors
    /// If standard output can't be written to.
    pub fn line(self, line: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()) {
            // The reader of the lines, such as `head`, has closed the pipe: it needs no more of them.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

/// Says on standard error that a token was typed, without repeating it, and with which exit code the program ends.
pub fn refuse_token() -> ExitCode {
    // In the form of other complaints about what was typed. A failed write is ignored, as in `fail`.
    let _ = writeln!(
        io::stderr().lock(),
        "error: a token stands among the arguments, where every user of this machine can read it; no command takes \
         one: `token revoke` takes its _id, which `token list` shows\n\n\
         For more information, try '--help'."
    );
    ExitCode::from(2)
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

/// A reason why a command failed.
#[derive(Debug, Serialize)]
pub struct Reason {
    /// The number of the line of the file that is to blame, if it is a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong, in one line.
    pub message: String,
}

/// An error with several reasons.
#[derive(Debug)]
pub struct Reasons(pub Vec<Reason>);

impl std::error::Error for Reasons {}

impl Reasons {
    /// The reasons of any error: a line of its text is one.
    fn of(error: &anyhow::Error) -> Self {
        let text = format!("{error:#}");
        let reason = |message: &str| Reason { line: None, message: message.to_owned() };
        Self(text.lines().map(reason).collect())
    }
}

impl Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Reason { line, message }) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            match line {
                Some(line) => write!(f, "{separator}line {line}: {message}")?,
                None => write!(f, "{separator}{message}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_can_not_forge_a_row() {
        assert_eq!(printable("Ada\n\u{1b}[31m — Ünö"), "Ada\\n\\u{1b}[31m — Ünö");
    }
}
