//! The job that deletes what MaxAge rules say.
//!
//! Projects take turns, and in a turn only so much is looked at: a project with many entries does not keep
//! others waiting. First every project has a turn, then again those which have more to do, round after round,
//! until none has. Once the next clean-up would be due, all projects have a turn again. How far it is the job
//! stores after each step, and where a project's turn stopped the project's rules do ([`super::turn`]), so
//! that it goes on from there, on whatever node.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

use super::by_rule::QUERIES_PER_TURN;
use super::turn::Turn;
use crate::clock::Timestamp;
use crate::error::DomainError;
use crate::id::ProjectId;
use crate::job::handler::{JobHandler, Repeat};
use crate::job::run::JobRun;
use crate::job::subject::WholeInstallation;
use crate::job::{JobKind, StepOutcome};
use crate::keyval::write_accesses;
use crate::limits::Limits;

/// Deletes key-value entries by MaxAge rules.
pub const CLEAN_UP: JobKind = JobKind::new("clean_up");

/// How long after a clean-up the next one is due.
const INTERVAL: fn(&Limits) -> Duration = |limits| limits.clean_up_interval;

pub(crate) struct CleanUp;

impl JobHandler for CleanUp {
    type Subject = WholeInstallation;

    const KIND: JobKind = CLEAN_UP;
    const REPEAT: Option<Repeat> = Some(Repeat {
        job: Uuid::from_u128(0x0000_0000_0000_8000_8000_0000_0000_0002),
        after: INTERVAL,
    });

    /// Gives projects their turns until as much was looked at as one project may. A failure of one does not stop
    /// the others: the last failure is returned at the end of the step.
    async fn step(run: JobRun, _: WholeInstallation) -> Result<StepOutcome, DomainError> {
        let context = run.context.clone();
        let now = context.clock.now();
        let mut failed = write_accesses(&context).await.err();
        let stored = run.position().await?;
        let mut round = stored.and_then(|text| Round::parse(&text)).unwrap_or(Round::first(now));
        let mut queries = 0;
        let outcome = loop {
            if queries >= QUERIES_PER_TURN {
                break run.save_position(round.to_string()).await?;
            }
            let Some(project) = round.next(&run).await? else {
                if round.is_last() {
                    break StepOutcome::Done;
                }
                let is_due = now >= round.began.plus(INTERVAL(&context.limits));
                round = if is_due { Round::first(now) } else { round.again() };
                continue;
            };
            round.after = Some(project);
            match Turn::new(run.clone(), project, now).take(&mut failed).await? {
                Some(looked) => queries += looked,
                None => break StepOutcome::LeaseLost,
            }
        };
        failed.map_or(Ok(outcome), Err)
    }
}

/// Which projects have a turn, and which had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Round {
    /// When the clean-up of all projects began.
    began: Timestamp,
    /// Whether those have a turn that have more to do, and not all.
    only_stopped: bool,
    /// The last project that had its turn. They have it in the order of their identifiers.
    after: Option<ProjectId>,
}

impl Round {
    const fn first(began: Timestamp) -> Self {
        Self { began, only_stopped: false, after: None }
    }

    /// The round after this one.
    const fn again(self) -> Self {
        Self { only_stopped: true, after: None, ..self }
    }

    /// Whether a round that has no more projects is the last one: it had none at all with more to do.
    const fn is_last(self) -> bool {
        self.only_stopped && self.after.is_none()
    }

    /// The project whose turn it is.
    async fn next(self, run: &JobRun) -> Result<Option<ProjectId>, DomainError> {
        let operator = run.operator;
        let Self { only_stopped, after, .. } = self;
        let next = run.context.read(None, move |unit| {
            Ok(unit.tx.project_to_clean_up(operator, after, only_stopped)?)
        });
        next.await
    }

    /// Reads what [`Self::to_string`] writes; `None` for anything else.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let began = Timestamp::from_millis(words.next()?.parse().ok()?);
        let only_stopped = words.next()?.parse().ok()?;
        let after = words.next().map(|word| ProjectId::parse(word).ok_or(())).transpose().ok()?;
        Some(Self { began, only_stopped, after })
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.began.millis(), self.only_stopped)?;
        self.after.map_or(Ok(()), |project| write!(f, " {project}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_reads_back_as_it_was_written() {
        let first = Round::first(Timestamp::from_millis(7));
        let after = ProjectId::parse("0197d0c8-3c5e-7000-8000-0123456789ab");
        assert!(after.is_some());
        for round in [first, first.again(), Round { after, ..first }] {
            assert_eq!(Round::parse(&round.to_string()), Some(round));
        }
        for bad in ["", "7", "x true", "7 maybe", "7 true no-project"] {
            assert_eq!(Round::parse(bad), None, "{bad}");
        }
    }
}
