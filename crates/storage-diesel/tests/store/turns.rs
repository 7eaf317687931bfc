//! Tenants take turns: what one of them asks for keeps no other one waiting.

use std::collections::HashSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use domain::background::Background;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::store::{BoxedUnit, Outcome, Repositories, Store};
use domain::{DomainError, StorageError};
use storage_diesel::{DieselStore, Options};
use store_suite::wait;
use uuid::Uuid;

use crate::databases::{Database, each_database, insert, storage_error, stored};

pub type PendingUnit<'a> = Pin<Box<dyn Future<Output = Result<Outcome, DomainError>> + Send + 'a>>;

/// A project by number.
fn tenant(number: u128) -> Option<ProjectId> {
    Some(ProjectId::from_uuid(Uuid::from_u128(number)))
}

/// Queues a unit on behalf of a project, before it returns.
pub fn queue<'a>(
    store: &'a DieselStore,
    mode: Mode,
    number: u128,
    unit: impl Fn(&mut dyn Repositories) -> Result<(), DomainError> + Send + 'static,
) -> PendingUnit<'a> {
    let unit: BoxedUnit = Box::new(move |tx| unit(tx).map(|()| Box::new(()) as Outcome));
    let mut answer = store.run(mode, tenant(number), unit);
    match poll(&mut answer) {
        Poll::Ready(answer) => Box::pin(std::future::ready(answer)),
        Poll::Pending => answer,
    }
}

