//! What is particular to SQLite.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use domain::StorageError;
use domain::lock::Mode;
use domain::store::Store as _;
use storage_diesel::{DatabaseUrl, DieselStore, OpenError, Options, migrate, migration_status};
use store_suite::wait;

use crate::databases::{Database, OPERATOR, insert, organisation, storage_error, stored, write};
use crate::turns::{is_answered, occupy, queue};

fn commits(store: &DieselStore) -> u64 {
    match store {
        DieselStore::Sqlite(store) => store.commits(),
        DieselStore::Postgres(_) => panic!("this is not SQLite"),
    }
}

/// What `.cargo/config.toml` says of SQLite, on which speed and memory depend.
#[test]
fn sqlite_is_compiled_as_the_workspace_says() {
    let mut db = SqliteConnection::establish(":memory:").unwrap();
    let query = "compile_options FROM pragma_compile_options";
    let query = diesel::select(diesel::dsl::sql::<diesel::sql_types::Text>(query));
    let options: Vec<String> = query.load(&mut db).unwrap();
    let has = |option: &str| options.iter().any(|is| is == option);
    for option in ["THREADSAFE=2", "DEFAULT_MEMSTATUS=0", "STMTJRNL_SPILL=131000"] {
        assert!(has(option), "{option} is not among {options:?}");
    }
    assert!(!has("ENABLE_MEMORY_MANAGEMENT"));
}

#[test]
fn many_units_share_a_commit() {
    const UNITS: u128 = 200;
    let database = Database::empty_sqlite();
    let options = Options { write_batch_time: Duration::from_secs(60), ..Options::default() };
    let store = database.open_with(options);
    let before = commits(&store);
    let (occupying, go_on) = occupy(&store, Mode::Write, UNITS);
    let queued = (0..UNITS).map(|number| queue(&store, Mode::Write, number, insert(number)));
    let queued: Vec<_> = queued.collect();
    drop(go_on);
    for answer in queued {
        wait(answer).unwrap();
    }
    wait(occupying).unwrap();
    assert_eq!(stored(&store).len() as u128, UNITS);
    let commits = commits(&store) - before;
    assert!(commits <= 20, "{commits} commits for {UNITS} units");
}

#[test]
fn a_long_unit_is_the_last_one_of_its_commit() {
    let database = Database::empty_sqlite();
    // Long is what takes a fifth of it.
    let options = Options { write_batch_time: Duration::from_millis(500), ..Options::default() };
    let store = database.open_with(options);
    let before = commits(&store);
    let (long, go_on) = occupy(&store, Mode::Write, 1);
    let short = queue(&store, Mode::Write, 2, insert(2));
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(110) {
        thread::yield_now();
    }
    drop(go_on);
    wait(long).unwrap();
    wait(short).unwrap();
    assert_eq!(commits(&store) - before, 2);
}

#[test]
fn a_full_queue_refuses_at_once() {
    let database = Database::empty_sqlite();
    // The units of these tests are the service's own, which have a quarter of it.
    let options = Options { queue: 8, ..Options::default() };
    let store = database.open_with(options);
    thread::scope(|scope| {
        let store = &store;
        let (occupying, go_on) = occupy(store, Mode::Write, 100);
        let mut refused = 0;
        let (tell, answers) = mpsc::channel();
        for number in 0..10 {
            let tell = tell.clone();
            scope.spawn(move || tell.send(write(store, insert(number))));
        }
        for _ in 0..8 {
            let answer = answers.recv_timeout(Duration::from_secs(10)).unwrap();
            assert_eq!(storage_error(answer), StorageError::Overloaded);
            refused += 1;
        }
        // Those that read do not wait behind those that write.
        assert_eq!(stored(store), []);
        drop(go_on);
        wait(occupying).unwrap();
        for _ in 0..2 {
            assert_eq!(answers.recv().unwrap(), Ok(()));
        }
        assert_eq!(refused, 8);
    });
    assert_eq!(stored(&store).len(), 2);
}

#[test]
fn a_unit_whose_caller_is_gone_is_not_run() {
    let database = Database::empty_sqlite();
    let store = database.open();
    let (occupying, go_on) = occupy(&store, Mode::Write, 100);
    let mut abandoned = queue(&store, Mode::Write, 1, insert(1));
    assert!(!is_answered(&mut abandoned));
    drop(abandoned);
    drop(go_on);
    wait(occupying).unwrap();
    write(&store, insert(2)).unwrap();
    assert_eq!(stored(&store), [2]);
}

