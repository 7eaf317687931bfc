//! On SQLite units of a batch are run without savepoints, and again in savepoints if one of them has to be undone.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use domain::DomainError;
use domain::error::Busy;
use domain::lock::Mode;
use domain::store::Repositories;
use storage_diesel::{DieselStore, Options};
use store_suite::wait;

use crate::databases::{Database, insert, stored, write};
use crate::turns::{occupy, queue};

type Unit = Box<dyn Fn(&mut dyn Repositories) -> Result<(), DomainError> + Send>;

const REFUSED: DomainError = DomainError::Busy(Busy::Uploads(1));

/// A store with time for every unit that waits.
fn open(database: &Database) -> DieselStore {
    let write_batch_time = Duration::from_secs(60);
    database.open_with(Options { write_batch_time, ..Options::default() })
}

/// Runs these units in one batch, between two that insert the numbers behind `number`; returns whether they were done,
/// and how often the first and the last unit were run.
fn together(store: &DieselStore, number: u128, units: Vec<Unit>) -> (Vec<bool>, [u32; 2]) {
    let counting = |number| {
        let (runs, insert) = (Arc::new(AtomicU32::new(0)), insert(number));
        let counted = runs.clone();
        let unit: Unit = Box::new(move |tx| {
            counted.fetch_add(1, Ordering::SeqCst);
            insert(tx)
        });
        (unit, runs)
    };
    let ((first, of_first), (last, of_last)) = (counting(number), counting(number + 1));
    let (occupying, go_on) = occupy(store, Mode::Write, 9);
    let all = [first].into_iter().chain(units).chain([last]);
    let queued: Vec<_> = all.map(|unit| queue(store, Mode::Write, 1, unit)).collect();
    drop(go_on);
    wait(occupying).unwrap();
    let done = queued.into_iter().map(|answer| wait(answer).is_ok()).collect();
    (done, [of_first, of_last].map(|runs| runs.load(Ordering::SeqCst)))
}

fn refused_after_a_change() -> Unit {
    Box::new(|tx| {
        insert(100)(tx)?;
        Err(REFUSED)
    })
}

#[test]
fn a_unit_that_has_changed_something_is_undone_alone() {
    let database = Database::sqlite();
    let store = open(&database);
    let panicking: Unit = Box::new(|tx| {
        insert(101)(tx).unwrap();
        panic!("on purpose")
    });
    // One that the database refuses, whatever the unit makes of that.
    let failing: Unit = Box::new(|tx| {
        let _ = insert(1)(tx);
        Ok(())
    });
    let (done, runs) = together(&store, 1, vec![refused_after_a_change(), panicking, failing]);
    assert_eq!(done, [true, false, false, false, true]);
    assert_eq!(stored(&store), [1, 2]);
    assert_eq!(runs, [2, 1], "the last one came when there were savepoints");
    let (done, runs) = together(&store, 3, vec![refused_after_a_change()]);
    assert_eq!((done, runs), (vec![true, false, true], [1, 1]), "there are still savepoints");
    assert_eq!(stored(&store), [1, 2, 3, 4]);
}

#[test]
fn a_unit_that_has_changed_nothing_need_not_be_undone() {
    let database = Database::sqlite();
    let store = open(&database);
    let refused: Unit = Box::new(|_| Err(REFUSED));
    let panicking: Unit = Box::new(|_| panic!("on purpose"));
    let (done, runs) = together(&store, 1, vec![refused, panicking]);
    assert_eq!((done, runs), (vec![true, false, false, true], [1, 1]));
    assert_eq!(stored(&store), [1, 2]);
}

#[test]
fn savepoints_end_after_a_hundred_transactions() {
    let database = Database::sqlite();
    let store = open(&database);
    let runs = |number| together(&store, number, vec![refused_after_a_change()]).1;
    assert_eq!([runs(1), runs(3)], [[2, 1], [1, 1]]);
    for number in 1_000..1_100 {
        write(&store, insert(number)).unwrap();
    }
    assert_eq!(runs(5), [2, 1]);
}
