//! Jobs in the database.

use diesel::dsl::{exists, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Untyped};
use domain::StorageError;
use domain::access::{BotScope, Operator};
use domain::clock::Timestamp;
use domain::id::{JobId, ProjectId};
use domain::job::{Job, JobBacklog, JobKind, JobOwner, JobRepository, JobState};

use crate::engine::db::{Dialect, on_db};
use crate::engine::tx::{Tx, find_locked};
use crate::sql::cached_update::cached_update;
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::row_macros::table_row;
use crate::sql::schema::jobs;
use crate::sql::statement::Statement;
use crate::tables::bot_rows::after;

table_row! {
    #[derive(QueryableByName)]
    JobRow of Job in jobs {
        id: JobId,
        kind: JobKind,
        subject: String,
        project_id: Option<ProjectId>,
        state: JobState,
        attempt: u32,
        failures: u32,
        run_at: Timestamp,
        leased_until: Option<Timestamp>,
        last_error: Option<String>,
        created_at: Timestamp,
        position: Option<String>,
    }
}

/// The job, as long as it is at this attempt.
macro_rules! at_attempt {
    ($job:expr) => {
        jobs::table
            .filter(jobs::id.eq($job.id.to_column()))
            .filter(jobs::attempt.eq(i64::from($job.attempt)))
    };
}

/// PostgreSQL passes over jobs that another unit is claiming or waking.
const fn skip_locked(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Postgres => "FOR UPDATE SKIP LOCKED",
        Dialect::Sqlite => "",
    }
}

/// What is not over, when it is due, and whose it is, as the indexes `jobs_due` and `jobs_turns` have them.
const OPEN: &str = "state <> 'failed'";
const DUE: &str = "coalesce(leased_until, run_at)";
const OWNER: &str = "owner_id";
/// The owner of jobs of no project. It is greater than every id.
const SERVICE: IdColumn = IdColumn::LAST;

fn key(owner: JobOwner) -> IdColumn {
    match owner {
        JobOwner::Project(id) => id.to_column(),
        JobOwner::Service => SERVICE,
    }
}

/// A statement that begins with a table of these kinds. In a list behind `IN` they would not do: the databases
/// would then read all that is due of each kind and sort it, instead of the first row of each.
fn with_kinds<T>(kinds: &[JobKind]) -> Statement<T> {
    let mut statement = Statement::new("WITH RECURSIVE kinds (kind) AS (VALUES ");
    for (number, kind) in kinds.iter().enumerate() {
        let begin = if number == 0 { "(" } else { ", (" };
        statement = statement.sql(begin).bind(kind.as_str()).sql(")");
    }
    statement.sql(")")
}

/// Goes on with the condition that a job is of this owner, if one is given.
fn of_owner<T>(statement: Statement<T>, owner: Option<JobOwner>) -> Statement<T> {
    match owner {
        Some(owner) => statement.sql(format!(" AND {OWNER} = ")).bind(key(owner)),
        None => statement,
    }
}

/// Goes on with the first owner of a job of the kinds who comes after a key: that one, or the one in the
/// current row of `owner_chain`.
fn next_owner<T>(statement: Statement<T>, after_key: Option<IdColumn>) -> Statement<T> {
    let next = statement.sql(format!(
        "(SELECT owner FROM (SELECT (SELECT {OWNER} FROM jobs \
         WHERE {OPEN} AND jobs.kind = kinds.kind AND {OWNER} > "
    ));
    let next = match after_key {
        Some(key) => next.bind(key),
        None => next.sql("owner_chain.owner"),
    };
    next.sql(format!(
        " ORDER BY {OWNER} LIMIT 1) AS owner FROM kinds) AS owners \
         WHERE owner IS NOT NULL ORDER BY owner LIMIT 1)"
    ))
}

