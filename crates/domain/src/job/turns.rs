//! Whose turn it is at the jobs of a queue.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use super::Queue;
use crate::id::ProjectId;

/// How many projects are remembered for a queue; then a new round begins.
const PROJECTS: usize = 1_000;

/// The projects of which this process has claimed a job in the current round, by queue. A project with many
/// jobs is passed over until every other one that has some had its turn.
#[derive(Default)]
pub(super) struct JobTurns(Mutex<HashMap<Queue, HashSet<ProjectId>>>);

impl JobTurns {
    /// The projects that had their turn.
    pub(super) fn served(&self, queue: Queue) -> Vec<ProjectId> {
        let rounds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rounds.get(&queue).into_iter().flatten().copied().collect()
    }

    /// Notes that a project has its turn. If it had it already, all others did too, and a round begins.
    pub(super) fn serve(&self, queue: Queue, project: ProjectId) {
        let mut rounds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let served = rounds.entry(queue).or_default();
        if served.contains(&project) || served.len() >= PROJECTS {
            served.clear();
        }
        served.insert(project);
    }
}
