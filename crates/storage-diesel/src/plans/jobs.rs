//! The same for claims of jobs, which are made every second: each looks up the first row of a kind, or of a kind
//! and a project, however many jobs there are.

use diesel::connection::SimpleConnection;
use domain::access::BotScope;
use domain::blob::{REMOVE_BLOB, SWEEP_BLOBS};
use domain::job::{JobOwner, JobRepository as _};

use super::{EPOCH, OPERATOR, StorageError, Tx, Watched, postgres, sqlite};
use crate::engine::db::OwnDb;

/// Many jobs of one project, and one of each of many others.
const MANY_JOBS: &str = "CREATE FUNCTION other (n INT) RETURNS UUID LANGUAGE SQL AS \
     $$ SELECT CAST(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' AS UUID) $$; \
     INSERT INTO projects SELECT other(n), organisation_id, 'other', 0 \
     FROM projects, generate_series(1, 1000) AS n; \
     INSERT INTO jobs (id, kind, subject, project_id, state, attempt, failures, run_at, created_at) \
     SELECT other(n), 'remove_blob', '', \
     CASE WHEN n < 1000 THEN other(n) ELSE other(1000) END, 'queued', 0, 0, n, n \
     FROM generate_series(1, 5000) AS n; \
     ANALYZE projects; ANALYZE jobs";

fn no_claim_goes_through_all_jobs(db: OwnDb) {
    let mut watched = Watched::new(db);
    if let OwnDb::Pg(db) = &mut watched.db {
        // The few rows of a claim are sorted.
        db.batch_execute(&format!("{MANY_JOBS}; SET LOCAL enable_sort = on")).unwrap();
    }
    let owner = Some(JobOwner::Project(watched.scope.project_id()));
    let kinds = [REMOVE_BLOB, SWEEP_BLOBS];
    let mut check = |call: &dyn Fn(&mut Tx<'_>) -> Result<(), StorageError>,
                     sqlite: &[&str],
                     postgres: &[&str]| {
        let plan = watched.plan(|tx, _: &BotScope| call(tx));
        let (scan, expected) = match watched.db {
            OwnDb::Sqlite(_) => ("SCAN jobs", sqlite),
            OwnDb::Pg(_) => ("Seq Scan on jobs", postgres),
        };
        assert!(!plan.contains(scan), "{plan}");
        assert!(expected.iter().all(|text| plan.contains(text)), "{expected:?}: {plan}");
    };
    check(
        &|tx| tx.due_kinds(OPERATOR, (&kinds, None), EPOCH).map(drop),
        &["jobs_due (kind=?)"],
        &["using jobs_due", "Index Cond: (kind = "],
    );
    check(
        &|tx| tx.due_kinds(OPERATOR, (&kinds, owner), EPOCH).map(drop),
        &["jobs_turns (kind=? AND owner_id=?)"],
        &["using jobs_turns", "(owner_id = "],
    );
    check(
        &|tx| tx.next_job_owner(OPERATOR, (&kinds, EPOCH), owner, 9).map(drop),
        &["jobs_turns (kind=? AND owner_id>?)", "jobs_turns (kind=? AND owner_id=?)"],
        &["using jobs_turns", "(owner_id > ", "(owner_id = "],
    );
    check(
        &|tx| tx.claim_job(OPERATOR, (&REMOVE_BLOB, None), EPOCH, EPOCH).map(drop),
        &["jobs_due (kind=? AND <expr><?)"],
        &["using jobs_due", "(COALESCE(leased_until, run_at) <= "],
    );
    check(
        &|tx| tx.claim_job(OPERATOR, (&REMOVE_BLOB, owner), EPOCH, EPOCH).map(drop),
        &["jobs_turns (kind=? AND owner_id=? AND <expr><?)"],
        &["using jobs_turns", "(owner_id = ", "(COALESCE(leased_until, run_at) <= "],
    );
    // Neither does counting.
    check(
        &|tx| tx.job_backlogs(OPERATOR, &kinds, 9).map(drop),
        &[
            "COVERING INDEX jobs_waiting (kind=?)",
            "COVERING INDEX jobs_failed (kind=?)",
            "jobs_due (kind=?)",
        ],
        // Those that wait may be found in `jobs_due` as well: there are few others in it.
        &["Index Only Scan using jobs_failed", "using jobs_due"],
    );
}

#[test]
fn on_sqlite() {
    no_claim_goes_through_all_jobs(sqlite());
}

#[test]
fn on_postgres() {
    no_claim_goes_through_all_jobs(postgres());
}