impl JobRepository for Tx<'_> {
    fn insert_job(&mut self, job: &Job) -> Result<(), StorageError> {
        let row = JobRow::of(job);
        self.change_one(
            "inserting a job",
            |db| on_db!(db, db => diesel::insert_into(jobs::table).values(row).execute(db)),
        )
    }

    fn insert_job_once(&mut self, _: Operator, job: &Job) -> Result<(), StorageError> {
        let row = JobRow::of(job);
        let once = diesel::insert_into(jobs::table).values(row).on_conflict(jobs::id).do_nothing();
        self.query(|db| on_db!(db, db => once.execute(db)))?;
        Ok(())
    }

    fn lock_unclaimed_job(&mut self, job: &Job) -> Result<bool, StorageError> {
        let queued = at_attempt!(job).filter(jobs::state.eq(JobState::Queued.as_str()));
        Ok(find_locked!(self, Lock::Exclusive, queued, JobRow)?.is_some())
    }

    fn withdraw_job(&mut self, job: &Job) -> Result<bool, StorageError> {
        let queued = at_attempt!(job).filter(jobs::state.eq(JobState::Queued.as_str()));
        let gone = self.query(|db| on_db!(db, db => diesel::delete(queued).execute(db)))?;
        Ok(gone > 0)
    }

    fn due_kinds(
        &mut self,
        _: Operator,
        (kinds, owner): (&[JobKind], Option<JobOwner>),
        now: Timestamp,
    ) -> Result<Vec<JobKind>, StorageError> {
        if kinds.is_empty() {
            return Ok(Vec::new());
        }
        let query: Statement<Text> = with_kinds(kinds).sql(format!(
            " SELECT kind FROM (SELECT kind, \
             (SELECT {DUE} FROM jobs WHERE {OPEN} AND jobs.kind = kinds.kind"
        ));
        let query = of_owner(query, owner)
            .sql(format!(" ORDER BY {DUE} LIMIT 1) AS due FROM kinds) AS first WHERE due <= "))
            .bind(now.millis())
            .sql(" ORDER BY due, kind");
        let due: Vec<String> = self.query(|db| on_db!(db, db => query.load(db)))?;
        Ok(due.into_iter().map(JobKind::from_row).collect())
    }

    fn next_job_owner(
        &mut self,
        _: Operator,
        (kinds, now): (&[JobKind], Timestamp),
        after_owner: Option<JobOwner>,
        limit: u32,
    ) -> Result<Option<JobOwner>, StorageError> {
        if kinds.is_empty() {
            return Ok(None);
        }
        // Each row of `owner_chain` is the next owner, up to one of whom a job is due. After the last owner comes NULL.
        let query: Statement<Nullable<Id>> =
            with_kinds(kinds).sql(", owner_chain (owner, number) AS (SELECT ");
        let query = next_owner(query, Some(after_owner.map_or(IdColumn::FIRST, key)));
        let query = next_owner(query.sql(", 1 UNION ALL SELECT "), None)
            .sql(", number + 1 FROM owner_chain WHERE number < ")
            .bind(i64::from(limit))
            .sql(format!(
                " AND (SELECT min((SELECT {DUE} FROM jobs WHERE {OPEN} AND jobs.kind = kinds.kind \
                 AND {OWNER} = owner_chain.owner ORDER BY {DUE} LIMIT 1)) FROM kinds) > "
            ))
            .bind(now.millis())
            .sql(") SELECT owner FROM owner_chain ORDER BY number DESC LIMIT 1");
        let found: Option<IdColumn> = self.query(|db| on_db!(db, db => query.get_result(db)))?;
        let owner = |key| match key {
            SERVICE => JobOwner::Service,
            id => JobOwner::Project(Stored::from_column(id)),
        };
        Ok(found.map(owner))
    }

    fn claim_job(
        &mut self,
        _: Operator,
        (kind, owner): (&JobKind, Option<JobOwner>),
        now: Timestamp,
        leased_until: Timestamp,
    ) -> Result<Option<Job>, StorageError> {
        let row: Option<JobRow> = self.query(|db| {
            let skip = skip_locked(db.dialect());
            let claim: Statement<Untyped> = Statement::new(
                "UPDATE jobs SET state = 'running', attempt = attempt + 1, \
                 failures = CASE state WHEN 'running' THEN failures + 1 ELSE failures END, \
                 last_error = CASE state WHEN 'running' THEN 'its worker went away' \
                 ELSE last_error END, leased_until = ",
            );
            let claim = claim
                .bind(leased_until.millis())
                .sql(format!(" WHERE id = (SELECT id FROM jobs WHERE {OPEN} AND jobs.kind = "))
                .bind(kind.as_str());
            let claim = of_owner(claim, owner)
                .sql(format!(" AND {DUE} <= "))
                .bind(now.millis())
                .sql(format!(" ORDER BY {DUE}, id LIMIT 1 {skip}) RETURNING *"));
            on_db!(db, db => claim.get_result(db).optional())
        })?;
        Ok(row.map(Job::from))
    }

    fn expire_leases(&mut self, _: Operator, now: Timestamp) -> Result<(), StorageError> {
        let running = jobs::table.filter(jobs::state.eq(JobState::Running.as_str()));
        let expire = diesel::update(running).set(jobs::leased_until.eq(now.millis()));
        self.query(|db| on_db!(db, db => expire.execute(db)))?;
        Ok(())
    }

    fn wake_job(
        &mut self,
        _: Operator,
        (project, kind): (ProjectId, &JobKind),
        now: Timestamp,
        until: Timestamp,
    ) -> Result<bool, StorageError> {
        let woken = self.query(|db| {
            let skip = skip_locked(db.dialect());
            // The state is spelt out, because only then does the index `jobs_waiting` serve.
            let wake: Statement<()> = Statement::new(
                "UPDATE jobs SET run_at = created_at WHERE id = (SELECT id FROM jobs \
                 WHERE state = 'queued' AND project_id = ",
            )
            .bind(project.to_column())
            .sql(" AND kind = ")
            .bind(kind.as_str())
            .sql(" AND run_at > ")
            .bind(now.millis())
            .sql(" AND run_at <= ")
            .bind(until.millis())
            .sql(format!(" ORDER BY created_at, id LIMIT 1 {skip})"));
            on_db!(db, db => wake.execute(db))
        })?;
        Ok(woken > 0)
    }

    fn wake_jobs(
        &mut self,
        ids: &[JobId],
        now: Timestamp,
        soon: Timestamp,
    ) -> Result<(), StorageError> {
        let ids: Vec<_> = ids.iter().map(Stored::to_column).collect();
        let woken = jobs::table.filter(jobs::id.eq_any(ids)).filter(
            jobs::state
                .eq("running")
                .or(jobs::state.eq("queued").and(jobs::run_at.gt(soon.millis()))),
        );
        let due = jobs::run_at.eq(now.millis());
        // A job that is woken for nothing looks once.
        self.harmless_change(|db| on_db!(db, db => diesel::update(woken).set(due).execute(db)))?;
        Ok(())
    }

    fn lock_own_job(&mut self, _: Operator, job: &Job) -> Result<bool, StorageError> {
        let running = at_attempt!(job).filter(jobs::state.eq(JobState::Running.as_str()));
        Ok(find_locked!(self, Lock::Exclusive, running, JobRow)?.is_some())
    }

    fn extend_lease(
        &mut self,
        _: Operator,
        job: &Job,
        leased_until: Timestamp,
    ) -> Result<bool, StorageError> {
        let running = at_attempt!(job).filter(jobs::state.eq(JobState::Running.as_str()));
        let longer = jobs::leased_until.eq(leased_until.millis());
        let extended =
            self.query(|db| on_db!(db, db => cached_update(running, longer).execute(db)))?;
        Ok(extended > 0)
    }

    fn delete_job(&mut self, _: Operator, job: &Job) -> Result<(), StorageError> {
        self.query(|db| on_db!(db, db => diesel::delete(at_attempt!(job)).execute(db)))?;
        Ok(())
    }

    fn update_job(&mut self, _: Operator, job: &Job) -> Result<(), StorageError> {
        let columns = (
            jobs::state.eq(job.state.as_str()),
            jobs::failures.eq(i64::from(job.failures)),
            jobs::run_at.eq(job.run_at.millis()),
            jobs::leased_until.eq(job.leased_until.map(Timestamp::millis)),
            jobs::last_error.eq(job.last_error.as_deref()),
            jobs::position.eq(job.position.as_deref()),
        );
        self.query(|db| on_db!(db, db => cached_update(at_attempt!(job), columns).execute(db)))?;
        Ok(())
    }

    fn set_job_position(
        &mut self,
        _: Operator,
        job: &Job,
        position: &str,
    ) -> Result<(), StorageError> {
        let position = jobs::position.eq(Some(position));
        self.query(|db| on_db!(db, db => cached_update(at_attempt!(job), position).execute(db)))?;
        Ok(())
    }

    fn has_open_job(
        &mut self,
        _: Operator,
        kind: &JobKind,
        subject: &str,
    ) -> Result<bool, StorageError> {
        let open = jobs::table
            .filter(jobs::kind.eq(kind.as_str()))
            .filter(jobs::subject.eq(subject))
            .filter(jobs::state.ne(JobState::Failed.as_str()));
        let open = diesel::select(exists(open));
        self.look_up(|db| on_db!(db, db => open.get_result(db)))
    }

    fn has_open_job_of_bot(
        &mut self,
        scope: &BotScope,
        kind: &JobKind,
    ) -> Result<bool, StorageError> {
        let open = jobs::table
            .filter(jobs::kind.eq(kind.as_str()))
            .filter(jobs::project_id.eq(scope.project_id().to_column()))
            .filter(jobs::subject.eq(scope.bot_id().to_string()))
            .filter(sql::<Bool>(OPEN));
        let open = diesel::select(exists(open));
        self.look_up(|db| on_db!(db, db => open.get_result(db)))
    }

    fn job(&mut self, _: Operator, id: JobId) -> Result<Option<Job>, StorageError> {
        let one = jobs::table.filter(jobs::id.eq(id.to_column()));
        let row = find_locked!(self, Lock::Exclusive, one, JobRow)?;
        Ok(row.map(Job::from))
    }

    fn job_backlogs(
        &mut self,
        _: Operator,
        kinds: &[JobKind],
        most: u32,
    ) -> Result<Vec<JobBacklog>, StorageError> {
        if kinds.is_empty() {
            return Ok(Vec::new());
        }
        // The states are spelt out, because only then do the indexes `jobs_waiting` and `jobs_failed` serve.
        let counted = |state: &str| {
            format!(
                "(SELECT count(*) FROM (SELECT 1 FROM jobs \
                 WHERE state = '{state}' AND jobs.kind = kinds.kind LIMIT {most}) AS {state})"
            )
        };
        let query: Statement<(Text, BigInt, BigInt, Nullable<BigInt>)> =
            with_kinds(kinds).sql(format!(
                " SELECT kind, {}, {}, (SELECT {DUE} FROM jobs \
                 WHERE {OPEN} AND jobs.kind = kinds.kind ORDER BY {DUE} LIMIT 1) FROM kinds",
                counted("queued"),
                counted("failed"),
            ));
        let rows: Vec<(String, i64, i64, Option<i64>)> =
            self.query(|db| on_db!(db, db => query.load(db)))?;
        let number = |count: i64| u64::try_from(count).unwrap_or(0);
        let backlogs = rows.into_iter().map(|(kind, queued, failed, due)| JobBacklog {
            kind: JobKind::from_row(kind),
            queued: number(queued),
            failed: number(failed),
            first_due: due.map(Timestamp::from_millis),
        });
        Ok(backlogs.collect())
    }

    fn jobs(
        &mut self,
        _: Operator,
        kinds: &[JobKind],
        after_id: Option<JobId>,
        limit: u32,
    ) -> Result<Vec<Job>, StorageError> {
        let query = jobs::table
            .filter(jobs::id.gt(after(after_id)))
            .filter(jobs::kind.eq_any(kinds.iter().map(JobKind::as_str)))
            .order(jobs::id)
            .limit(i64::from(limit));
        let rows = self.query(|db| on_db!(db, db => query.select(JobRow::as_select()).load(db)))?;
        Ok(rows.into_iter().map(Job::from).collect())
    }
}
