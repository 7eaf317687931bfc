//! Whether other projects make requests as well.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use domain::id::ProjectId;

/// How long after its latest request a project counts as active.
const ACTIVE: Duration = Duration::from_secs(1);

/// The two projects that made requests last, the latest first, and when.
type Latest = [Option<(ProjectId, Instant)>; 2];

/// Which projects made requests lately.
#[derive(Clone, Default)]
pub struct ActiveProjects(Arc<Mutex<Latest>>);

impl ActiveProjects {
    /// Notes a request.
    pub fn note(&self, project: ProjectId, now: Instant) {
        let mut projects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let [latest, before] = &mut *projects;
        if latest.is_none_or(|(of, _)| of != project) {
            // The one before the latest makes room, unless it is this one.
            mem::swap(latest, before);
        }
        *latest = Some((project, now));
    }

    /// Whether a project other than this one is active.
    pub fn has_other(&self, project: ProjectId, now: Instant) -> bool {
        let projects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_active =
            |(of, at): &(_, Instant)| *of != project && now.duration_since(*at) < ACTIVE;
        projects.iter().flatten().any(is_active)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_active_for_a_second_after_its_latest_request() {
        let [one, other, third] = [1, 2, 3].map(|last| {
            ProjectId::parse(&format!("00000000-0000-4000-8000-00000000000{last}")).unwrap()
        });
        let projects = ActiveProjects::default();
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let have_others = |millis| [one, other].map(|of| projects.has_other(of, at(millis)));
        projects.note(one, at(0));
        assert_eq!(have_others(0), [false, true]);
        projects.note(other, at(500));
        projects.note(other, at(600));
        assert_eq!(have_others(999), [true, true]);
        assert_eq!(have_others(1_500), [true, false]);
        projects.note(one, at(1_550));
        assert_eq!(have_others(1_599), [true, true]);
        assert_eq!(have_others(1_600), [false, true]);
        projects.note(third, at(1_650));
        assert_eq!(have_others(2_600), [true, true]);
        assert_eq!(have_others(2_650), [false, false]);
    }
}
