//! How much each project does at once in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::id::ProjectId;

/// How many things of one kind each project has in progress.
#[derive(Debug, Clone, Default)]
pub struct ProjectSlots(Arc<Mutex<HashMap<ProjectId, usize>>>);

/// One thing in progress, until it is dropped.
#[derive(Debug)]
pub struct ProjectSlot {
    project: ProjectId,
    slots: ProjectSlots,
}

impl ProjectSlots {
    /// Counts one more in, for as long as the slot lives; `None` if the project has `limit` of them already.
    #[must_use]
    pub fn begin(&self, project: ProjectId, limit: usize) -> Option<ProjectSlot> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = slots.entry(project).or_default();
        if *count >= limit {
            return None;
        }
        *count += 1;
        Some(ProjectSlot { project, slots: self.clone() })
    }
}

impl ProjectSlot {
    /// The project that does it.
    #[must_use]
    pub const fn project(&self) -> ProjectId {
        self.project
    }
}

impl Drop for ProjectSlot {
    fn drop(&mut self) {
        let mut slots = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = slots.get_mut(&self.project) {
            *count -= 1;
            if *count == 0 {
                slots.remove(&self.project);
            }
        }
    }
}
