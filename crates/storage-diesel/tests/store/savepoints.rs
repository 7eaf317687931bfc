//! On SQLite units of a batch are run without savepoints, and again in savepoints if one of them has to be undone.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use domain::DomainError;
use domain::error::Busy;
use domain::lock::Mode;
use domain::store::Repositories;
use storage_diesel::{DieselStore, Options};
use store_suite::wait;

use crate::databases::{Database, insert, stored, write};
use crate::turns::{PendingUnit, occupy, queue};

type Unit = Box<dyn Fn(&mut dyn Repositories) -> Result<(), DomainError> + Send>;

const REFUSED: DomainError = DomainError::Busy(Busy::Uploads(1));

/// A store with time for every unit that waits, in which none is long.
fn open(database: &Database) -> DieselStore {
    let write_batch_time = Duration::from_secs(60);
    database.open_with(Options { write_batch_time, ..Options::default() })
}

/// A unit that inserts this number, and how often it was run.
fn counted(number: u128) -> (Unit, Arc<AtomicU32>) {
    let (runs, insert) = (Arc::new(AtomicU32::new(0)), insert(number));
    let counted = runs.clone();
    let unit: Unit = Box::new(move |tx| {
        counted.fetch_add(1, Ordering::SeqCst);
        insert(tx)
    });
    (unit, runs)
}

/// Queues these units of as many projects so that they are run in one batch, behind one that does nothing, whose answer
/// is the first.
fn together(store: &DieselStore, units: Vec<Unit>) -> Vec<PendingUnit<'_>> {
    // No project that had a long unit: those get batches of their own.
    static PROJECT: AtomicU32 = AtomicU32::new(1_000);
    let project = || PROJECT.fetch_add(1, Ordering::SeqCst).into();
    let (occupying, go_on) = occupy(store, Mode::Write, project());
    let units = units.into_iter().map(|unit| queue(store, Mode::Write, project(), unit));
    let queued = [occupying].into_iter().chain(units).collect();
    drop(go_on);
    queued
}

/// Runs a unit in one batch with one that inserts this number before it, and one that inserts the next after it.
/// Returns whether the unit was done, and how often the others were run, which are done.
fn between(store: &DieselStore, number: u128, unit: Unit) -> (bool, [u32; 2]) {
    let ((first, of_first), (last, of_last)) = (counted(number), counted(number + 1));
    let answers = together(store, vec![first, unit, last]);
    let done: Vec<_> = answers.into_iter().map(|answer| wait(answer).is_ok()).collect();
    assert_eq!([done.get(1), done.last()], [Some(&true); 2]);
    (done.get(2) == Some(&true), [of_first, of_last].map(|runs| runs.load(Ordering::SeqCst)))
}

fn refused_after_a_change() -> Unit {
    Box::new(|tx| {
        insert(100)(tx)?;
        Err(REFUSED)
    })
}

fn is_undone_alone(unit: Unit) {
    let database = Database::sqlite();
    let store = open(&database);
    assert_eq!(
        between(&store, 1, unit),
        (false, [2, 1]),
        "the last one came behind the savepoints"
    );
    assert_eq!(stored(&store), [1, 2]);
}

#[test]
fn a_unit_that_has_changed_something_is_undone_alone() {
    is_undone_alone(refused_after_a_change());
}

#[test]
fn a_unit_that_panics_is_undone_alone() {
    is_undone_alone(Box::new(|tx| {
        insert(100)(tx).unwrap();
        panic!("on purpose")
    }));
    // The database may have ended the transaction before.
    is_undone_alone(Box::new(|_| panic!("on purpose")));
}

#[test]
fn a_unit_of_which_the_database_refuses_a_part_is_undone_alone() {
    // Whatever the unit makes of that.
    is_undone_alone(Box::new(|tx| {
        insert(100)(tx)?;
        assert!(insert(100)(tx).is_err());
        Ok(())
    }));
}

#[test]
fn a_unit_whose_caller_goes_while_it_runs_is_undone_alone() {
    let database = Database::sqlite();
    let store = open(&database);
    let (runs, is_running) = mpsc::channel();
    let (go_on, wait_for_it) = mpsc::channel::<()>();
    let wait_for_it = Mutex::new(wait_for_it);
    let given_up: Unit = Box::new(move |tx| {
        insert(100)(tx)?;
        runs.send(()).unwrap_or_default();
        wait_for_it.lock().unwrap().recv().unwrap_or_default();
        Ok(())
    });
    let mut answers = together(&store, vec![Box::new(insert(1)), given_up, Box::new(insert(2))]);
    is_running.recv().unwrap();
    drop(answers.remove(2));
    drop(go_on);
    for answer in answers {
        wait(answer).unwrap();
    }
    assert_eq!(stored(&store), [1, 2]);
}

#[test]
fn a_unit_that_has_changed_nothing_need_not_be_undone() {
    let database = Database::sqlite();
    let store = open(&database);
    assert_eq!(between(&store, 1, Box::new(|_| Err(REFUSED))), (false, [1, 1]));
    assert_eq!(stored(&store), [1, 2]);
}

#[test]
fn savepoints_end_after_a_hundred_batches() {
    let database = Database::sqlite();
    let store = open(&database);
    assert_eq!(between(&store, 1, refused_after_a_change()).1, [2, 1]);
    for number in 1_000..1_099 {
        write(&store, insert(number)).unwrap();
    }
    assert_eq!(between(&store, 3, refused_after_a_change()).1, [1, 1], "the hundredth");
    assert_eq!(between(&store, 5, refused_after_a_change()).1, [2, 1]);
}