fn poll(answer: &mut PendingUnit<'_>) -> Poll<Result<Outcome, DomainError>> {
    answer.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

pub fn is_answered(answer: &mut PendingUnit<'_>) -> bool {
    poll(answer).is_ready()
}

/// Queues a unit that keeps its thread busy until what is returned with it is dropped; returns when it runs.
pub fn occupy(
    store: &DieselStore,
    mode: Mode,
    number: u128,
) -> (PendingUnit<'_>, mpsc::Sender<()>) {
    let (go_on, wait_for_it) = mpsc::channel();
    let (busy, is_busy) = mpsc::channel();
    let wait_for_it = Mutex::new(wait_for_it);
    let answer = queue(store, mode, number, move |_| {
        busy.send(()).unwrap_or_default();
        wait_for_it.lock().unwrap().recv().unwrap_or_default();
        Ok(())
    });
    is_busy.recv().unwrap();
    (answer, go_on)
}

/// As many threads as these, and room for so many units.
pub fn threads(readers: usize, writers: usize) -> Options {
    Options { readers, writers, ..Options::default() }
}

fn projects_take_turns(database: Database) {
    let store = database.open_with(threads(1, 1));
    for mode in [Mode::Read, Mode::Write] {
        let order = Arc::<Mutex<Vec<u128>>>::default();
        let note = |number: u128| {
            let order = order.clone();
            queue(&store, mode, number, move |_| {
                order.lock().unwrap().push(number);
                Ok(())
            })
        };
        let (occupying, go_on) = occupy(&store, mode, 9);
        let answers: Vec<_> = [1, 1, 1, 1, 2, 2, 3].map(note).into();
        drop(go_on);
        wait(occupying).unwrap();
        for answer in answers {
            wait(answer).unwrap();
        }
        // On a busy machine units may take so long that projects with short ones have more turns.
        let order = order.lock().unwrap();
        let place = |number, nth| {
            let mut places = order.iter().enumerate().filter(|(_, done)| **done == number);
            places.nth(nth).unwrap().0
        };
        assert!(place(3, 0) < place(1, 2) && place(2, 1) < place(1, 3), "{mode:?}: {order:?}");
    }
}

fn a_project_fills_a_quarter_of_a_queue(database: Database) {
    let store = database.open_with(Options { queue: 12, ..threads(1, 1) });
    for mode in [Mode::Read, Mode::Write] {
        let (occupying, go_on) = occupy(&store, mode, 9);
        let waiting: Vec<_> = [1; 3].map(|number| queue(&store, mode, number, |_| Ok(()))).into();
        let refused = wait(store.run(mode, tenant(1), Box::new(|_| Ok(Box::new(())))));
        assert_eq!(storage_error(refused.map(drop)), StorageError::Overloaded);
        let of_another = queue(&store, mode, 2, |_| Ok(()));
        // A unit whose caller has gone makes room.
        let kept: Vec<_> = waiting.into_iter().skip(1).collect();
        let another = queue(&store, mode, 1, |_| Ok(()));
        drop(go_on);
        for answer in kept.into_iter().chain([occupying, of_another, another]) {
            wait(answer).unwrap();
        }
    }
}

fn reads_of_one_project_leave_threads_for_others(database: Database) {
    let store = database.open_with(threads(2, 2));
    let (occupying, go_on) = occupy(&store, Mode::Read, 1);
    let mut second = queue(&store, Mode::Read, 1, |_| Ok(()));
    for _ in 0..20 {
        wait(queue(&store, Mode::Read, 2, |_| Ok(()))).unwrap();
    }
    assert!(!is_answered(&mut second));
    drop(go_on);
    wait(occupying).unwrap();
    wait(second).unwrap();
}

/// A unit of a job, which runs until what is returned with it is dropped.
fn occupy_as_job(
    store: &DieselStore,
    mode: Mode,
    number: u128,
) -> (PendingUnit<'_>, mpsc::Sender<()>) {
    let (go_on, wait_for_it) = mpsc::channel();
    let wait_for_it = Mutex::new(wait_for_it);
    let unit: BoxedUnit = Box::new(move |_| {
        wait_for_it.lock().unwrap().recv().unwrap_or_default();
        Ok(Box::new(()))
    });
    let mut answer: PendingUnit<'_> =
        Box::pin(Background::new(store.run(mode, tenant(number), unit)));
    assert!(!is_answered(&mut answer));
    (answer, go_on)
}

/// Clients of the same project and jobs of another one get on while jobs of a project keep one thread.
fn jobs_run_one_at_a_time(database: &Database, mode: Mode) {
    let store = database.open_with(threads(4, 4));
    let (first, end_first) = occupy_as_job(&store, mode, 1);
    let (mut second, end_second) = occupy_as_job(&store, mode, 1);
    drop(end_second);
    for number in [1, 2] {
        wait(queue(&store, mode, number, |_| Ok(()))).unwrap();
    }
    let (of_another, end_other) = occupy_as_job(&store, mode, 2);
    drop(end_other);
    wait(of_another).unwrap();
    assert!(!is_answered(&mut second));
    drop(end_first);
    wait(first).unwrap();
    wait(second).unwrap();
}

fn jobs_of_a_project_read_one_at_a_time(database: Database) {
    jobs_run_one_at_a_time(&database, Mode::Read);
}

fn a_unit_whose_caller_goes_while_it_runs_is_undone(database: Database) {
    let store = database.open_with(threads(1, 1));
    let (go_on, wait_for_it) = mpsc::channel::<()>();
    let (busy, is_busy) = mpsc::channel();
    let wait_for_it = Mutex::new(wait_for_it);
    let abandoned = queue(&store, Mode::Write, 1, move |tx| {
        insert(1)(tx)?;
        busy.send(()).unwrap_or_default();
        wait_for_it.lock().unwrap().recv().unwrap_or_default();
        Ok(())
    });
    is_busy.recv().unwrap();
    drop(abandoned);
    drop(go_on);
    wait(queue(&store, Mode::Write, 1, insert(2))).unwrap();
    assert_eq!(stored(&store), [2]);
}

each_database! {
    a_unit_whose_caller_goes_while_it_runs_is_undone,
    projects_take_turns,
    a_project_fills_a_quarter_of_a_queue,
    jobs_of_a_project_read_one_at_a_time,
    reads_of_one_project_leave_threads_for_others,
}

mod on_sqlite {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::available_parallelism;

    use super::*;

    /// On cores that read for one project, no request of another one is answered.
    #[test]
    fn a_project_reads_on_half_of_the_cores() {
        let cores = available_parallelism().map_or(1, usize::from);
        let database = Database::sqlite();
        let store = database.open_with(threads(4 * cores, 1));
        let (running, go_on) = (Arc::<AtomicUsize>::default(), Arc::new(Mutex::new(())));
        let held = go_on.lock().unwrap();
        let reads: Vec<_> = (0..2 * cores)
            .map(|_| {
                let (running, go_on) = (running.clone(), go_on.clone());
                queue(&store, Mode::Read, 1, move |_| {
                    running.fetch_add(1, Ordering::Relaxed);
                    drop(go_on.lock().unwrap());
                    Ok(())
                })
            })
            .collect();
        let half = cores.div_ceil(2);
        while running.load(Ordering::Relaxed) < half {
            std::thread::sleep(Duration::from_millis(5));
        }
        for _ in 0..20 {
            wait(queue(&store, Mode::Read, 2, |_| Ok(()))).unwrap();
        }
        assert_eq!(running.load(Ordering::Relaxed), half);
        drop(held);
        for read in reads {
            wait(read).unwrap();
        }
    }
}

pub mod on_postgres {
    use super::*;

    /// A lock that another session holds, for which organisations with a number from 100 on wait.
    const HELD: &str = "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF NEW.name ~ 'number [0-9]{3}' THEN PERFORM pg_advisory_xact_lock(1); END IF; \
             RETURN NEW; \
         END $$; \
         CREATE TRIGGER wait BEFORE INSERT ON organisations FOR EACH ROW EXECUTE FUNCTION wait();";

    /// A database in which a lock is held until the session is dropped.
    pub fn held() -> (Database, PgConnection) {
        let database = Database::postgres();
        database.execute(HELD);
        let mut holder = database.connect();
        holder.batch_execute("SELECT pg_advisory_lock(1)").unwrap();
        (database, holder)
    }

    #[test]
    fn held_rows_stop_their_projects_only() {
        let (database, holder) = held();
        let store = database.open_with(Options { lock_wait: Duration::MAX, ..threads(2, 8) });
        let blocked = || database.count("pg_locks WHERE locktype = 'advisory' AND NOT granted");
        let tried = Arc::<Mutex<HashSet<u128>>>::default();
        // Two projects that may each take half of the sessions, until it is seen that their rows are held.
        let insert_for = |number| {
            let tried = tried.clone();
            queue(&store, Mode::Write, 10 + number % 2, move |tx| {
                tried.lock().unwrap().insert(number);
                insert(number)(tx)
            })
        };
        let mut waiting: Vec<_> = (100..124).map(insert_for).collect();
        wait(queue(&store, Mode::Write, 3, insert(20))).unwrap();
        // The last one of a project is tried beside one other at most, and so is each from then on.
        while tried.lock().unwrap().len() < waiting.len() {
            std::thread::sleep(Duration::from_millis(5));
        }
        for number in 1..20 {
            wait(queue(&store, Mode::Write, 2, insert(number))).unwrap();
            wait(queue(&store, Mode::Read, 2, |_| Ok(()))).unwrap();
            let blocked = blocked();
            assert!(blocked <= 4, "{blocked} sessions wait for a row");
        }
        assert!(waiting.iter_mut().all(|answer| !is_answered(answer)), "they wait for as long");
        drop(holder);
        for answer in waiting {
            wait(answer).unwrap();
        }
        assert_eq!(stored(&store).len(), 20 + 24);
    }

    #[test]
    fn reads_go_on_while_all_that_write_are_busy() {
        let database = Database::postgres();
        let store = database.open_with(threads(1, 2));
        let busy = [1, 2].map(|number| occupy(&store, Mode::Write, number));
        // They would take the session that reads, if they could.
        let more = [3, 4].map(|number| queue(&store, Mode::Write, number, insert(number)));
        for mode in [Mode::Read, Mode::LookUp] {
            wait(queue(&store, mode, 5, |_| Ok(()))).unwrap();
        }
        let mut more = more.into_iter();
        assert!(more.all(|mut answer| !is_answered(&mut answer)), "no session is left that writes");
        for (answer, go_on) in busy {
            drop(go_on);
            wait(answer).unwrap();
        }
    }

    #[test]
    fn jobs_of_a_project_write_one_at_a_time() {
        jobs_run_one_at_a_time(&Database::postgres(), Mode::Write);
    }

    #[test]
    fn a_unit_that_was_given_up_while_it_waited_for_a_row_is_undone() {
        let (database, holder) = held();
        let store = database.open();
        let abandoned = queue(&store, Mode::Write, 1, insert(100));
        while database.count("pg_locks WHERE locktype = 'advisory' AND NOT granted") == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(abandoned);
        drop(holder);
        // What was begun is over then.
        store.close();
        assert_eq!(stored(&database.open()), Vec::<u128>::new());
    }

    #[test]
    fn a_row_that_stays_held_is_an_answer_in_the_end() {
        let (database, _holder) = held();
        let store = database.open_with(Options { lock_wait: Duration::ZERO, ..Options::default() });
        let answer = wait(queue(&store, Mode::Write, 1, insert(100)));
        assert!(matches!(storage_error(answer.map(drop)), StorageError::Contended(_)));
        wait(queue(&store, Mode::Write, 1, insert(1))).unwrap();
    }
}
