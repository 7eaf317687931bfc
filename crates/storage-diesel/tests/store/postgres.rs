//! What is particular to PostgreSQL.
//!
//! Failures of the server are made by triggers, which really end sessions and really raise errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use domain::access::{MintToken, TokenTarget};
use domain::blob::REMOVE_BLOB;
use domain::clock::Timestamp;
use domain::job::{Job, Queue};
use domain::store::Store;
use domain::{DomainError, StorageError};
use storage_diesel::{DatabaseUrl, DieselStore, OpenError, Options};

use store_suite::wait;
use uuid::Uuid;

use crate::databases::{
    Database, OPERATOR, insert, organisation, other_than, read, storage_error, stored, until, write,
};
use crate::rows::Setting;

/// Before an organisation is inserted, or when that is committed, does this to the session: the
/// first `times` times, counted by a sequence, because counting survives a rollback.
pub fn trouble(database: &Database, times: u32, at_commit: bool, what: &str) {
    let trigger = if at_commit {
        "CREATE CONSTRAINT TRIGGER trouble AFTER INSERT ON organisations \
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
    } else {
        "CREATE TRIGGER trouble BEFORE INSERT ON organisations FOR EACH ROW"
    };
    database.execute(&format!(
        "CREATE SEQUENCE counter; \
         CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF nextval('counter') <= {times} THEN {what}; END IF; RETURN NEW; \
         END $$; \
         {trigger} EXECUTE FUNCTION trouble();"
    ));
}

pub const END_SESSION: &str = "PERFORM pg_terminate_backend(pg_backend_pid())";

fn raise(code: &str, text: &str) -> String {
    format!("RAISE EXCEPTION '{text}' USING ERRCODE = '{code}'")
}

/// Inserts number 1, and says how often the unit was run for that.
fn runs(store: &DieselStore) -> (Result<(), DomainError>, u32) {
    let runs = Arc::new(AtomicU32::new(0));
    let counted = runs.clone();
    let answer = write(store, move |tx| {
        counted.fetch_add(1, Ordering::SeqCst);
        Ok(tx.insert_organisation(OPERATOR, &organisation(1))?)
    });
    (answer, runs.load(Ordering::SeqCst))
}

/// Inserts organisations from this number on, of which none may fail, until a condition holds; returns the
/// next number.
fn written_until(store: &DieselStore, mut next: u128, mut condition: impl FnMut() -> bool) -> u128 {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(60), "it never came about");
        write(store, insert(next)).unwrap();
        next += 1;
        thread::sleep(Duration::from_millis(5));
    }
    next
}

mod on_postgres {
    use diesel::connection::SimpleConnection as _;
    use diesel::prelude::*;
    use diesel::sql_types::Text;

    use super::*;

    #[test]
    fn a_collision_is_run_again_three_times_at_most() {
        for (times, code, text) in [
            (3, "40001", "could not serialize access"),
            (3, "40P01", "deadlock detected"),
            (1, "55P03", "canceling statement due to lock timeout"),
        ] {
            let database = Database::postgres();
            let store = database.open();
            trouble(&database, times, false, &raise(code, text));
            assert_eq!(runs(&store), (Ok(()), times + 1), "{code}");
            assert_eq!(stored(&store), [1]);
        }
        let database = Database::postgres();
        let store = database.open();
        trouble(&database, 99, false, &raise("40001", "could not serialize access"));
        let (answer, runs) = runs(&store);
        assert_eq!(runs, 4);
        assert!(matches!(storage_error(answer), StorageError::Contended(_)));
        assert_eq!(stored(&store), []);
    }

    #[test]
    fn a_collision_at_commit_is_run_again() {
        let database = Database::postgres();
        let store = database.open();
        trouble(&database, 1, true, &raise("40001", "could not serialize access"));
        assert_eq!(runs(&store), (Ok(()), 2));
        assert_eq!(stored(&store), [1]);
    }

