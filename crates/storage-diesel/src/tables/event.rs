//! Events in the database.
//!
//! Events of a project have numbers without gaps in the order in which they were committed. SQLite has one writer, so
//! an event has its number from the beginning. On PostgreSQL transactions are committed in any order: there an event is
//! written with a number below 0, in the order of a sequence, and [`number_events`] gives it its place once it is
//! committed.

#[cfg(feature = "postgres")]
mod bulk;

use std::ops::RangeInclusive;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use domain::StorageError;
use domain::access::{Operator, ProjectScope, Scheme};
use domain::clock::Timestamp;
use domain::event::{
    Event, EventActor, EventFilter, EventRepository, EventType, NumberedEvent, RangeEnd,
};
use domain::id::{BotId, ProjectId};

use crate::engine::db::{Db, Dialect, on_db};
use crate::engine::tx::{Tx, all_stored, broken, decode, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::schema::events;
use crate::sql::statement::Statement;

/// Gives places in the order of their projects to events that have none, at most 10 000 at once, in the order in which
/// they were written. It must not be run twice at the same time.
pub(crate) const NUMBER_EVENTS: &str = "\
    UPDATE events SET number = waiting.latest + waiting.place FROM ( \
        SELECT written.project_id, written.number, \
            row_number() OVER (PARTITION BY written.project_id ORDER BY written.number) AS place, \
            coalesce((SELECT max(numbered.number) FROM events AS numbered \
                WHERE numbered.project_id = written.project_id AND numbered.number > 0), 0) AS latest \
        FROM (SELECT project_id, number FROM events WHERE number < 0 ORDER BY number LIMIT 10000) AS written \
    ) AS waiting WHERE events.project_id = waiting.project_id AND events.number = waiting.number";

/// Whether there are any.
pub(crate) const IS_UNNUMBERED: &str =
    "SELECT (SELECT 1 FROM events WHERE number < 0 LIMIT 1) IS NOT NULL AS is_unnumbered";

/// What [`IS_UNNUMBERED`] answers.
#[derive(QueryableByName)]
pub(crate) struct UnnumberedRow {
    #[diesel(sql_type = Bool)]
    pub(crate) is_unnumbered: bool,
}

/// The columns of a row behind its number, as they are selected.
const COLUMNS: &str =
    "number, project_id, id, at, type, bot_id, resource_id, actor_token_id, actor_scheme, data";

type Columns =
    (BigInt, Id, Id, BigInt, Text, Nullable<Id>, Text, Nullable<Id>, Nullable<Text>, Text);

#[derive(Queryable)]
struct NumberedRow {
    number: i64,
    project_id: IdColumn,
    id: IdColumn,
    at: i64,
    event_type: String,
    bot_id: Option<IdColumn>,
    resource_id: String,
    actor_token_id: Option<IdColumn>,
    actor_scheme: Option<String>,
    data: String,
}

/// Goes on with the insertion of an event. The text depends on what is missing alone, so there are few of them.
pub(crate) fn insertion<T>(
    statement: Statement<T>,
    event: &Event,
    dialect: Dialect,
) -> Statement<T> {
    let or_null = |statement: Statement<T>, id: Option<IdColumn>| match id {
        Some(id) => statement.bind(id),
        None => statement.sql("NULL"),
    };
    let project = event.project_id.to_column();
    let statement = statement
        .sql("INSERT INTO events (project_id, id, at, type, bot_id, resource_id, actor_token_id, ")
        .sql(match dialect {
            Dialect::Postgres => "actor_scheme, data) VALUES (",
            Dialect::Sqlite => "actor_scheme, data, number) VALUES (",
        })
        .bind(project)
        .sql(", ")
        .bind(event.id.to_column())
        .sql(", ")
        .bind(event.at.millis())
        .sql(", ")
        .bind(event.event_type.as_str())
        .sql(", ");
    let statement = or_null(statement, event.bot_id.map(|bot| bot.to_column()))
        .sql(", ")
        .bind(event.resource_id.as_str())
        .sql(", ");
    let token = event.actor.map(|actor| actor.token_id.to_column());
    let statement = or_null(statement, token).sql(", ");
    let statement = match event.actor {
        Some(actor) => statement.bind(actor.scheme.as_str()),
        None => statement.sql("NULL"),
    };
    let statement = statement.sql(", ").bind(event.data.as_str());
    match dialect {
        Dialect::Postgres => statement.sql(")"),
        // One writer at a time gives the numbers in their order.
        Dialect::Sqlite => statement
            .sql(", (SELECT coalesce(max(number), 0) + 1 FROM events WHERE project_id = ")
            .bind(project)
            .sql("))"),
    }
}

impl TryFrom<NumberedRow> for NumberedEvent {
    type Error = StorageError;

    fn try_from(row: NumberedRow) -> Result<Self, StorageError> {
        let id = row.id;
        let actor = match (row.actor_token_id, row.actor_scheme) {
            (Some(token), Some(scheme)) => Some(EventActor {
                token_id: Stored::from_column(token),
                scheme: decode("events.actor_scheme", id, Scheme::parse(&scheme))?,
            }),
            (None, None) => None,
            _ => return Err(broken(format!("half an actor in the event {id}"))),
        };
        let event = Event {
            id: Stored::from_column(id),
            project_id: Stored::from_column(row.project_id),
            bot_id: row.bot_id.map(Stored::from_column),
            at: Timestamp::from_millis(row.at),
            event_type: decode("events.type", id, EventType::parse(&row.event_type))?,
            resource_id: row.resource_id,
            actor,
            data: decode("events.data", id, domain::json::Json::parse_text(&row.data))?,
        };
        Ok(Self { number: event_number(row.number)?, event })
    }
}

impl EventRepository for Tx<'_> {
    fn add_events(&mut self, scope: &ProjectScope, made: &[Event]) -> Result<(), StorageError> {
        let project = scope.project_id();
        if made.iter().any(|event| event.project_id != project) {
            return Err(broken("an event of another project was to be added"));
        }
        self.record_events();
        let added = self.query(|db| match db {
            #[cfg(feature = "postgres")]
            Db::Pg(db) => bulk::insert(db, project.to_column(), made),
            // There is no round trip to save.
            #[cfg(feature = "sqlite")]
            Db::Sqlite(db) => made.iter().try_fold(0, |added, event| {
                let insert: Statement<()> = insertion(Statement::new(""), event, Dialect::Sqlite);
                Ok(added + insert.execute(&mut **db)?)
            }),
        })?;
        all_stored("events", added, made.len())
    }

    fn event_numbers(&mut self, scope: &ProjectScope) -> Result<RangeInclusive<u64>, StorageError> {
        let numbered = || {
            events::table
                .filter(events::project_id.eq(scope.project_id().to_column()))
                .filter(events::number.gt(0))
                .select(events::number)
                .limit(1)
        };
        let oldest = numbered().order(events::number.asc());
        let oldest: Option<i64> =
            self.look_up(|db| on_db!(db, db => oldest.get_result(db).optional()))?;
        let latest = numbered().order(events::number.desc());
        let latest: Option<i64> =
            self.look_up(|db| on_db!(db, db => latest.get_result(db).optional()))?;
        Ok(event_number(oldest.unwrap_or(1))?..=event_number(latest.unwrap_or(0))?)
    }

    fn events(
        &mut self,
        scope: &ProjectScope,
        filter: &EventFilter,
        numbers: RangeInclusive<u64>,
        end: RangeEnd,
        limit: u32,
    ) -> Result<Vec<NumberedEvent>, StorageError> {
        let (first, last) = numbers.into_inner();
        let mut query: Statement<Columns> = Statement::new("SELECT ")
            .sql(COLUMNS)
            .sql(" FROM events WHERE project_id = ")
            .bind(scope.project_id().to_column())
            .sql(" AND number >= ")
            .bind(number(first.max(1))?)
            .sql(" AND number <= ")
            .bind(number(last)?);
        if let Some(bot) = filter.bot_id {
            query = query.sql(" AND bot_id = ").bind(bot.to_column());
        }
        // Also if all are asked for: nodes of a newer version may write types that this one does not know.
        let words = filter.types.iter().map(EventType::as_str);
        query = query.sql(" AND type IN (").bind_all(words).sql(")");
        let order = match end {
            RangeEnd::First => " ORDER BY number LIMIT ",
            RangeEnd::Last => " ORDER BY number DESC LIMIT ",
        };
        query = query.sql(order).bind(i64::from(limit));
        let rows: Vec<NumberedRow> = self.look_up(|db| on_db!(db, db => query.load(db)))?;
        let mut found = rows
            .into_iter()
            .map(NumberedEvent::try_from)
            .collect::<Result<Vec<NumberedEvent>, _>>()?;
        if end == RangeEnd::Last {
            found.reverse();
        }
        Ok(found)
    }

    fn knows_bot(&mut self, scope: &ProjectScope, bot: BotId) -> Result<bool, StorageError> {
        let (project, bot) = (scope.project_id().to_column(), bot.to_column());
        let knows: Statement<Bool> =
            Statement::new("SELECT (SELECT 1 FROM bots WHERE project_id = ")
                .bind(project)
                .sql(" AND id = ")
                .bind(bot)
                .sql(" AND kind = 'regular' LIMIT 1) IS NOT NULL OR (SELECT 1 FROM events WHERE project_id = ")
                .bind(project)
                .sql(" AND bot_id = ")
                .bind(bot)
                .sql(" AND type = 'bot.deleted' LIMIT 1) IS NOT NULL");
        self.look_up(|db| on_db!(db, db => knows.get_result(db)))
    }

    fn oldest_events(
        &mut self,
        _: Operator,
        project: ProjectId,
        limit: u32,
    ) -> Result<(Vec<(u64, Timestamp)>, u64), StorageError> {
        let numbered = || {
            events::table
                .filter(events::project_id.eq(project.to_column()))
                .filter(events::number.gt(0))
        };
        let oldest = numbered()
            .order(events::number.asc())
            .limit(i64::from(limit))
            .select((events::number, events::at));
        let oldest: Vec<(i64, i64)> = self.look_up(|db| on_db!(db, db => oldest.load(db)))?;
        let latest = numbered().order(events::number.desc()).limit(1).select(events::number);
        let latest: Option<i64> =
            self.look_up(|db| on_db!(db, db => latest.get_result(db).optional()))?;
        let oldest = oldest
            .into_iter()
            .map(|(number, at)| Ok((event_number(number)?, Timestamp::from_millis(at))))
            .collect::<Result<_, StorageError>>()?;
        Ok((oldest, event_number(latest.unwrap_or(0))?))
    }

    fn remove_events(
        &mut self,
        _: Operator,
        project: ProjectId,
        through: u64,
    ) -> Result<u32, StorageError> {
        let rows = events::table
            .filter(events::project_id.eq(project.to_column()))
            .filter(events::number.gt(0))
            .filter(events::number.le(number(through)?));
        let removed = self.query(|db| on_db!(db, db => diesel::delete(rows).execute(db)))?;
        u32::try_from(removed).map_err(|_| broken("more events removed than there are numbers"))
    }
}

/// The number of an event that has one.
fn event_number(number: i64) -> Result<u64, StorageError> {
    u64::try_from(number).map_err(|_| broken("an event without a number was read"))
}
