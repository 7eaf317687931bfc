//! How many deliveries each project has in progress in this process, and which webhooks wait for one of them to end.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use crate::id::{JobId, ProjectId};
use crate::slots::{ProjectSlot, ProjectSlots};

/// The slots of all projects. A job that finds none waits in the order in which it has asked.
#[derive(Debug, Default)]
pub(crate) struct DeliverySlots {
    taken: ProjectSlots,
    waiting: Mutex<HashMap<ProjectId, VecDeque<JobId>>>,
}

impl DeliverySlots {
    /// Begins a delivery, if the project has fewer than `limit`; otherwise the job waits.
    pub(super) fn begin(
        &self,
        project: ProjectId,
        limit: usize,
        job: JobId,
    ) -> Option<ProjectSlot> {
        let slot = self.taken.begin(project, limit);
        if slot.is_none() {
            self.wait(project, job);
        }
        slot
    }

    /// Whether a delivery of the job could begin now; otherwise the job is added to those that wait.
    pub(super) fn is_free_or_wait(&self, project: ProjectId, limit: usize, job: JobId) -> bool {
        let is_free = self.taken.has_free_slot(project, limit);
        if !is_free {
            self.wait(project, job);
        }
        is_free
    }

    /// Takes out the job that has waited the longest.
    pub(super) fn next_waiting(&self, project: ProjectId) -> Option<JobId> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let of_project = waiting.get_mut(&project)?;
        let next = of_project.pop_front();
        if of_project.is_empty() {
            waiting.remove(&project);
        }
        next
    }

    fn wait(&self, project: ProjectId, job: JobId) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let of_project = waiting.entry(project).or_default();
        if !of_project.contains(&job) {
            of_project.push_back(job);
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn jobs_wait_in_the_order_in_which_they_asked() {
        let slots = DeliverySlots::default();
        let project = ProjectId::from_uuid(Uuid::from_u128(1));
        let other = ProjectId::from_uuid(Uuid::from_u128(2));
        let [one, two, three] = [1, 2, 3].map(|number| JobId::from_uuid(Uuid::from_u128(number)));
        let slot = slots.begin(project, 1, one);
        assert!(slot.is_some());
        for job in [two, three, two] {
            assert!(slots.begin(project, 1, job).is_none());
        }
        assert!(slots.begin(other, 1, three).is_some());
        assert!(!slots.is_free_or_wait(project, 1, one));
        drop(slot);
        assert!(slots.is_free_or_wait(project, 1, one));
        assert_eq!(
            [(); 4].map(|()| slots.next_waiting(project)),
            [Some(two), Some(three), Some(one), None]
        );
        assert_eq!(slots.next_waiting(other), None);
    }
}