    /// While another worker is claiming a job, a claim finds the next one of its project, or of another project.
    #[test]
    fn a_job_that_is_held_is_passed_over_by_claims() {
        let Setting { database, store, botyard, bot, claim } = Setting::on(Database::postgres());
        let organisation = claim.project().organisation_id();
        let other = wait(botyard.projects.create(OPERATOR, organisation, "Other")).unwrap().id;
        let ids = [1, 2, 3].map(Uuid::from_u128);
        for (id, project) in ids.into_iter().zip([bot.project_id, bot.project_id, other]) {
            let job = Job::new(id, REMOVE_BLOB, "", Timestamp::from_millis(0)).of_project(project);
            write(&store, move |tx| Ok(tx.insert_job(&job)?)).unwrap();
        }
        let claimed_while = |held: Option<Uuid>| {
            let mut worker = database.connect();
            worker.batch_execute("BEGIN").unwrap();
            if let Some(id) = held {
                let hold = format!("SELECT FROM jobs WHERE id = '{id}' FOR UPDATE");
                worker.batch_execute(&hold).unwrap();
            }
            wait(botyard.jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().map(|job| job.id.uuid())
        };
        assert_eq!(claimed_while(Some(ids[0])), Some(ids[1]));
        assert_eq!(claimed_while(Some(ids[2])), Some(ids[0]));
        assert_eq!(claimed_while(Some(ids[2])), None);
        assert_eq!(claimed_while(None), Some(ids[2]));
    }

    #[test]
    fn a_session_lost_before_the_commit_is_made_up_for_once() {
        let database = Database::postgres();
        let store = database.open();
        trouble(&database, 1, false, END_SESSION);
        assert_eq!(runs(&store), (Ok(()), 2));
        assert_eq!(stored(&store), [1]);

        let database = Database::postgres();
        let store = database.open();
        trouble(&database, 99, false, END_SESSION);
        let (answer, runs) = runs(&store);
        assert_eq!(runs, 2);
        assert!(matches!(storage_error(answer), StorageError::Unavailable(_)));
        assert_eq!(stored(&store), []);
    }

    #[test]
    fn a_session_lost_in_the_commit_is_never_run_again() {
        let database = Database::postgres();
        let store = database.open();
        trouble(&database, 1, true, END_SESSION);
        let (answer, runs) = runs(&store);
        assert_eq!(runs, 1);
        let error = storage_error(answer);
        assert!(matches!(&error, StorageError::Unavailable(text) if text.contains("unknown")));
        // The next unit finds a new session.
        write(&store, insert(2)).unwrap();
    }

    #[test]
    fn a_full_disk_is_reported_as_such() {
        let database = Database::postgres();
        let store = database.open();
        let text = "could not extend file: No space left on device";
        trouble(&database, 1, false, &raise("53100", text));
        let (answer, runs) = runs(&store);
        assert_eq!(runs, 1);
        assert!(matches!(storage_error(answer), StorageError::Full(_)));
        // It is not ready, but goes on.
        assert!(matches!(wait(store.check()), Err(StorageError::Full(_))));
        write(&store, insert(2)).unwrap();
    }

    #[test]
    fn a_token_of_another_process_raises_the_version() {
        let there = Setting::on(Database::postgres());
        let here = there.database.open();
        let before = here.access_version().unwrap();
        write(&there.store, insert(1)).unwrap();
        thread::sleep(Duration::from_millis(600));
        assert_eq!(here.access_version(), Some(before), "that was no token");
        let request = MintToken {
            target: TokenTarget::Bot(there.bot.id),
            name: "Minted there".to_owned(),
            scopes: None,
            read_only: false,
            expires_in: None,
        };
        wait(there.botyard.access.mint(OPERATOR, request)).unwrap();
        let project = there.bot.project_id;
        let is_changed = |project| here.access_changed(project) > Some(before);
        until(|| is_changed(project), "not noticed");
        assert!(!is_changed(other_than(project)), "it is no change of others");
        // There were too many projects to be named.
        there.database.execute("NOTIFY botyard_access");
        until(|| is_changed(other_than(project)), "not noticed");
    }

    #[test]
    fn sessions_that_were_ended_come_back_and_the_version_grows() {
        let database = Database::postgres();
        let store = database.open();
        for number in 0..20 {
            write(&store, insert(number)).unwrap();
        }
        let before = store.access_version().unwrap();
        database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        // Not one unit fails.
        let written = written_until(&store, 20, || {
            store.access_version().is_some_and(|version| version > before)
        });
        assert_eq!(stored(&store).len() as u128, written);
    }

    /// Removed at the end: roles are those of the whole server.
    struct Role<'a> {
        database: &'a Database,
        name: &'a str,
    }

