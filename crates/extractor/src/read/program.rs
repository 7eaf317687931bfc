//! Programs of the system that read what is not read here. They run in the sandbox: each may use as much as
//! the worker itself.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use domain::document::ExtractionError;
use rustix::process::Signal;

use super::error::ReadError;
use crate::disk;

/// How many bytes of a program's complaints are read. Some programs complain for ever where nothing can
/// be written, and end when their complaints are not read any more.
const LOG_MAX: u64 = 1 << 20;

/// A program that has run to its end.
#[derive(Debug)]
pub(super) struct Ended {
    name: String,
    status: ExitStatus,
    text: Vec<u8>,
    /// What it complained of.
    pub(super) log: String,
}

/// What a program says, run to its end.
pub(super) fn run<Argument: AsRef<OsStr>>(
    program: &str,
    arguments: impl IntoIterator<Item = Argument>,
) -> Result<Vec<u8>, ReadError> {
    call(program, arguments)?.into_output()
}

/// Runs a program to its end, whatever that is.
pub(super) fn call<Argument: AsRef<OsStr>>(
    program: &str,
    arguments: impl IntoIterator<Item = Argument>,
) -> Result<Ended, ReadError> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| not_started(&error))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let listened =
        thread::Builder::new().spawn(|| read_at_most(stderr, LOG_MAX)).and_then(|complaints| {
            let text = read_at_most(stdout, u64::MAX)?;
            let log = complaints.join().unwrap_or_else(|_| Ok(Vec::new()))?;
            Ok((text, log, child.wait()?))
        });
    let (text, log, status) = listened.map_err(|error| ReadError::of_system(&error))?;
    let log = String::from_utf8_lossy(&log).into_owned();
    Ok(Ended { name: program.to_owned(), status, text, log })
}

/// The first so many bytes of what comes; the rest is not read.
fn read_at_most(from: Option<impl Read>, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.map(|from| from.take(most).read_to_end(&mut bytes)).transpose()?;
    Ok(bytes)
}

fn not_started(error: &io::Error) -> ReadError {
    // There may be no memory now, or no more processes.
    let may_pass = [io::ErrorKind::OutOfMemory, io::ErrorKind::WouldBlock].contains(&error.kind());
    if may_pass { ReadError::of_system(error) } else { ExtractionError::OcrUnavailable.into() }
}

impl Ended {
    /// What it says, if it ended well.
    pub(super) fn into_output(self) -> Result<Vec<u8>, ReadError> {
        if self.status.success() {
            return Ok(self.text);
        }
        // However it ends then: programs tell a full disk from a damaged file no better than anything else.
        if !disk::has_free_space(Path::new(".")) {
            return Err(ReadError::Machine(format!(
                "{} failed, and nothing can be written",
                self.name
            )));
        }
        Err(self.word().into())
    }

    /// Why it failed. Files bring that about, too: what is no image is corrupt.
    fn word(&self) -> ExtractionError {
        let is = |it: Signal| self.status.signal() == Some(it.as_raw());
        if is(Signal::XCPU) {
            ExtractionError::Timeout
        } else if is(Signal::XFSZ) {
            ExtractionError::TooLarge
        } else if is(Signal::KILL)
            || self.log.contains("bad_alloc")
            || self.log.contains("ut of memory")
        {
            ExtractionError::Memory
        } else if self.status.signal().is_some() {
            ExtractionError::Crashed
        } else {
            ExtractionError::Corrupt
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Result<Vec<u8>, ReadError> {
        run("sh", ["-c", script])
    }

    fn file(error: ExtractionError) -> Result<Vec<u8>, ReadError> {
        Err(error.into())
    }

    #[test]
    fn each_end_has_its_word() {
        let missing = run("there-is-no-such-program", [""]);
        assert_eq!(missing, file(ExtractionError::OcrUnavailable));
        assert_eq!(run("false", [""]), file(ExtractionError::Corrupt));
        assert_eq!(sh("kill -XCPU $$"), file(ExtractionError::Timeout));
        assert_eq!(sh("kill -XFSZ $$"), file(ExtractionError::TooLarge));
        assert_eq!(sh("kill -SEGV $$"), file(ExtractionError::Crashed));
        let memory = "echo 'std::bad_alloc' >&2; kill -ABRT $$";
        assert_eq!(sh(memory), file(ExtractionError::Memory));
        assert_eq!(sh("printf Text; echo 'a warning' >&2"), Ok(b"Text".to_vec()));
    }

    #[test]
    fn endless_output_on_standard_error_is_cut() {
        let ended = call("sh", ["-c", "exec yes >&2"]).unwrap();
        assert_eq!(ended.log.len() as u64, LOG_MAX);
        assert_eq!(ended.into_output(), file(ExtractionError::Crashed));
    }
}
