//! Changelogs in the database.

#[cfg(feature = "postgres")]
mod bulk;
mod counted;

use std::collections::BTreeSet;
use std::slice;

use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::{Actor, BotScope, Operator, ProjectScope, Scheme};
use domain::batch::Batch;
use domain::changelog::{
    Action, ChangedResource, ChangelogEntry, ChangelogFilter, ChangelogRepository, ContentChanges,
    KEPT,
};
use domain::clock::{TimeRange, Timestamp};
use domain::event::Event;
use domain::id::{BotId, ChangelogEntryId, ProjectId};
use domain::json::Json;
use uuid::Uuid;

use self::counted::Counted;
use crate::engine::db::{Db, Dialect, on_db};
use crate::engine::tx::{Tx, all_stored, broken, decode};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::schema::{bots, changelog_entries as entries};
use crate::sql::statement::Statement;
use crate::tables::bot_rows::{read_batch, row_bytes};
use crate::tables::event::insertion;

/// The bytes of a row's texts, as SQL.
const BYTES: &str = "octet_length(changes)";

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = entries, treat_none_as_default_value = false)]
struct EntryRow {
    id: IdColumn,
    project_id: IdColumn,
    bot_id: IdColumn,
    at: i64,
    actor_token_id: Option<IdColumn>,
    actor_name: Option<String>,
    actor_scheme: Option<String>,
    action: String,
    resource: String,
    resource_id: String,
    changes: String,
}

impl TryFrom<EntryRow> for ChangelogEntry {
    type Error = StorageError;

    fn try_from(row: EntryRow) -> Result<Self, StorageError> {
        let id = row.id;
        let actor = match (row.actor_token_id, row.actor_name, row.actor_scheme) {
            (Some(token), Some(name), Some(scheme)) => Some(Actor {
                token_id: Stored::from_column(token),
                name,
                scheme: decode("actor_scheme", id, scheme_called(&scheme))?,
            }),
            (None, None, None) => None,
            _ => return Err(broken(format!("half an actor in the entry {id}"))),
        };
        Ok(Self {
            id: Stored::from_column(id),
            bot_id: Stored::from_column(row.bot_id),
            at: Timestamp::from_millis(row.at),
            actor,
            action: decode("changelog_entries.action", id, Action::parse(&row.action))?,
            resource: decode(
                "changelog_entries.resource",
                id,
                ChangedResource::parse(&row.resource),
            )?,
            resource_id: row.resource_id,
            changes: decode("changelog_entries.changes", id, Json::parse_text(&row.changes))?,
        })
    }
}

fn scheme_called(name: &str) -> Option<Scheme> {
    [Scheme::Bot, Scheme::Project].into_iter().find(|scheme| scheme.as_str() == name)
}

fn row(project: ProjectId, entry: &ChangelogEntry) -> EntryRow {
    let actor = entry.actor.as_ref();
    EntryRow {
        id: entry.id.to_column(),
        project_id: project.to_column(),
        bot_id: entry.bot_id.to_column(),
        at: entry.at.millis(),
        actor_token_id: actor.map(|actor| actor.token_id.to_column()),
        actor_name: actor.map(|actor| actor.name.clone()),
        actor_scheme: actor.map(|actor| actor.scheme.as_str().to_owned()),
        action: entry.action.as_str().to_owned(),
        resource: entry.resource.as_str().to_owned(),
        resource_id: entry.resource_id.clone(),
        changes: entry.changes.as_str().to_owned(),
    }
}

/// Goes on with the insertion of an entry.
#[cfg(feature = "postgres")]
fn entry_insertion<T>(
    statement: Statement<T>,
    project: ProjectId,
    entry: &ChangelogEntry,
) -> Statement<T> {
    let statement = statement
        .sql("INSERT INTO changelog_entries (id, project_id, bot_id, at, actor_token_id, actor_name, ")
        .sql("actor_scheme, action, resource, resource_id, changes) VALUES (")
        .bind(entry.id.to_column())
        .sql(", ")
        .bind(project.to_column())
        .sql(", ")
        .bind(entry.bot_id.to_column())
        .sql(", ")
        .bind(entry.at.millis())
        .sql(", ");
    let statement = match &entry.actor {
        None => statement.sql("NULL, NULL, NULL"),
        Some(actor) => statement
            .bind(actor.token_id.to_column())
            .sql(", ")
            .bind(actor.name.as_str())
            .sql(", ")
            .bind(actor.scheme.as_str()),
    };
    statement
        .sql(", ")
        .bind(entry.action.as_str())
        .sql(", ")
        .bind(entry.resource.as_str())
        .sql(", ")
        .bind(entry.resource_id.as_str())
        .sql(", ")
        .bind(entry.changes.as_str())
        .sql(")")
}

