//! Requests with keys in the database.

use std::borrow::Cow;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::{BotScope, Operator};
use domain::blob::Sha256;
use domain::clock::Timestamp;
use domain::entity_tag::EntityTag;
use domain::id::{IdempotentRequestId, ProjectId};
use domain::idempotency::{
    AnswerText, AnsweredBot, IdempotencyRepository, IdempotentOutcome, IdempotentRequest,
    StoredAnswer, StoredRequest,
};
use uuid::Uuid;

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, decode, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::schema::idempotent_requests as requests;
use crate::sql::statement::Statement;
use crate::tables::bot_rows::removable;

/// What a row takes beside its answer.
const ROW: i64 = 400;

/// What begins an answer that is the bot of the row: when that had been changed follows. No JSON begins so.
const OF_BOT: &str = "@";

/// The table, and the bytes of a row, as SQL.
const REQUESTS: (&str, &str) = ("idempotent_requests", "bytes");

/// The row of a request.
macro_rules! row_of {
    ($request:expr) => {
        requests::table
            .filter(requests::project_id.eq($request.project_id().to_column()))
            .filter(requests::token_id.eq($request.token_id().to_column()))
            .filter(requests::key.eq($request.key().as_str()))
    };
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = requests)]
struct RequestRow {
    id: IdColumn,
    target: String,
    lease_until: i64,
    body: Option<String>,
}

impl TryFrom<RequestRow> for StoredRequest {
    type Error = StorageError;

    fn try_from(row: RequestRow) -> Result<Self, StorageError> {
        let id = row.id;
        let hash = |text: &str| decode("a hash of idempotent_requests", id, Sha256::parse(text));
        Ok(Self {
            attempt: Stored::from_column(id),
            target: hash(&row.target)?,
            lease_until: Timestamp::from_millis(row.lease_until),
            answered: row.body.as_deref().map(hash).transpose()?,
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = requests)]
struct AnswerRow {
    id: IdColumn,
    bot_id: Option<IdColumn>,
    entity_tag: Option<String>,
    answer: Option<String>,
}

/// The columns of an answer.
type AnswerColumns<'a> = (
    diesel::dsl::Eq<requests::entity_tag, Option<String>>,
    diesel::dsl::Eq<requests::answer, Option<&'a str>>,
    diesel::dsl::Eq<requests::bytes, i64>,
);

fn columns(answer: &AnswerText) -> Result<AnswerColumns<'_>, StorageError> {
    Ok((
        requests::entity_tag.eq(answer.entity_tag.map(|tag| tag.to_string())),
        requests::answer.eq(Some(answer.body.as_str())),
        requests::bytes.eq(ROW + number(answer.body.len() as u64)?),
    ))
}

impl Tx<'_> {
    /// Removes the oldest rows before `end`, of one project or of all: at most `limit`, and fewer if they are large.
    fn remove_oldest(
        &mut self,
        project: Option<ProjectId>,
        end: IdColumn,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let oldest: Statement<(Id, BigInt)> = rows_before("SELECT id, bytes", project, end);
        let oldest = oldest.sql(" ORDER BY id LIMIT ").bind(i64::from(limit));
        let oldest: Vec<(IdColumn, i64)> = self.query(|db| on_db!(db, db => oldest.load(db)))?;
        let count = removable(oldest.iter().map(|(_, bytes)| *bytes));
        let Some((last, _)) = count.checked_sub(1).and_then(|at| oldest.get(at)) else {
            return Ok(0);
        };
        let removal: Statement<Id> =
            rows_before("DELETE", project, end).sql(" AND id <= ").bind(*last);
        let removed = removal.sql(" RETURNING id");
        let removed: Vec<IdColumn> = self.query(|db| on_db!(db, db => removed.load(db)))?;
        u32::try_from(removed.len()).map_err(|_| broken("more requests removed than asked for"))
    }
}