#[test]
fn a_full_disk_undoes_only_what_does_not_fit() {
    let database = Database::empty_sqlite();
    let options = Options { sqlite_max_pages: Some(200), ..Options::default() };
    let store = database.open_with(options);
    let store = &store;
    let mut kept = Vec::new();
    let mut full = 0;
    for number in 0..40_u128 {
        let answer = write(store, move |tx| {
            let mut big = organisation(number);
            // Every other one is far too big.
            big.name = "x".repeat(if number % 2 == 0 { 10_000 } else { 2_000_000 });
            Ok(tx.insert_organisation(OPERATOR, &big)?)
        });
        match answer {
            Ok(()) => kept.push(number),
            Err(_) => {
                assert!(matches!(storage_error(answer), StorageError::Full(_)));
                full += 1;
            }
        }
    }
    assert_eq!(kept, (0..40).step_by(2).collect::<Vec<_>>());
    assert_eq!(full, 20);
    assert_eq!(stored(store), kept);
}

#[test]
fn a_store_on_a_low_disk_is_not_ready_and_still_writes() {
    let database = Database::empty_sqlite();
    assert!(database.open().has_free_space());
    // No disk has so much.
    let store = database.open_with(Options { reserve: u64::MAX, ..Options::default() });
    assert!(!store.has_free_space());
    assert!(matches!(wait(store.check()), Err(StorageError::Full(_))));
    // Which units need room is decided by services.
    write(&store, insert(1)).unwrap();
    assert_eq!(stored(&store), [1]);
}

#[test]
fn other_units_of_the_batch_succeed_on_a_full_disk() {
    let database = Database::empty_sqlite();
    let options = Options {
        sqlite_max_pages: Some(200),
        write_batch_time: Duration::from_secs(60),
        ..Options::default()
    };
    let store = database.open_with(options);
    let before = commits(&store);
    let (occupying, go_on) = occupy(&store, Mode::Write, 100);
    let queued = (0..20_u128).map(|number| {
        queue(&store, Mode::Write, number, move |tx| {
            let mut big = organisation(number);
            big.name = "x".repeat(if number % 4 == 1 { 2_000_000 } else { 5_000 });
            Ok(tx.insert_organisation(OPERATOR, &big)?)
        })
    });
    let answers: Vec<_> = queued.collect();
    drop(go_on);
    wait(occupying).unwrap();
    let mut expected = Vec::new();
    for (number, answer) in (0..20_u128).zip(answers) {
        let answer = wait(answer).map(drop);
        if number % 4 == 1 {
            assert!(matches!(storage_error(answer), StorageError::Full(_)));
        } else {
            assert_eq!(answer, Ok(()));
            expected.push(number);
        }
    }
    assert_eq!(stored(&store), expected);
    assert!(commits(&store) - before < 10, "they did not share a batch");
}

#[test]
fn a_database_held_by_another_process_is_contended() {
    let database = Database::empty_sqlite();
    let store = database.open();
    let mut other = SqliteConnection::establish(database.path().to_str().unwrap()).unwrap();
    other.batch_execute("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE").unwrap();
    let error = storage_error(write(&store, insert(1)));
    assert!(matches!(error, StorageError::Contended(_)), "{error}");
    other.batch_execute("ROLLBACK").unwrap();
    write(&store, insert(2)).unwrap();
    assert_eq!(stored(&store), [2]);
}