/// The kept entries of a bot that match a filter, counted together. All of it is in the index of these entries.
fn entries_of<T>(
    begin: &'static str,
    scope: &BotScope,
    counted: Counted,
    filter: ChangelogFilter,
    oldest: IdColumn,
) -> Statement<T> {
    let ChangelogFilter { resource, action, times: TimeRange { from, to } } = filter;
    let mut entries = Statement::new(begin)
        .sql(" FROM changelog_entries WHERE project_id = ")
        .bind(scope.project_id().to_column())
        .sql(" AND bot_id = ")
        .bind(scope.bot_id().to_column())
        .sql(" AND id >= ")
        .bind(oldest)
        .sql(" AND ")
        .sql(counted.condition());
    if let (Some(resource), Counted::Others) = (resource, counted) {
        entries = entries.sql(" AND resource = ").bind(resource.as_str());
    }
    if let Some(action) = action {
        entries = entries.sql(" AND action = ").bind(action.as_str());
    }
    if let Some(from) = from {
        entries = entries.sql(" AND at >= ").bind(from.millis());
    }
    if let Some(to) = to {
        entries = entries.sql(" AND at <= ").bind(to.millis());
    }
    entries
}

impl Tx<'_> {
    /// The oldest entry that is kept of those that are counted together, or the least identifier.
    fn oldest(&mut self, scope: &BotScope, counted: Counted) -> Result<IdColumn, StorageError> {
        let (project, bot) = (scope.project_id().to_column(), scope.bot_id().to_column());
        Ok(self.oldest_kept(project, bot, counted)?.unwrap_or(IdColumn::FIRST))
    }

    /// The entries that match a filter. They are found in an index, and only those are read.
    fn filtered(
        &mut self,
        scope: &BotScope,
        filter: ChangelogFilter,
        before: Option<ChangelogEntryId>,
        limit: u32,
    ) -> Result<Batch<ChangelogEntry>, StorageError> {
        let before = before.map_or(IdColumn::LAST, |before| before.to_column());
        let mut ids = Vec::new();
        for counted in Counted::of(filter.resource) {
            let oldest = self.oldest(scope, *counted)?;
            let found: Statement<Id> = entries_of("SELECT id", scope, *counted, filter, oldest)
                .sql(" AND id < ")
                .bind(before)
                .sql(" ORDER BY id DESC LIMIT ")
                .bind(i64::from(limit));
            let found: Vec<IdColumn> = self.look_up(|db| on_db!(db, db => found.load(db)))?;
            ids.extend(found);
        }
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.truncate(limit as usize);
        let rows = read_batch!(
            self,
            entries::table
                .filter(entries::project_id.eq(scope.project_id().to_column()))
                .filter(entries::bot_id.eq(scope.bot_id().to_column()))
                .filter(entries::id.eq_any(ids.clone()))
                .order(entries::id.desc()),
            row_bytes(BYTES),
            EntryRow,
            limit
        );
        rows.try_map(ChangelogEntry::try_from)
    }

    fn record_entries(
        &mut self,
        project: ProjectId,
        made: &[ChangelogEntry],
    ) -> Result<(), StorageError> {
        let rows: Vec<_> = made.iter().map(|entry| row(project, entry)).collect();
        let recorded = self.query(|db| match db {
            #[cfg(feature = "postgres")]
            Db::Pg(db) => bulk::insert(db, project.to_column(), &rows),
            // There is no round trip to save.
            #[cfg(feature = "sqlite")]
            Db::Sqlite(db) => rows.iter().try_fold(0, |recorded, row| {
                Ok(recorded + diesel::insert_into(entries::table).values(row).execute(&mut **db)?)
            }),
        })?;
        all_stored("changelog entries", recorded, rows.len())
    }
}

