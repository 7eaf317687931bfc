//! The answers to forms that can't be read.

use crate::problem::{Problem, ProblemKind};

/// What boundaries and heads may take beside the file.
pub(super) const FRAME: u64 = 1 << 20;

/// Refuses a form of so many bytes, if they are more than it takes with a file of at most `file_max`.
pub(super) fn check_size(bytes: u64, file_max: u64) -> Result<(), Problem> {
    let most = file_max.saturating_add(FRAME);
    if bytes <= most {
        return Ok(());
    }
    let detail = format!(
        "The form is larger than the {most} bytes that this operation takes, {file_max} of which are \
         for the file."
    );
    Err(Problem::new(ProblemKind::BodyTooLarge, detail))
}

pub(super) fn bad_form(detail: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::BadForm, detail)
}
