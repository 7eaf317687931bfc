//! What queues do with the units in them.

use domain::store::Outcome;
use tokio::sync::oneshot::Receiver;
use uuid::Uuid;

use super::*;
use crate::engine::queued_unit::UnitAnswer;

/// Queues, and the callers of their units, who wait.
struct Setting(OwnerQueues, Vec<Receiver<UnitAnswer>>);

impl Setting {
    fn new(running_per_queue: usize) -> Self {
        let bounds = QueueBounds {
            waiting: 100,
            waiting_per_queue: 50,
            running_per_queue,
            running_per_project: running_per_queue,
            short: Duration::from_millis(1),
            long: Duration::from_millis(5),
            running_long: 1,
        };
        Self(OwnerQueues::new(bounds), Vec::new())
    }

    fn unit(&mut self, mode: Mode, project: Option<u128>) -> QueuedUnit {
        let tenant = project.map(|number| ProjectId::from_uuid(Uuid::from_u128(number)));
        let unit = Box::new(|_: &mut dyn domain::store::Repositories| Ok(Box::new(()) as Outcome));
        let memory = domain::memory::ContentMemory::new(0);
        let (unit, caller) = QueuedUnit::new(mode, tenant, unit, memory);
        self.1.push(caller);
        unit
    }

    fn push(&mut self, mode: Mode, project: Option<u128>) {
        let unit = self.unit(mode, project);
        self.0.push(unit);
    }

    /// Takes a unit and counts it as running; whose it is, and whether it is run again.
    fn take(&mut self) -> Option<(QueueOwner, bool)> {
        let taken = self.0.pop()?;
        self.0.begun(taken.unit.owner());
        Some((taken.unit.owner(), taken.is_retry))
    }

    /// Waits until the pause of all units that are to be run again is over.
    fn pause(&self) {
        let until = self.0.retries.iter().map(|(at, _)| *at).max();
        if let Some(until) = until {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        }
    }
}

#[test]
fn jobs_of_a_project_keep_fewer_threads_than_its_clients() {
    let mut setting = Setting::new(4);
    for _ in 0..3 {
        let mut of_job = setting.unit(Mode::Write, Some(1));
        of_job.is_background = true;
        setting.0.push(of_job);
        setting.push(Mode::Write, Some(1));
    }
    let jobs = QueueOwner::JobsOf(ProjectId::from_uuid(Uuid::from_u128(1)));
    let taken: Vec<_> = std::iter::from_fn(|| setting.take()).map(|(owner, _)| owner).collect();
    assert_eq!(taken.iter().filter(|owner| **owner == jobs).count(), 1);
    assert_eq!(taken.iter().filter(|owner| **owner == project(1)).count(), 3);
    setting.0.ended(jobs, false);
    assert_eq!(setting.take(), Some((jobs, false)));
    assert_eq!(setting.take(), None);
}

fn project(number: u128) -> QueueOwner {
    QueueOwner::Project(ProjectId::from_uuid(Uuid::from_u128(number)))
}

#[test]
fn look_ups_of_tokens_do_not_wait_for_units_of_the_service() {
    let mut setting = Setting::new(1);
    for mode in [Mode::Read, Mode::Read, Mode::LookUp, Mode::LookUp] {
        setting.push(mode, None);
    }
    let taken: Vec<_> = std::iter::from_fn(|| setting.take()).collect();
    let expected = [QueueOwner::Service, QueueOwner::LookUps, QueueOwner::LookUps];
    assert_eq!(taken, expected.map(|owner| (owner, false)));
}

#[test]
fn a_line_with_long_units_has_few_threads() {
    let mut setting = Setting::new(3);
    for _ in 0..8 {
        setting.push(Mode::Read, Some(1));
    }
    assert_eq!(setting.take(), Some((project(1), false)));
    setting.0.took(project(1), Duration::from_millis(23));
    setting.0.ended(project(1), false);
    assert_eq!(setting.take(), Some((project(1), false)));
    assert_eq!(setting.take(), None);
    setting.0.took(project(1), Duration::ZERO);
    setting.0.ended(project(1), false);
    // What was long is forgotten after a while.
    for _ in 0..3 {
        assert_eq!(setting.take(), Some((project(1), false)));
    }
    assert_eq!(setting.take(), None);
}