    impl Drop for Role<'_> {
        fn drop(&mut self) {
            let name = self.name;
            self.database.execute(&format!("DROP OWNED BY {name}; DROP ROLE {name};"));
        }
    }

    /// A role that may have fewer sessions than the store would open: units share those that there are.
    #[test]
    fn units_go_on_while_the_server_has_no_more_sessions() {
        let database = Database::postgres();
        let DatabaseUrl::Postgres(url) = database.url() else { panic!("another database") };
        let role = format!("few_{}", std::process::id());
        database.execute(&format!(
            "CREATE ROLE {role} LOGIN CONNECTION LIMIT 4; \
             GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}; \
             GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role};"
        ));
        let _role = Role { database: &database, name: &role };
        let (_, at) = url.split_once('@').unwrap();
        let limited = DatabaseUrl::Postgres(format!("postgres://{role}@{at}"));
        let store = DieselStore::open(&limited, Options::default()).unwrap();
        for number in 0..8 {
            write(&store, insert(number)).unwrap();
        }
        let look = |store| read(store, |tx| Ok(tx.organisations(OPERATOR)?));
        let refused = thread::scope(|scope| {
            let units: Vec<_> =
                (0..8).map(|_| scope.spawn(|| (0..50).find_map(|_| look(&store).err()))).collect();
            units.into_iter().find_map(|unit| unit.join().unwrap())
        });
        assert_eq!(refused, None);
    }

    #[test]
    fn units_go_on_while_no_session_can_listen() {
        let database = Database::postgres();
        let store = database.open();
        write(&store, insert(0)).unwrap();
        let before = store.access_version().unwrap();
        // A database can't be closed to connections over one of its own.
        let server = std::env::var("BOTYARD_TEST_POSTGRES_URL").unwrap();
        let mut server = PgConnection::establish(&server).unwrap();
        let name = diesel::dsl::sql::<Text>("current_database()");
        let name: String = diesel::select(name).get_result(&mut database.connect()).unwrap();
        let mut execute = |sql: &str| server.batch_execute(sql).unwrap();
        execute(&format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS false"));
        execute(&format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = '{name}' AND application_name = 'botyard-listener'"
        ));
        let written = written_until(&store, 1, || store.access_version().is_none());
        // Each failed attempt to listen again leaves the sessions of the units alone.
        let started = Instant::now();
        let mut next = written;
        while started.elapsed() < Duration::from_secs(1) {
            write(&store, insert(next)).unwrap();
            next += 1;
        }
        execute(&format!("ALTER DATABASE \"{name}\" ALLOW_CONNECTIONS true"));
        let written = written_until(&store, next, || {
            store.access_version().is_some_and(|version| version > before)
        });
        assert_eq!(stored(&store).len() as u128, written);
    }
}

#[test]
fn an_address_without_a_server_fails_soon_and_says_so() {
    let url = DatabaseUrl::Postgres("postgres://ada:secret@127.0.0.1:1/botyard".to_owned());
    let started = Instant::now();
    let error = DieselStore::open(&url, Options::default()).err().unwrap();
    assert!(started.elapsed() < Duration::from_secs(60));
    assert!(matches!(&error, OpenError::Unreachable(_)), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("127.0.0.1") && !text.contains("secret") && !text.contains('\n'),
        "{text}"
    );
    assert!(!std::path::Path::new("postgres:").exists());
}
