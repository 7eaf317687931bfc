//! Jobs in the database.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::StorageError;
use domain::access::Operator;
use domain::clock::Timestamp;
use domain::id::{JobId, ProjectId};
use domain::job::{Job, JobKind, JobRepository, JobState};

use crate::engine::db::{Dialect, on_db};
use crate::engine::tx::{Tx, decode, find_locked};
use crate::sql::schema::jobs;
use crate::sql::statement::Statement;
use crate::tables::rows::after;

#[derive(Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = jobs)]
struct JobRow {
    #[diesel(sql_type = Text)]
    id: String,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Text)]
    subject: String,
    #[diesel(sql_type = Nullable<Text>)]
    project_id: Option<String>,
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = BigInt)]
    attempt: i64,
    #[diesel(sql_type = BigInt)]
    failures: i64,
    #[diesel(sql_type = BigInt)]
    run_at: i64,
    #[diesel(sql_type = Nullable<BigInt>)]
    leased_until: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    last_error: Option<String>,
    #[diesel(sql_type = BigInt)]
    created_at: i64,
}

impl TryFrom<JobRow> for Job {
    type Error = StorageError;

    fn try_from(row: JobRow) -> Result<Self, StorageError> {
        let id = row.id.as_str();
        let project = |project: String| decode("jobs.project_id", id, ProjectId::parse(&project));
        Ok(Self {
            id: decode("jobs.id", id, JobId::parse(id))?,
            kind: JobKind::from_row(row.kind),
            project_id: row.project_id.map(project).transpose()?,
            state: decode("jobs.state", id, JobState::parse(&row.state))?,
            attempt: decode("jobs.attempt", id, row.attempt.try_into().ok())?,
            failures: decode("jobs.failures", id, row.failures.try_into().ok())?,
            subject: row.subject,
            run_at: Timestamp::from_millis(row.run_at),
            leased_until: row.leased_until.map(Timestamp::from_millis),
            last_error: row.last_error,
            created_at: Timestamp::from_millis(row.created_at),
        })
    }
}

impl From<&Job> for JobRow {
    fn from(job: &Job) -> Self {
        Self {
            id: job.id.to_string(),
            kind: job.kind.as_str().to_owned(),
            subject: job.subject.clone(),
            project_id: job.project_id.map(|id| id.to_string()),
            state: job.state.as_str().to_owned(),
            attempt: job.attempt.into(),
            failures: job.failures.into(),
            run_at: job.run_at.millis(),
            leased_until: job.leased_until.map(Timestamp::millis),
            last_error: job.last_error.clone(),
            created_at: job.created_at.millis(),
        }
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

/// The claim of the job of these kinds that has been due for longest; see the index `jobs_due`. The kinds
/// stand in the text, so that it can be planned with them, and so they are words and nothing else.
fn claim(dialect: Dialect, kinds: &[JobKind]) -> String {
    let is_in_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_word = |kind: &&str| kind.bytes().all(is_in_word);
    let kinds: Vec<_> = kinds.iter().map(JobKind::as_str).filter(is_word).collect();
    let kinds = kinds.join("', '");
    let skip = skip_locked(dialect);
    format!(
        "UPDATE jobs SET state = 'running', attempt = attempt + 1, leased_until = $1, \
         failures = CASE state WHEN 'running' THEN failures + 1 ELSE failures END, \
         last_error = CASE state WHEN 'running' THEN 'its worker went away' ELSE last_error END \
         WHERE id = (SELECT id FROM jobs WHERE state <> 'failed' \
         AND coalesce(leased_until, run_at) <= $2 AND kind IN ('{kinds}') \
         ORDER BY coalesce(leased_until, run_at), id LIMIT 1 {skip}) RETURNING *"
    )
}

impl JobRepository for Tx<'_> {
    fn insert_job(&mut self, job: &Job) -> Result<(), StorageError> {
        let row = JobRow::from(job);
        self.change_one(
            "noting a job",
            |db| on_db!(db, db => diesel::insert_into(jobs::table).values(row).execute(db)),
        )
    }

    fn insert_job_once(&mut self, _: Operator, job: &Job) -> Result<(), StorageError> {
        let row = JobRow::from(job);
        let once = diesel::insert_into(jobs::table).values(row).on_conflict(jobs::id).do_nothing();
        self.query(|db| on_db!(db, db => once.execute(db)))?;
        Ok(())
    }

    fn claim_job(
        &mut self,
        _: Operator,
        kinds: &[JobKind],
        now: Timestamp,
        leased_until: Timestamp,
    ) -> Result<Option<Job>, StorageError> {
        let row: Option<JobRow> = self.query(|db| {
            let claim = claim(db.dialect(), kinds);
            on_db!(db, db => diesel::sql_query(claim)
                .bind::<BigInt, _>(leased_until.millis())
                .bind::<BigInt, _>(now.millis())
                .get_result(db)
                .optional())
        })?;
        row.map(Job::try_from).transpose()
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
        );
        self.query(
            |db| on_db!(db, db => diesel::update(at_attempt!(job)).set(columns).execute(db)),
        )?;
        Ok(())
    }

    fn job(&mut self, _: Operator, id: JobId) -> Result<Option<Job>, StorageError> {
        let one = jobs::table.filter(jobs::id.eq(id.to_string()));
        let row = find_locked!(self, Lock::Exclusive, one, JobRow)?;
        row.map(Job::try_from).transpose()
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
        rows.into_iter().map(Job::try_from).collect()
    }
}