#[test]
fn a_line_with_long_units_waits_until_others_have_had_as_much_time() {
    let mut setting = Setting::new(1);
    for project in [1, 1, 2, 2, 2, 2, 2, 2] {
        setting.push(Mode::Write, Some(project));
    }
    let times = [(project(1), Duration::from_millis(4)), (project(2), Duration::from_millis(1))];
    let mut order = Vec::new();
    while let Some((owner, _)) = setting.take() {
        setting.0.took(owner, times.iter().find(|(of, _)| *of == owner).unwrap().1);
        setting.0.ended(owner, false);
        order.push(owner);
    }
    assert_eq!(order, [1, 2, 2, 2, 2, 1, 2, 2].map(project));
}

#[test]
fn a_line_that_ran_empty_has_had_what_its_units_took() {
    let mut setting = Setting::new(1);
    setting.push(Mode::Write, Some(1));
    assert_eq!(setting.take(), Some((project(1), false)));
    setting.0.ended(project(1), false);
    setting.0.took(project(1), Duration::from_millis(4));
    for project in [1, 2, 2, 2] {
        setting.push(Mode::Write, Some(project));
    }
    let mut order = Vec::new();
    while let Some((owner, _)) = setting.take() {
        setting.0.ended(owner, false);
        setting.0.took(owner, Duration::from_millis(1));
        order.push(owner);
    }
    assert_eq!(order, [2, 2, 2, 1].map(project));
}

#[test]
fn lines_are_forgotten_once_others_have_had_as_much_time() {
    let mut setting = Setting::new(1);
    setting.0.took(project(1), Duration::from_millis(4));
    for _ in 0..2 * FORGET_AFTER {
        setting.push(Mode::Write, Some(2));
        assert_eq!(setting.take(), Some((project(2), false)));
        setting.0.ended(project(2), false);
        setting.0.took(project(2), Duration::from_millis(1));
    }
    assert!(!setting.0.by_owner.contains_key(&project(1)));
}

#[test]
fn a_unit_of_an_owner_with_long_ones_joins_no_others() {
    let mut setting = Setting::new(4);
    for project in [1, 2, 2, 1] {
        setting.push(Mode::Write, Some(project));
    }
    assert_eq!(setting.take(), Some((project(1), false)));
    setting.0.took(project(1), Duration::from_millis(7));
    let joining: Vec<_> = std::iter::from_fn(|| {
        let taken = setting.0.pop_short()?;
        setting.0.update_turn(taken.unit.owner());
        Some(taken.unit.owner())
    })
    .collect();
    assert_eq!(joining, [project(2); 2]);
    assert_eq!(setting.take(), Some((project(1), false)));
}

#[test]
fn an_owner_with_long_units_among_short_ones_joins_no_others() {
    let mut setting = Setting::new(4);
    let mut joins_after = |short_units| {
        setting.0.took(project(1), Duration::from_millis(8));
        for _ in 0..short_units {
            setting.0.took(project(1), Duration::from_micros(200));
        }
        setting.push(Mode::Write, Some(1));
        let joins = setting.0.pop_short().is_some();
        if !joins {
            assert_eq!(setting.take(), Some((project(1), false)));
            setting.0.ended(project(1), false);
        }
        joins
    };
    assert!(!joins_after(6));
    assert!(joins_after(8));
}

#[test]
fn the_time_of_a_commit_of_much_counts() {
    let mut setting = Setting::new(4);
    setting.0.took(project(1), Duration::from_micros(900));
    setting.0.committed_much(project(1), Duration::from_millis(2));
    setting.push(Mode::Write, Some(1));
    setting.push(Mode::Write, Some(2));
    setting.push(Mode::Write, Some(2));
    assert_eq!(setting.0.pop_short().map(|taken| taken.unit.owner()), Some(project(2)));
    setting.0.ended(project(2), false);
    assert_eq!(setting.0.pop_short().map(|taken| taken.unit.owner()), Some(project(2)));
    setting.0.ended(project(2), false);
    assert!(setting.0.pop_short().is_none());
    assert_eq!(setting.take(), Some((project(1), false)));
}

impl Setting {
    /// Takes a unit, and whose units join it, four at most and as many as take 2 ms with it.
    fn take_batch(&mut self) -> (QueueOwner, Vec<QueueOwner>) {
        let first = self.0.pop().unwrap().unit.owner();
        let joining = self.0.pop_joining(first, 4, Duration::from_millis(2));
        if joining.is_empty() {
            self.0.begun(first);
        }
        (first, joining.iter().map(QueuedUnit::owner).collect())
    }
}

#[test]
fn units_of_projects_join_in_turn_and_those_of_the_service_do_not() {
    let mut setting = Setting::new(4);
    for owner in [Some(1), Some(1), Some(1), None, Some(2), Some(3), Some(1)] {
        setting.push(Mode::Write, owner);
    }
    let [first, second, third] = [1, 2, 3].map(project);
    assert_eq!(setting.take_batch(), (first, vec![second, third, first, first]));
    assert_eq!(setting.take_batch(), (QueueOwner::Service, vec![]));
}

