//! How a store ends: closed, it does what waits; dropped, it leaves nothing behind.

mod on_sqlite {
    use std::fs;
    use std::sync::{Arc, mpsc};
    use std::thread;
    use std::time::Duration;

    use domain::StorageError;
    use domain::lock::Mode;
    use store_suite::wait;

    use crate::databases::{Database, insert, read, storage_error, stored, until, write};
    use crate::turns::occupy;

    #[test]
    fn closing_runs_what_waits_and_leaves_one_file() {
        let database = Database::empty_sqlite();
        let store = Arc::new(database.open());
        let threads: Vec<_> = (0..50)
            .map(|number| {
                let store = store.clone();
                thread::spawn(move || write(&store, insert(number)))
            })
            .collect();
        thread::sleep(Duration::from_millis(5));
        store.close();
        store.close();
        let mut acknowledged = Vec::new();
        for (number, thread) in (0..50).zip(threads) {
            match thread.join().unwrap() {
                Ok(()) => acknowledged.push(number),
                refused => assert!(matches!(storage_error(refused), StorageError::Unavailable(_))),
            }
        }
        let error = storage_error(read(&store, |_| Ok(())));
        assert!(matches!(error, StorageError::Unavailable(_)), "{error}");
        let left = fs::read_dir(database.path().parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "the log was not taken over into the database");
        assert_eq!(stored(&database.open()), acknowledged);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_store_that_is_dropped_leaves_no_connection_open() {
        let database = Database::empty_sqlite();
        let is_open = || {
            let mut files = fs::read_dir("/proc/self/fd").unwrap().map(|file| file.unwrap().path());
            files.any(|file| fs::read_link(file).is_ok_and(|file| file == database.path()))
        };
        let store = database.open();
        write(&store, insert(1)).unwrap();
        assert!(is_open());
        drop(store);
        until(|| !is_open(), "a thread of the store goes on");
    }

    /// Units that come while the store closes, behind one that is still running, must be answered like
    /// all others.
    #[test]
    fn a_unit_that_comes_while_the_store_closes_is_answered() {
        let database = Database::empty_sqlite();
        let store = &database.open();
        thread::scope(|scope| {
            let (occupying, go_on) = occupy(store, Mode::Write, 100);
            scope.spawn(|| store.close());
            let (answers, answered) = mpsc::channel();
            let mut sent = 0;
            // Until the first is refused: the others wait behind the one that keeps the writer busy.
            while answered.recv_timeout(Duration::from_millis(10)).is_err() {
                let answers = answers.clone();
                scope.spawn(move || answers.send(write(store, insert(sent)).is_ok()));
                sent += 1;
                assert!(sent < 1_000, "no unit was refused");
            }
            drop(go_on);
            wait(occupying).unwrap();
            for _ in 1..sent {
                answered.recv_timeout(Duration::from_secs(60)).expect("a unit without an answer");
            }
        });
    }
}

mod on_postgres {
    use diesel::prelude::*;
    use diesel::sql_types::BigInt;
    use domain::StorageError;

    use crate::databases::{Database, insert, read, storage_error, stored, until, write};

    #[test]
    fn closing_runs_what_waits() {
        let database = Database::postgres();
        let store = database.open();
        write(&store, insert(1)).unwrap();
        store.close();
        store.close();
        let error = storage_error(read(&store, |_| Ok(())));
        assert!(matches!(error, StorageError::Unavailable(_)), "{error}");
        assert_eq!(stored(&database.open()), [1]);
    }

    #[test]
    fn a_store_that_is_dropped_leaves_no_session_open() {
        let database = Database::postgres();
        let mut own = database.connect();
        let mut others = || -> i64 {
            let others = "count(*) FROM pg_stat_activity \
                 WHERE datname = current_database() AND pid <> pg_backend_pid()";
            diesel::select(diesel::dsl::sql::<BigInt>(others)).get_result(&mut own).unwrap()
        };
        let store = database.open();
        write(&store, insert(1)).unwrap();
        assert!(others() > 1);
        drop(store);
        until(|| others() == 0, "a thread of the store goes on");
    }
}
