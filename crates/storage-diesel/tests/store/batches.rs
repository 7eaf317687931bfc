//! On PostgreSQL units that wait are committed together, and none of them suffers from another one.

mod on_postgres {
    use std::sync::{Mutex, mpsc};
    use std::time::Duration;

    use domain::DomainError;
    use domain::error::Busy;
    use domain::lock::Mode;
    use domain::store::Repositories;
    use storage_diesel::{DieselStore, Options};
    use store_suite::wait;

    use crate::databases::{Database, insert, storage_error, stored, write};
    use crate::postgres::{END_SESSION, trouble};
    use crate::turns::on_postgres::held;
    use crate::turns::{PendingUnit, is_answered, occupy, queue, threads};

    type Unit = Box<dyn Fn(&mut dyn Repositories) -> Result<(), DomainError> + Send>;

    const REFUSED: DomainError = DomainError::Busy(Busy::Uploads(1));

    /// A store with one thread that writes, and time for every unit that waits.
    fn open(database: &Database) -> DieselStore {
        database.open_with(Options { write_batch_time: Duration::from_secs(60), ..threads(1, 1) })
    }

    /// Queues these units of these projects so that all of them are taken at once.
    fn together(store: &DieselStore, units: Vec<(u128, Unit)>) -> Vec<PendingUnit<'_>> {
        let (occupying, go_on) = occupy(store, Mode::Write, 9);
        let queued =
            units.into_iter().map(|(project, unit)| queue(store, Mode::Write, project, unit));
        let queued = queued.collect();
        drop(go_on);
        wait(occupying).unwrap();
        queued
    }

    fn inserting(number: u128) -> Unit {
        Box::new(insert(number))
    }

    /// In how many transactions organisations were inserted.
    fn commits(database: &Database) -> i64 {
        database.count("(SELECT DISTINCT xmin::text FROM organisations) AS transactions")
    }

    #[test]
    fn units_of_projects_share_a_commit() {
        let database = Database::postgres();
        let store = open(&database);
        let units = (1..=8).map(|number| (number % 3, inserting(number))).collect();
        for answer in together(&store, units) {
            wait(answer).unwrap();
        }
        assert_eq!(stored(&store).len(), 8);
        assert_eq!(commits(&database), 1);
    }

    #[test]
    fn what_was_refused_before_it_changed_something_does_not_part_them() {
        let database = Database::postgres();
        let store = open(&database);
        let refused: Unit = Box::new(|_| Err(REFUSED));
        let units = vec![(1, inserting(1)), (2, refused), (3, inserting(3))];
        let answers: Vec<_> =
            together(&store, units).into_iter().map(|answer| wait(answer).map(drop)).collect();
        assert_eq!(answers, [Ok(()), Err(REFUSED), Ok(())]);
        assert_eq!(commits(&database), 1);
    }

    #[test]
    fn what_was_refused_afterwards_is_undone_alone() {
        let database = Database::postgres();
        let store = open(&database);
        let refused = || -> Unit {
            Box::new(|tx| {
                insert(2)(tx)?;
                Err(REFUSED)
            })
        };
        let panicking: Unit = Box::new(|tx| {
            insert(4)(tx).unwrap();
            panic!("on purpose")
        });
        let units = vec![
            (1, inserting(1)),
            (2, refused()),
            (2, refused()),
            (3, inserting(3)),
            (4, panicking),
            (5, inserting(5)),
        ];
        let answers: Vec<_> =
            together(&store, units).into_iter().map(|answer| wait(answer).is_ok()).collect();
        assert_eq!(answers, [true, false, false, true, false, true]);
        assert_eq!(stored(&store), [1, 3, 5]);
    }

    #[test]
    fn an_abandoned_unit_is_rolled_back_alone() {
        let database = Database::postgres();
        let store = open(&database);
        let (go_on, wait_for_it) = mpsc::channel::<()>();
        let (runs, is_running) = mpsc::channel();
        let wait_for_it = Mutex::new(wait_for_it);
        let given_up: Unit = Box::new(move |tx| {
            insert(2)(tx)?;
            runs.send(()).unwrap_or_default();
            wait_for_it.lock().unwrap().recv().unwrap_or_default();
            Ok(())
        });
        let units = vec![(1, inserting(1)), (2, given_up), (3, inserting(3))];
        let mut answers = together(&store, units);
        is_running.recv().unwrap();
        drop(answers.remove(1));
        drop(go_on);
        for answer in answers {
            wait(answer).unwrap();
        }
        assert_eq!(stored(&store), [1, 3]);
    }

    #[test]
    fn what_waits_for_a_row_keeps_no_others_waiting() {
        let (database, holder) = held();
        let store = open(&database);
        let units = vec![(1, inserting(1)), (2, inserting(100)), (3, inserting(3))];
        let mut answers = together(&store, units);
        let mut waiting = answers.remove(1);
        for answer in answers {
            wait(answer).unwrap();
        }
        assert!(!is_answered(&mut waiting));
        drop(holder);
        wait(waiting).unwrap();
        assert_eq!(stored(&store), [1, 3, 100]);
    }

    #[test]
    fn whether_they_were_committed_is_unknown_to_all_of_them() {
        let database = Database::postgres();
        let store = open(&database);
        trouble(&database, 1, true, END_SESSION);
        let units = (1..=3).map(|number| (number, inserting(number))).collect();
        for answer in together(&store, units) {
            let text = storage_error(wait(answer).map(drop)).to_string();
            assert!(text.contains("unknown"), "{text}");
        }
        write(&store, insert(4)).unwrap();
    }

    #[test]
    fn a_commit_that_failed_is_run_again() {
        let database = Database::postgres();
        let store = open(&database);
        let collision = "RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001'";
        trouble(&database, 1, true, collision);
        let units = (1..=3).map(|number| (number, inserting(number))).collect();
        for answer in together(&store, units) {
            wait(answer).unwrap();
        }
        assert_eq!(stored(&store), [1, 2, 3]);
    }
}