#[test]
fn units_join_as_long_as_there_is_time_for_them() {
    let mut setting = Setting::new(4);
    for owner in [1, 1, 1, 1, 1, 2, 2] {
        setting.push(Mode::Write, Some(owner));
    }
    // Until the average is about as much.
    for _ in 0..20 {
        setting.0.took(project(1), Duration::from_millis(1));
    }
    let [first, second] = [1, 2].map(project);
    assert_eq!(setting.take_batch(), (second, vec![second, first, first]));
    assert_eq!(setting.take_batch(), (first, vec![first]));
    assert_eq!(setting.take_batch(), (first, vec![]));
}

#[test]
fn a_line_with_units_in_a_batch_gives_no_other_ones() {
    let mut setting = Setting::new(4);
    for _ in 0..7 {
        setting.push(Mode::Write, Some(1));
    }
    let (first, joining) = setting.take_batch();
    assert_eq!(joining.len(), 4);
    setting.0.batch_begun(&[first]);
    setting.push(Mode::Write, Some(1));
    assert!(setting.0.pop().is_none());
    setting.0.batch_ended(&[first]);
    assert_eq!(setting.take_batch(), (first, vec![first; 2]));
    assert_eq!(setting.0.waiting, 0);
}

#[test]
fn units_that_were_given_back_come_first_and_in_their_order() {
    let mut setting = Setting::new(4);
    let numbered = |setting: &mut Setting, number| {
        let mut unit = setting.unit(Mode::Write, Some(1));
        unit.collisions = number;
        unit
    };
    let given_back = [1, 2, 3].map(|number| numbered(&mut setting, number));
    let last = numbered(&mut setting, 4);
    setting.0.push(last);
    setting.0.push_first(given_back.into());
    let order: Vec<_> = std::iter::from_fn(|| {
        let taken = setting.0.pop()?;
        setting.0.update_turn(taken.unit.owner());
        Some(taken.unit.collisions)
    })
    .collect();
    assert_eq!(order, [1, 2, 3, 4]);
}

#[test]
fn the_owner_of_a_failed_unit_is_isolated_for_a_while() {
    let mut setting = Setting::new(4);
    setting.0.isolate(&[project(2)]);
    for owner in [1, 2, 3, 2] {
        setting.push(Mode::Write, Some(owner));
    }
    assert_eq!(setting.take_batch(), (project(1), vec![project(3)]));
    assert_eq!(setting.take_batch(), (project(2), vec![]));
    // While units of a queue have to be run again, none of it joins others either.
    let unit = setting.unit(Mode::Write, Some(4));
    setting.0.push_retry(unit);
    for owner in [5, 4, 5] {
        setting.push(Mode::Write, Some(owner));
    }
    assert_eq!(setting.take_batch(), (project(2), vec![]));
    assert_eq!(setting.take_batch(), (project(5), vec![project(5)]));
}

#[test]
fn units_that_must_be_run_again_pause_and_are_run_one_at_a_time() {
    let mut setting = Setting::new(4);
    for project in [1, 1, 2] {
        let unit = setting.unit(Mode::Write, Some(project));
        setting.0.push_retry(unit);
    }
    assert_eq!(setting.take(), None);
    assert_eq!(setting.0.waiting, 3);
    setting.pause();
    assert_eq!(setting.take(), Some((project(1), true)));
    assert_eq!(setting.take(), Some((project(2), true)));
    assert_eq!(setting.take(), None);
    setting.0.ended(project(1), true);
    assert_eq!(setting.take(), Some((project(1), true)));
    setting.0.ended(project(1), true);
    setting.0.ended(project(2), true);
    assert_eq!((setting.0.waiting, setting.0.by_owner.len()), (0, 0));
}

#[test]
fn a_line_with_units_to_be_run_again_has_few_threads() {
    let mut setting = Setting::new(4);
    let unit = setting.unit(Mode::Write, Some(1));
    setting.0.push_retry(unit);
    for _ in 0..6 {
        setting.push(Mode::Write, Some(1));
    }
    assert_eq!(setting.take(), Some((project(1), false)));
    assert_eq!(setting.take(), Some((project(1), false)));
    assert_eq!(setting.take(), None);
    setting.0.ended(project(1), false);
    setting.pause();
    // After that none is to be run again, so the queue has its threads back.
    assert_eq!(setting.take(), Some((project(1), true)));
    for _ in 0..2 {
        assert_eq!(setting.take(), Some((project(1), false)));
    }
    assert_eq!(setting.take(), None);
}
