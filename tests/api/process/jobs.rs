//! Jobs, the work that the server does later by itself, and the commands that show and repeat it.

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Database, Installation, each_database};
use serde_json::{Value, json};

use super::command::botyard;
use super::setup::{NOBODY, members, migrated, text};

/// A time that never comes.
pub const LATE: i64 = 4_102_444_800_000;

/// Notes a job past the service. `state` is a word of SQL with the lease behind it.
pub fn insert(
    installation: &Installation,
    id: &str,
    kind: &str,
    subject: &str,
    state: &str,
    due: i64,
) {
    let id = installation.sql().id(id);
    installation.sql().execute(&format!(
        "INSERT INTO jobs (id, kind, subject, state, leased_until, attempt, failures, run_at, created_at) \
         VALUES ({id}, '{kind}', '{subject}', {state}, 0, 0, {due}, 1)"
    ));
}

pub const QUEUED: &str = "'queued', NULL";
const RUNNING: &str = "'running', 4102444800000";

fn listed(installation: &Installation) -> Vec<Value> {
    let list = botyard(installation, &["job", "list", "--json"]).json();
    list.as_array().unwrap_or_else(|| panic!("{list} is no list")).clone()
}

fn job(installation: &Installation, id: &str) -> Option<Value> {
    listed(installation).into_iter().find(|job| job["_id"] == id)
}

/// The only job of this kind.
fn job_of(installation: &Installation, kind: &str) -> Value {
    let jobs = listed(installation).into_iter().filter(|job| job["kind"] == kind);
    let [job] = &jobs.collect::<Vec<_>>()[..] else {
        panic!("one job: {:?}", listed(installation))
    };
    job.clone()
}

