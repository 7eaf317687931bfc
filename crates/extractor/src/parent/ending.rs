//! What the end of a worker means.

use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

use domain::document::{ExtractionError, ExtractionFault};
use rustix::process::Signal;

use super::failed;
use crate::worker::NOT_BEGUN;

/// How the process of a worker ended.
#[derive(Debug)]
pub(super) struct Ending {
    status: io::Result<ExitStatus>,
    /// Whether its time was over.
    is_late: bool,
    is_out_of_memory: bool,
}

impl Ending {
    pub(super) fn new(status: io::Result<ExitStatus>, is_late: bool) -> Self {
        Self { status, is_late, is_out_of_memory: false }
    }

    /// Takes into account what the worker said. Rust ends a process without memory like any other that gave
    /// up, but says so before.
    pub(super) fn with_log(self, log: &str) -> Self {
        let said =
            |line: &str| line.starts_with("memory allocation of ") && line.contains(" failed");
        Self { is_out_of_memory: log.lines().any(said), ..self }
    }

    /// What went wrong, if anything did.
    pub(super) fn judge(self) -> Result<(), ExtractionFault> {
        if self.is_late {
            return Err(ExtractionFault::File(ExtractionError::Timeout));
        }
        let status = self.status.map_err(failed)?;
        if status.success() {
            return Ok(());
        }
        if status.code() == Some(NOT_BEGUN.into()) {
            return Err(failed("a worker could not begin"));
        }
        Err(ExtractionFault::File(word(status.signal(), self.is_out_of_memory)))
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
    fn judged(status: i32, log: &str) -> Result<(), ExtractionFault> {
        Ending::new(Ok(ExitStatus::from_raw(status)), false).with_log(log).judge()
    }

    fn file(error: ExtractionError) -> Result<(), ExtractionFault> {
        Err(ExtractionFault::File(error))
    }

    #[test]
    fn each_end_has_its_word() {
        assert_eq!(judged(0, ""), Ok(()));
        assert_eq!(judged(1 << 8, ""), file(ExtractionError::Crashed));
        assert_eq!(judged(24, ""), file(ExtractionError::Timeout));
        assert_eq!(judged(25, ""), file(ExtractionError::TooLarge));
        assert_eq!(judged(9, ""), file(ExtractionError::Memory));
        assert_eq!(judged(6, ""), file(ExtractionError::Crashed));
        assert_eq!(judged(11, ""), file(ExtractionError::Crashed));
        let out = "thread is here\nmemory allocation of 12 bytes failed\n";
        assert_eq!(judged(6, out), file(ExtractionError::Memory));
        assert_eq!(judged(11, out), file(ExtractionError::Crashed));
        assert_eq!(judged(0, out), Ok(()));
        let late = Ending::new(Ok(ExitStatus::from_raw(9)), true);
        assert_eq!(late.judge(), file(ExtractionError::Timeout));
    }

    #[test]
    fn a_worker_that_could_not_begin_says_nothing_of_its_file() {
        let fault = judged(i32::from(NOT_BEGUN) << 8, "");
        assert!(matches!(fault, Err(ExtractionFault::Extractor(_))), "{fault:?}");
    }
}