impl IdempotencyRepository for Tx<'_> {
    fn idempotent_request(
        &mut self,
        request: &IdempotentRequest,
    ) -> Result<Option<StoredRequest>, StorageError> {
        let query = row_of!(request);
        let row = self.look_up(
            |db| on_db!(db, db => query.select(RequestRow::as_select()).first(db).optional()),
        )?;
        row.map(StoredRequest::try_from).transpose()
    }

    fn stored_answer(
        &mut self,
        request: &IdempotentRequest,
    ) -> Result<Option<StoredAnswer>, StorageError> {
        let sizes = row_of!(request).select(requests::bytes);
        let size: Option<i64> = self.look_up(|db| on_db!(db, db => sizes.first(db).optional()))?;
        let size = size.unwrap_or_default();
        self.record_long_value(size.unsigned_abs());
        self.reserve_memory(size)?;
        let query = row_of!(request);
        let row: Option<AnswerRow> = self.look_up(
            |db| on_db!(db, db => query.select(AnswerRow::as_select()).first(db).optional()),
        )?;
        let Some(AnswerRow { id, bot_id, entity_tag, answer: Some(body) }) = row else {
            return Ok(None);
        };
        if let Some(millis) = body.strip_prefix(OF_BOT) {
            let millis = decode("idempotent_requests.answer", id, millis.parse().ok())?;
            let bot = decode("idempotent_requests.bot_id", id, bot_id)?;
            let (id, updated_at) = (Stored::from_column(bot), Timestamp::from_millis(millis));
            return Ok(Some(StoredAnswer::Bot(AnsweredBot { id, updated_at })));
        }
        let tag = entity_tag.as_deref();
        let tag =
            tag.map(|tag| decode("idempotent_requests.entity_tag", id, EntityTag::parse(tag)));
        Ok(Some(StoredAnswer::Text(AnswerText { entity_tag: tag.transpose()?, body })))
    }

    fn store_idempotent_request(
        &mut self,
        request: &IdempotentRequest,
        now: Timestamp,
        outcome: IdempotentOutcome<'_>,
    ) -> Result<bool, StorageError> {
        let store = Statement::new("INSERT INTO idempotent_requests ")
            .sql("(project_id, token_id, key, id, target, lease_until, bytes")
            .sql(match outcome {
                IdempotentOutcome::Open(_) => ") VALUES (",
                IdempotentOutcome::Answered { .. } => {
                    ", bot_id, body, entity_tag, answer) VALUES ("
                }
            })
            .bind(request.project_id().to_column())
            .sql(", ")
            .bind(request.token_id().to_column())
            .sql(", ")
            .bind(request.key().as_str())
            .sql(", ")
            .bind(request.attempt().to_column())
            .sql(", ")
            .bind(request.target().to_string())
            .sql(", ");
        let store = match outcome {
            IdempotentOutcome::Open(lease_until) => {
                store.bind(lease_until.millis()).sql(", ").bind(ROW)
            }
            IdempotentOutcome::Answered { body, answer, of_bot } => {
                let (tag, answer) = match answer {
                    StoredAnswer::Text(text) => (text.entity_tag, Cow::from(&text.body)),
                    StoredAnswer::Bot(bot) => {
                        (None, format!("{OF_BOT}{}", bot.updated_at.millis()).into())
                    }
                };
                let bytes = ROW.saturating_add(number(answer.len() as u64)?);
                self.record_bulk(bytes);
                self.record_long_value(bytes.unsigned_abs());
                let store = store.bind(now.millis()).sql(", ").bind(bytes).sql(", ");
                let store = match of_bot {
                    Some(bot) => store.bind(bot.to_column()),
                    None => store.sql("NULL"),
                };
                let store = store.sql(", ").bind(body.to_string()).sql(", ");
                let store = match tag {
                    Some(tag) => store.bind(tag.to_string()),
                    None => store.sql("NULL"),
                };
                store.sql(", ").bind(answer.into_owned())
            }
        };
        let store: Statement<Id> = store
            .sql(") ON CONFLICT (project_id, token_id, key) DO UPDATE SET id = excluded.id, ")
            .sql("target = excluded.target, lease_until = excluded.lease_until, ")
            .sql("bytes = excluded.bytes, bot_id = excluded.bot_id, body = excluded.body, ")
            .sql("entity_tag = excluded.entity_tag, answer = excluded.answer ")
            .sql("WHERE idempotent_requests.answer IS NULL AND (idempotent_requests.id = excluded.id ")
            .sql("OR idempotent_requests.lease_until <= ")
            .bind(now.millis())
            .sql(") RETURNING id");
        let stored: Vec<IdColumn> = self.query(|db| on_db!(db, db => store.load(db)))?;
        Ok(!stored.is_empty())
    }

    fn replace_answer(
        &mut self,
        request: &IdempotentRequest,
        answer: &AnswerText,
    ) -> Result<(), StorageError> {
        let row = row_of!(request)
            .filter(requests::id.eq(request.attempt().to_column()))
            .filter(requests::answer.is_not_null());
        self.record_long_value(answer.body.len() as u64);
        let replace = diesel::update(row).set(columns(answer)?);
        self.query(|db| on_db!(db, db => replace.execute(db)))?;
        Ok(())
    }

    fn release_key(
        &mut self,
        request: &IdempotentRequest,
        even_if_answered: bool,
    ) -> Result<(), StorageError> {
        let row = row_of!(request).filter(requests::id.eq(request.attempt().to_column()));
        if even_if_answered {
            self.query(|db| on_db!(db, db => diesel::delete(row).execute(db)))?;
        } else {
            let open = row.filter(requests::answer.is_null());
            self.query(|db| on_db!(db, db => diesel::delete(open).execute(db)))?;
        }
        Ok(())
    }

    fn overgrown_idempotent_requests(
        &mut self,
        _: Operator,
        (count, bytes): (u64, u64),
    ) -> Result<Vec<ProjectId>, StorageError> {
        let overgrown: Statement<Id> =
            Statement::new("SELECT project_id FROM idempotent_requests ")
                .sql("GROUP BY project_id HAVING count(*) > ")
                .bind(most(count)?)
                .sql(" OR sum(bytes) > ")
                .bind(most(bytes)?);
        let projects: Vec<IdColumn> = self.query(|db| on_db!(db, db => overgrown.load(db)))?;
        Ok(projects.into_iter().map(Stored::from_column).collect())
    }

    fn remove_old_idempotent_requests(
        &mut self,
        _: Operator,
        before: Timestamp,
        limit: u32,
    ) -> Result<u32, StorageError> {
        // Identifiers begin with the time.
        let millis = u128::from(before.millis().max(0).unsigned_abs());
        let first_kept = IdColumn(Uuid::from_u128(millis << 80));
        self.remove_oldest(None, first_kept, limit)
    }

    fn surplus_idempotent_request(
        &mut self,
        _: Operator,
        project: ProjectId,
        (count, bytes): (u64, u64),
    ) -> Result<Option<IdempotentRequestId>, StorageError> {
        let surplus: Statement<Id> = Statement::new("SELECT id FROM (")
            .sql("SELECT id, row_number() OVER newest AS count, ")
            .sql("CAST(sum(bytes) OVER newest AS BIGINT) AS total ")
            .sql("FROM idempotent_requests WHERE project_id = ")
            .bind(project.to_column())
            .sql(" WINDOW newest AS (ORDER BY id DESC ROWS UNBOUNDED PRECEDING)")
            .sql(") AS counted WHERE count > ")
            .bind(most(count)?)
            .sql(" OR total > ")
            .bind(most(bytes)?)
            .sql(" ORDER BY id DESC LIMIT 1");
        let found: Vec<IdColumn> = self.query(|db| on_db!(db, db => surplus.load(db)))?;
        Ok(found.first().copied().map(Stored::from_column))
    }

    fn trim_idempotent_requests(
        &mut self,
        _: Operator,
        project: ProjectId,
        last: IdempotentRequestId,
        limit: u32,
    ) -> Result<u32, StorageError> {
        // What is greater than the last one begins with the next number.
        let end = IdColumn(Uuid::from_u128(last.uuid().as_u128().saturating_add(1)));
        self.remove_oldest(Some(project), end, limit)
    }

    fn remove_idempotent_requests_of_bot(
        &mut self,
        scope: &BotScope,
        limit: u32,
    ) -> Result<u32, StorageError> {
        self.remove_rows(REQUESTS, scope, limit)
    }
}

/// Goes on with the rows before `end`, of one project or of all.
fn rows_before<T>(begin: &'static str, project: Option<ProjectId>, end: IdColumn) -> Statement<T> {
    let rows = Statement::new(begin).sql(" FROM idempotent_requests WHERE id < ").bind(end);
    match project {
        // Of a project only answers go, and no request that is being carried out.
        Some(project) => {
            let of_project = rows.sql(" AND project_id = ").bind(project.to_column());
            of_project.sql(" AND answer IS NOT NULL")
        }
        None => rows,
    }
}

/// A bound that 0 switches off.
fn most(bound: u64) -> Result<i64, StorageError> {
    if bound == 0 { Ok(i64::MAX) } else { number(bound) }
}
