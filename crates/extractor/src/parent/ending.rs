//! What the end of a worker means.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use domain::document::{ExtractionError, ExtractorError};
use rustix::process::Signal;

use super::failure::failed;
use crate::worker::{HINDERED, NOT_BEGUN};

/// The error if the machine keeps a worker from its work.
const NO_ROOM: &str = "a worker's folder has no room left, or can't be read or written";

/// How the process of a worker ended.
#[derive(Debug)]
pub(super) struct Ending {
    status: io::Result<ExitStatus>,
    /// Why it was ended, if it was.
    cut: Option<Cut>,
    is_out_of_memory: bool,
}

/// Why a worker is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Its time is over.
    Late,
    /// The same, and nothing can be written into its folder, which may be why.
    LateOnFullDisk,
    /// There is too much in its folder.
    Overflow,
    /// Its processes use too much memory together.
    Memory,
    /// They are too many.
    Processes,
    /// Its answer is not wanted any more.
    Unwanted,
}

impl Ending {
    pub(super) fn new(status: io::Result<ExitStatus>, cut: Option<Cut>) -> Self {
        Self { status, cut, is_out_of_memory: false }
    }

    /// Takes into account what the worker said. Rust ends a process without memory like any other that gave
    /// up, but says so before.
    pub(super) fn with_log(self, log: &str) -> Self {
        let said =
            |line: &str| line.starts_with("memory allocation of ") && line.contains(" failed");
        Self { is_out_of_memory: log.lines().any(said), ..self }
    }

    /// What went wrong, if anything did.
    pub(super) fn into_result(self) -> Result<(), ExtractorError> {
        match self.cut {
            Some(Cut::Late) => return Err(ExtractorError::File(ExtractionError::Timeout)),
            Some(Cut::LateOnFullDisk) => return Err(failed(NO_ROOM)),
            Some(Cut::Overflow) => return Err(ExtractorError::File(ExtractionError::TooLarge)),
            Some(Cut::Memory) => return Err(ExtractorError::File(ExtractionError::Memory)),
            Some(Cut::Processes) => return Err(ExtractorError::File(ExtractionError::Crashed)),
            Some(Cut::Unwanted) | None => {}
        }
        let status = self.status.map_err(failed)?;
        if status.success() {
            return Ok(());
        }
        if status.code() == Some(NOT_BEGUN.into()) {
            return Err(failed("a worker could not begin"));
        }
        if status.code() == Some(HINDERED.into()) {
            return Err(failed(NO_ROOM));
        }
        Err(ExtractorError::File(word(status.signal(), self.is_out_of_memory)))
    }
}

fn word(signal: Option<i32>, is_out_of_memory: bool) -> ExtractionError {
    let is = |it: Signal| signal == Some(it.as_raw());
    if is(Signal::XCPU) {
        ExtractionError::Timeout
    } else if is(Signal::XFSZ) {
        ExtractionError::TooLarge
    // The system sends the one when it has no memory itself; it is not ours, for then the time was over.
    } else if is(Signal::KILL) || is_out_of_memory && is(Signal::ABORT) {
        ExtractionError::Memory
    } else {
        ExtractionError::Crashed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What follows from the status that the system gives, and from what was said.
    fn result_of(status: i32, log: &str) -> Result<(), ExtractorError> {
        Ending::new(Ok(ExitStatus::from_raw(status)), None).with_log(log).into_result()
    }

    fn file(error: ExtractionError) -> Result<(), ExtractorError> {
        Err(ExtractorError::File(error))
    }

    #[test]
    fn each_end_has_its_word() {
        assert_eq!(result_of(0, ""), Ok(()));
        assert_eq!(result_of(1 << 8, ""), file(ExtractionError::Crashed));
        assert_eq!(result_of(24, ""), file(ExtractionError::Timeout));
        assert_eq!(result_of(25, ""), file(ExtractionError::TooLarge));
        assert_eq!(result_of(9, ""), file(ExtractionError::Memory));
        assert_eq!(result_of(6, ""), file(ExtractionError::Crashed));
        assert_eq!(result_of(11, ""), file(ExtractionError::Crashed));
        let out = "thread is here\nmemory allocation of 12 bytes failed\n";
        assert_eq!(result_of(6, out), file(ExtractionError::Memory));
        assert_eq!(result_of(11, out), file(ExtractionError::Crashed));
        assert_eq!(result_of(0, out), Ok(()));
        let cut = |cut| Ending::new(Ok(ExitStatus::from_raw(9)), Some(cut)).into_result();
        assert_eq!(cut(Cut::Late), file(ExtractionError::Timeout));
        assert_eq!(cut(Cut::Overflow), file(ExtractionError::TooLarge));
        assert_eq!(cut(Cut::Memory), file(ExtractionError::Memory));
        assert_eq!(cut(Cut::Processes), file(ExtractionError::Crashed));
        assert_eq!(cut(Cut::LateOnFullDisk), Err(failed(NO_ROOM)));
    }

    #[test]
    fn a_worker_that_could_not_begin_or_go_on_says_nothing_of_its_file() {
        for code in [NOT_BEGUN, HINDERED] {
            let error = result_of(i32::from(code) << 8, "");
            assert!(matches!(error, Err(ExtractorError::Extractor(_))), "{error:?}");
        }
    }
}