each_database! {
    fn a_new_database_has_no_jobs(database: Database) {
        let installation = migrated(database);
        assert_eq!(listed(&installation), Vec::<Value>::new());
        assert_eq!(botyard(&installation, &["job", "list"]).done(), "");
    }

    fn the_server_sweeps_at_its_start_and_every_day(database: Database) {
        let installation = Installation::new(database);
        let mut due = String::new();
        for start in 1..=2 {
            let mut server = installation.serve(&[]);
            let swept = eventually("the sweep is done", || {
                let job = job_of(&installation, "sweep_blobs");
                (job["state"] == "queued" && job["attempt"] == start).then_some(job)
            });
            assert_eq!(
                members(&swept),
                [
                    "_id", "attempt", "createdAt", "failures", "kind", "lastError", "leasedUntil",
                    "projectId", "runAt", "state", "subject"
                ]
            );
            assert_eq!(swept["subject"], "");
            assert_eq!((&swept["failures"], &swept["lastError"]), (&json!(0), &Value::Null));
            // A day later than it was done.
            let (before, made) = (due, text(&swept["createdAt"]));
            due = text(&swept["runAt"]);
            assert!(due > before && due[..10] > made[..10], "{swept}");
            until("the log says so", || server.log().contains("a job is done"));
            assert_eq!(server.stop(), 0);
            assert_eq!(job_of(&installation, "sweep_blobs"), swept);
        }
    }

    fn the_server_cleans_up_again_and_again(database: Database) {
        let installation = Installation::new(database);
        let mut server = installation.serve(&[("CLEANUP__INTERVAL", "1s")]);
        until("the third clean-up is done", || {
            let job = job_of(&installation, "clean_up");
            job["state"] == "queued" && job["attempt"].as_u64() >= Some(3)
        });
        assert_eq!(server.stop(), 0);
        // Whatever the pause, one comes at each start.
        let before = job_of(&installation, "clean_up");
        let mut server = installation.serve(&[("CLEANUP__INTERVAL", "1d")]);
        until("one more is done", || {
            let job = job_of(&installation, "clean_up");
            job["state"] == "queued" && job["attempt"].as_u64() > before["attempt"].as_u64()
        });
        assert_eq!(server.stop(), 0);
    }

    fn a_job_that_can_not_be_done_is_listed_until_it_is_retried(database: Database) {
        let installation = migrated(database);
        insert(&installation, NOBODY, "teardown_bot", "no bot", QUEUED, 1);
        let mut server = installation.serve(&[]);
        let failed = |attempt: u32| {
            eventually("the job has failed", || {
                let job = job(&installation, NOBODY).expect("it stays");
                (job["state"] == "failed" && job["attempt"] == attempt).then_some(job)
            })
        };
        let first = failed(1);
        assert_eq!(first["subject"], "no bot");
        assert_eq!(first["failures"], 1);
        assert_eq!(first["leasedUntil"], Value::Null);
        let reason = text(&first["lastError"]);
        assert!(reason.contains("\"no bot\" is no subject"), "{reason}");
        let listed = botyard(&installation, &["job", "list"]);
        let line = listed.done().lines().find(|line| line.starts_with(NOBODY)).expect("its line");
        assert!(line.contains("  teardown_bot     failed ") && line.ends_with(&reason), "{line}");
        let log = server.log();
        let entry = log.lines().find(|line| line.contains("a job failed")).expect("the log says so");
        assert!(entry.contains("WARN") && entry.contains(NOBODY) && entry.contains("no subject"), "{entry}");

        let again = botyard(&installation, &["job", "retry", NOBODY, "--json"]).json();
        assert_eq!((&again["state"], &again["failures"]), (&json!("queued"), &json!(0)));
        assert_eq!(failed(2)["failures"], 1);
        assert_eq!(server.stop(), 0);
    }

    fn a_job_that_waits_can_be_made_due(database: Database) {
        let installation = migrated(database);
        // There is no such blob, so nothing is left to do.
        insert(&installation, NOBODY, "remove_blob", NOBODY, QUEUED, LATE);
        let ran = botyard(&installation, &["job", "retry", NOBODY]);
        assert!(ran.done().starts_with(&format!("{NOBODY}  remove_blob      queued ")), "{ran:?}");
        assert_eq!(ran.done().lines().count(), 1);
        let mut server = installation.serve(&[]);
        until("the job is done", || job(&installation, NOBODY).is_none());
        assert_eq!(server.stop(), 0);
        let ran = botyard(&installation, &["job", "retry", NOBODY]);
        assert_eq!(ran.failed(), "job not found");
    }

    fn a_job_that_runs_can_not_be_repeated(database: Database) {
        let installation = migrated(database);
        insert(&installation, NOBODY, "remove_blob", NOBODY, RUNNING, 1);
        let before = listed(&installation);
        assert_eq!(botyard(&installation, &["job", "retry", NOBODY]).failed(), "the job is running");
        assert_eq!(listed(&installation), before);
        assert_eq!(before[0]["leasedUntil"], "2100-01-01T00:00:00.000Z");
    }

    fn all_jobs_are_listed_oldest_first(database: Database) {
        let installation = migrated(database);
        let number = match database {
            Database::Sqlite => "printf('%012x', n)",
            Database::Postgres => "lpad(to_hex(n), 12, '0')",
        };
        let id = installation.sql().id_of(&format!("'00000000-0000-7000-8000-' || {number}"));
        installation.sql().execute(&format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1234) \
             INSERT INTO jobs (id, kind, subject, state, attempt, failures, run_at, created_at) \
             SELECT {id}, 'remove_blob', '{NOBODY}', 'queued', 0, 0, {LATE}, n \
             FROM numbers"
        ));
        let found: Vec<_> = listed(&installation).iter().map(|job| text(&job["_id"])).collect();
        let expected: Vec<_> =
            (1..=1234).map(|n| format!("00000000-0000-7000-8000-{n:012x}")).collect();
        assert_eq!(found, expected);
        assert_eq!(botyard(&installation, &["job", "list"]).done().lines().count(), 1234);
    }

    fn jobs_are_counted(database: Database) {
        let installation = migrated(database);
        insert(&installation, NOBODY, "teardown_bot", "no bot", QUEUED, 1);
        let server = installation.serve(&[]);
        let mut wire = super::wire::Wire::open(server.address()).expect("the server listens");
        let mut metrics = || wire.ask("GET", "/metrics", None).expect("an answer").text();
        let failed = "\nbotyard_job_attempts_total{kind=\"teardown_bot\",outcome=\"failed\"} ";
        let count = |metrics: &str| -> Option<u32> {
            metrics.split_once(failed)?.1.lines().next()?.parse().ok()
        };
        until("the failure is counted", || count(&metrics()) == Some(1));
        let metrics = metrics();
        assert!(metrics.contains("botyard_job_seconds_count{kind=\"teardown_bot\"} 1"), "{metrics}");
        let other = "\nbotyard_job_attempts_total{kind=\"remove_blob\",outcome=\"requeued\"} 0";
        assert!(metrics.contains(other), "{metrics}");
    }
}

#[test]
fn what_is_no_identifier_is_wrong_usage() {
    let installation = Installation::new(Database::Sqlite);
    for id in ["", "1", "nobody"] {
        let ran = botyard(&installation, &["job", "retry", id]);
        assert!(ran.misused().contains("it is no _id"), "{ran:?}");
    }
    assert!(botyard(&installation, &["job"]).misused().contains("Usage"));
}