impl ChangelogRepository for Tx<'_> {
    fn record(
        &mut self,
        scope: &BotScope,
        entry: &ChangelogEntry,
        event: Option<&Event>,
    ) -> Result<(), StorageError> {
        let project = scope.project_id();
        if entry.bot_id != scope.bot_id() || event.is_some_and(|event| event.project_id != project)
        {
            return Err(broken("an entry of another bot was to be recorded"));
        }
        let Some(event) = event else {
            return self.record_entries(project, slice::from_ref(entry));
        };
        self.record_events();
        let recorded = self.query(|db| match db {
            // In one round trip.
            #[cfg(feature = "postgres")]
            Db::Pg(db) => {
                let both = insertion(Statement::new("WITH event AS ("), event, Dialect::Postgres);
                let both: Statement<()> = entry_insertion(both.sql(") "), project, entry);
                both.execute(&mut **db)
            }
            #[cfg(feature = "sqlite")]
            Db::Sqlite(db) => {
                let of_event: Statement<()> = insertion(Statement::new(""), event, Dialect::Sqlite);
                of_event.execute(&mut **db)?;
                diesel::insert_into(entries::table).values(row(project, entry)).execute(&mut **db)
            }
        })?;
        all_stored("changelog entries", recorded, 1)
    }

    fn record_all(
        &mut self,
        scope: &ProjectScope,
        made: &[ChangelogEntry],
    ) -> Result<(), StorageError> {
        self.record_entries(scope.project_id(), made)
    }

    fn changelog(
        &mut self,
        scope: &BotScope,
        filter: ChangelogFilter,
        before: Option<ChangelogEntryId>,
        limit: u32,
    ) -> Result<Batch<ChangelogEntry>, StorageError> {
        if filter != ChangelogFilter::default() {
            return self.filtered(scope, filter, before, limit);
        }
        let (project, bot) = (scope.project_id().to_column(), scope.bot_id().to_column());
        // So many are the latest ones in whichever way they are counted.
        let limit = limit.min(KEPT);
        let mut oldest = |counted| match before {
            None => Ok(IdColumn::FIRST),
            Some(_) => {
                self.oldest_kept(project, bot, counted).map(|id| id.unwrap_or(IdColumn::FIRST))
            }
        };
        let (of_users, of_others) = (oldest(Counted::Users)?, oldest(Counted::Others)?);
        let before = before.map_or(IdColumn::LAST, |before| before.to_column());
        let is_kept = (Counted::Users.filter().and(entries::id.ge(of_users)))
            .or(Counted::Others.filter().and(entries::id.ge(of_others)));
        let rows = read_batch!(
            self,
            entries::table
                .filter(entries::project_id.eq(project))
                .filter(entries::bot_id.eq(bot))
                .filter(entries::id.ge(of_users.min(of_others)))
                .filter(entries::id.lt(before))
                .filter(is_kept.clone())
                .order(entries::id.desc()),
            row_bytes(BYTES),
            EntryRow,
            limit
        );
        rows.try_map(ChangelogEntry::try_from)
    }

    fn count_changelog(
        &mut self,
        scope: &BotScope,
        filter: ChangelogFilter,
    ) -> Result<u32, StorageError> {
        let mut count = 0;
        for counted in Counted::of(filter.resource) {
            let oldest = self.oldest(scope, *counted)?;
            let entries: Statement<BigInt> =
                entries_of("SELECT count(*)", scope, *counted, filter, oldest);
            let of_these: i64 = self.look_up(|db| on_db!(db, db => entries.get_result(db)))?;
            count += of_these;
        }
        u32::try_from(count).map_err(|_| broken("fewer than no entries"))
    }

    fn content_changes(
        &mut self,
        scope: &BotScope,
        since: Timestamp,
    ) -> Result<ContentChanges, StorageError> {
        // Entries sort by the time with which their identifiers begin.
        let millis = u128::from(since.millis().unsigned_abs());
        let first = IdColumn(Uuid::from_u128(millis << 80));
        let of_content = entries::table
            .filter(entries::project_id.eq(scope.project_id().to_column()))
            .filter(entries::bot_id.eq(scope.bot_id().to_column()))
            .filter(entries::id.ge(first))
            .filter(entries::resource.ne(ChangedResource::User.as_str()))
            .filter(entries::action.ne(Action::Duplicate.as_str()))
            .select(entries::id);
        let ids: Vec<IdColumn> = self.query(|db| on_db!(db, db => of_content.load(db)))?;
        Ok(ids.into_iter().map(Stored::from_column).collect())
    }

    fn overgrown_changelogs(&mut self, _: Operator) -> Result<Vec<BotId>, StorageError> {
        let mut bots = BTreeSet::new();
        for counted in [Counted::Users, Counted::Others] {
            let query = entries::table
                .filter(counted.filter())
                .group_by((entries::project_id, entries::bot_id))
                .having(count_star().gt(i64::from(KEPT)))
                .select(entries::bot_id);
            let ids: Vec<IdColumn> = self.query(|db| on_db!(db, db => query.load(db)))?;
            bots.extend(ids);
        }
        Ok(bots.into_iter().map(Stored::from_column).collect())
    }

    fn trim_changelog(&mut self, _: Operator, bot: BotId, limit: u32) -> Result<u32, StorageError> {
        let bot = bot.to_column();
        // The changelog of a bot that was deleted permanently is removed with the rest of the bot.
        let project = bots::table
            .filter(bots::id.eq(bot))
            .filter(bots::deleted_at.is_null())
            .select(bots::project_id);
        let project: Option<IdColumn> =
            self.query(|db| on_db!(db, db => project.get_result(db).optional()))?;
        let Some(project) = project else {
            return Ok(0);
        };
        let mut removed = 0;
        for counted in [Counted::Users, Counted::Others] {
            removed += self.trim_counted(project, bot, counted, limit - removed)?;
        }
        Ok(removed)
    }

    fn remove_changelog(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows(("changelog_entries", BYTES), scope, limit)
    }
}
