//! Jobs in the database.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::Operator;
use domain::clock::Timestamp;
use domain::id::{JobId, ProjectId};
use domain::job::{Job, JobKind, JobRepository, JobState};

use crate::engine::db::{Dialect, on_db};
use crate::engine::tx::{Tx, find_locked};
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
            .filter(jobs::id.eq($job.id.to_string()))
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

/// The claim of the job of these kinds, of none of these projects, that has been due for longest; see the
/// index `jobs_due`. The kinds stand in the text, so that it can be planned with them, and so they are words
/// and nothing else; identifiers are hexadecimal digits.
fn claim(dialect: Dialect, kinds: &[JobKind], passed_over: &[ProjectId]) -> String {
    let is_in_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_word = |kind: &&str| kind.bytes().all(is_in_word);
    let kinds: Vec<_> = kinds.iter().map(JobKind::as_str).filter(is_word).collect();
    let kinds = kinds.join("', '");
    let passed_over: Vec<_> = passed_over.iter().map(|project| format!("'{project}'")).collect();
    let passed_over = match &passed_over[..] {
        [] => String::new(),
        projects => {
            format!("AND (project_id IS NULL OR project_id NOT IN ({}))", projects.join(", "))
        }
    };
    let skip = skip_locked(dialect);
    format!(
        "UPDATE jobs SET state = 'running', attempt = attempt + 1, leased_until = $1, \
         failures = CASE state WHEN 'running' THEN failures + 1 ELSE failures END, \
         last_error = CASE state WHEN 'running' THEN 'its worker went away' ELSE last_error END \
         WHERE id = (SELECT id FROM jobs WHERE state <> 'failed' \
         AND coalesce(leased_until, run_at) <= $2 AND kind IN ('{kinds}') {passed_over} \
         ORDER BY coalesce(leased_until, run_at), id LIMIT 1 {skip}) RETURNING *"
    )
}

impl JobRepository for Tx<'_> {
    fn insert_job(&mut self, job: &Job) -> Result<(), StorageError> {
        let row = JobRow::of(job);
        self.change_one(
            "noting a job",
            |db| on_db!(db, db => diesel::insert_into(jobs::table).values(row).execute(db)),
        )
    }

    fn insert_job_once(&mut self, _: Operator, job: &Job) -> Result<(), StorageError> {
        let row = JobRow::of(job);
        let once = diesel::insert_into(jobs::table).values(row).on_conflict(jobs::id).do_nothing();
        self.query(|db| on_db!(db, db => once.execute(db)))?;
        Ok(())
    }

    fn withdraw_job(&mut self, job: &Job) -> Result<bool, StorageError> {
        let queued = at_attempt!(job).filter(jobs::state.eq(JobState::Queued.as_str()));
        let gone = self.query(|db| on_db!(db, db => diesel::delete(queued).execute(db)))?;
        Ok(gone > 0)
    }

    fn claim_job(
        &mut self,
        _: Operator,
        (kinds, passed_over): (&[JobKind], &[ProjectId]),
        now: Timestamp,
        leased_until: Timestamp,
    ) -> Result<Option<Job>, StorageError> {
        let row: Option<JobRow> = self.query(|db| {
            let claim = claim(db.dialect(), kinds, passed_over);
            on_db!(db, db => diesel::sql_query(claim)
                .bind::<BigInt, _>(leased_until.millis())
                .bind::<BigInt, _>(now.millis())
                .get_result(db)
                .optional())
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
            .bind(project.to_string())
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

    fn holds_job(&mut self, _: Operator, job: &Job) -> Result<bool, StorageError> {
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
            self.query(|db| on_db!(db, db => diesel::update(running).set(longer).execute(db)))?;
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
        self.query(
            |db| on_db!(db, db => diesel::update(at_attempt!(job)).set(columns).execute(db)),
        )?;
        Ok(())
    }

    fn set_job_position(
        &mut self,
        _: Operator,
        job: &Job,
        position: &str,
    ) -> Result<(), StorageError> {
        let position = jobs::position.eq(Some(position));
        self.query(
            |db| on_db!(db, db => diesel::update(at_attempt!(job)).set(position).execute(db)),
        )?;
        Ok(())
    }

    fn job(&mut self, _: Operator, id: JobId) -> Result<Option<Job>, StorageError> {
        let one = jobs::table.filter(jobs::id.eq(id.to_string()));
        let row = find_locked!(self, Lock::Exclusive, one, JobRow)?;
        Ok(row.map(Job::from))
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