#[test]
fn a_change_by_another_process_raises_the_version() {
    let database = Database::empty_sqlite();
    let store = database.open();
    // The first look of the writer counts as a change.
    thread::sleep(Duration::from_millis(600));
    let before = store.access_version().unwrap();
    write(&store, insert(1)).unwrap();
    thread::sleep(Duration::from_millis(600));
    assert_eq!(store.access_version(), Some(before));
    database.execute("UPDATE organisations SET name = 'changed'");
    let started = Instant::now();
    while store.access_version() == Some(before) {
        assert!(started.elapsed() < Duration::from_secs(60), "not noticed");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_unit_that_waited_for_another_process_is_answered_after_that_was_noticed() {
    let database = Database::empty_sqlite();
    let store = Arc::new(database.open());
    write(&store, insert(1)).unwrap();
    let before = store.access_version().unwrap();
    let mut other = SqliteConnection::establish(database.path().to_str().unwrap()).unwrap();
    let change = "BEGIN IMMEDIATE; UPDATE organisations SET name = 'changed'";
    other.batch_execute(change).unwrap();
    let waiting = {
        let store = store.clone();
        thread::spawn(move || write(&store, insert(2)))
    };
    // Nothing tells that the writer waits for the lock, only that it can't have got it.
    thread::sleep(Duration::from_millis(100));
    other.batch_execute("COMMIT").unwrap();
    waiting.join().unwrap().unwrap();
    assert!(store.access_version().unwrap() > before);
}

#[test]
fn files_are_for_this_account_only() {
    let outer = Database::empty_sqlite();
    let path = outer.path().with_file_name("new").join("botyard.db");
    let url = DatabaseUrl::Sqlite(path.clone());
    let store = DieselStore::open_and_migrate(&url, Options::default()).unwrap();
    write(&store, insert(1)).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for file in ["botyard.db", "botyard.db-wal", "botyard.db-shm"] {
        assert_eq!(mode(&path.with_file_name(file)), 0o600, "{file}");
    }
}

#[test]
fn what_can_not_be_opened_says_why() {
    let database = Database::empty_sqlite();
    let nowhere = DatabaseUrl::Sqlite(database.path().with_file_name("a").join("b").join("c"));
    let folder = database.path().with_file_name("a");
    assert_eq!(migrate(&nowhere), Err(OpenError::NoFolder(folder.clone())));
    assert_eq!(migration_status(&nowhere), Err(OpenError::NoFolder(folder)));

    let is_a_folder = DatabaseUrl::Sqlite(database.path().parent().unwrap().to_path_buf());
    let refused = migrate(&is_a_folder);
    assert!(
        matches!(refused, Err(OpenError::NotWritable { .. } | OpenError::Failed(_))),
        "{refused:?}"
    );

    fs::write(database.path(), "this is no database, but a text of some length").unwrap();
    assert!(matches!(migrate(database.url()), Err(OpenError::Failed(_))));
}

/// The process must end when a commit fails in the file system, and a caller that goes on must be refused:
/// this test starts itself again under a limit of file size, which makes a write fail for real.
#[test]
fn a_commit_that_fails_in_the_file_system_is_fatal() {
    const CHILD: &str = "BOTYARD_TEST_CHILD_DATABASE";
    if let Ok(path) = env::var(CHILD) {
        write_until_it_ends(path.into());
    }
    let database = Database::empty_sqlite();
    drop(database.open());
    // SIGXFSZ is ignored, so that the write fails instead of the process.
    let script = "trap '' XFSZ; ulimit -f 512; exec \"$0\" --exact --nocapture \"$1\"";
    let child = Command::new("sh")
        .args(["-c", script])
        .arg(env::current_exe().unwrap())
        .arg("sqlite::a_commit_that_fails_in_the_file_system_is_fatal")
        .env(CHILD, database.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    let error = String::from_utf8_lossy(&child.stderr);
    assert_eq!(child.status.code(), Some(1), "{said}\n{error}");
    assert!(error.contains("fatal: the database could not be written"), "{error}");
    // What was acknowledged before is there; the one that failed is not, or not acknowledged.
    let acknowledged = said.lines().filter(|line| line.contains("acknowledged")).count();
    assert!(acknowledged > 0, "{said}");
    assert_eq!(stored(&database.open()).len(), acknowledged);
}

fn write_until_it_ends(path: std::path::PathBuf) -> ! {
    let options =
        Options { on_fatal: Arc::new(|line| eprintln!("fatal: {line}")), ..Options::default() };
    let store = DieselStore::open(&DatabaseUrl::Sqlite(path), options).unwrap();
    let store = &store;
    for number in 0.. {
        let answer = write(store, move |tx| {
            let mut organisation = organisation(number);
            organisation.name = "x".repeat(10_000);
            Ok(tx.insert_organisation(OPERATOR, &organisation)?)
        });
        if answer.is_err() {
            let later = storage_error(write(store, insert(number)));
            assert!(matches!(later, StorageError::Unavailable(_)), "{later}");
            std::process::exit(1);
        }
        println!("acknowledged {number}");
    }
    std::process::exit(3);
}

/// SQLite's lock on the file is what keeps another process that opens the file, looks and leaves again
/// from taking the write-ahead log along. Versions before 3.51 take it as soon as the lock is gone, and
/// a process loses it by closing any descriptor of the file.
#[cfg(target_os = "linux")]
#[test]
fn the_file_stays_locked_while_the_store_is_open() {
    use std::os::unix::fs::MetadataExt;

    let database = Database::empty_sqlite();
    let store = database.open();
    write(&store, insert(1)).unwrap();
    // As a service does that looks at its migrations beside its store.
    migration_status(database.url()).unwrap();
    let inode = format!(":{} ", fs::metadata(database.path()).unwrap().ino());
    let process = format!(" {} ", std::process::id());
    let is_held = || {
        let locks = fs::read_to_string("/proc/locks").unwrap();
        locks.lines().any(|line| line.contains(&inode) && line.contains(&process))
    };
    // The list comes in pieces: a line is left out if other tests lock or unlock a file between two of them.
    assert!((0..100).any(|_| is_held()), "no lock on {inode}");
}
