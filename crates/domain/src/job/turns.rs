//! Whose turn it is at the jobs of a queue.
//!
//! The owners of jobs take turns in their order, and after the last one comes the first again. So a project
//! with thousands of jobs holds up the others by one job at a time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{Job, JobKind, JobOwner, Queue};
use crate::access::Operator;
use crate::error::StorageError;
use crate::unit::Unit;

/// How many owners a claim looks at: thousands may have jobs that are not due, and other writers wait meanwhile.
const EXAMINED_AT_ONCE: u32 = 100;

/// Who had the last turn in this process, by queue.
#[derive(Default)]
pub(super) struct JobTurns(Mutex<HashMap<Queue, JobOwner>>);

impl JobTurns {
    /// Who had the last turn; `None` if the first owner is next.
    pub(super) fn last(&self, queue: Queue) -> Option<JobOwner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&queue).copied()
    }

    /// Notes who had the last turn.
    pub(super) fn set_last(&self, queue: Queue, turn: Option<JobOwner>) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match turn {
            Some(turn) => last.insert(queue, turn),
            None => last.remove(&queue),
        };
    }
}

/// Claims the job of these kinds that has been due for longest, of the next owner after the last one who has
/// any. Returns it, if there is one, and who had the last turn by now.
pub(super) fn claim_in_turn(
    unit: &mut Unit<'_>,
    operator: Operator,
    kinds: &[JobKind],
    last: Option<JobOwner>,
) -> Result<(Option<Job>, Option<JobOwner>), StorageError> {
    let now = unit.now();
    let leased_until = now.plus(unit.limits().job_lease);
    let due = unit.tx.due_kinds(operator, (kinds, None), now)?;
    if due.is_empty() {
        return Ok((None, last));
    }
    let mut next = |after| unit.tx.next_job_owner(operator, (&due, now), after, EXAMINED_AT_ONCE);
    let turn = match next(last)? {
        // A new round begins.
        None => next(None)?,
        found => found,
    };
    if turn.is_some() {
        for kind in unit.tx.due_kinds(operator, (&due, turn), now)? {
            let of = (&kind, turn);
            if let Some(job) = unit.tx.claim_job(operator, of, now, leased_until)? {
                return Ok((Some(job), turn));
            }
        }
    }
    // None of the owners that were looked at has a due job, or other workers are claiming theirs: the next
    // claim goes on after them, and this one takes what has been due for longest of all.
    for kind in &due {
        if let Some(job) = unit.tx.claim_job(operator, (kind, None), now, leased_until)? {
            return Ok((Some(job), turn));
        }
    }
    Ok((None, turn))
}
