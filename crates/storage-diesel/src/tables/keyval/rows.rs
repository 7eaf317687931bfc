//! Rows of key-value entries, and single ones of them.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::StorageError;
use domain::access::OwnerClaim;
use domain::clock::Timestamp;
use domain::id::{BotId, ProjectId, UserId};
use domain::json::Json;
use domain::keyval::{Entry, EntryAddress, EntryOfGuest, KeyvalScope};
use domain::lock::Lock;

use crate::engine::db::{Dialect, on_db};
use crate::engine::tx::{Tx, broken, decode, number};
use crate::sql::columns::Stored;
use crate::sql::id::{Id, IdColumn, id_of_text};
use crate::sql::json::to_json;
use crate::sql::statement::{Statement, Value, one_by_one};
use crate::tables::bot::Live;

/// The columns of an address.
pub(super) const ADDRESS: &str = "user_id, type, key";
/// Their types.
pub(super) type AddressColumns = (Text, Text, Text);
/// What they are read as.
pub(super) type AddressRow = (String, String, String);

/// The columns that a stored entry is returned with, because they may be those of an earlier one, and the guestId of
/// its user.
type StoredColumns = (Id, BigInt, BigInt, Nullable<Text>);

/// What becomes of an entry at whose address there is one already.
const OVERWRITE: &str = "DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, \
    accessed_at = CASE WHEN keyval_entries.accessed_at > excluded.accessed_at \
    THEN keyval_entries.accessed_at ELSE excluded.accessed_at END";
const KEEP: &str = "DO NOTHING";

/// The columns of an entry beside its address and its value.
const PARTICULARS: &str = "id, created_at, updated_at, accessed_at";
/// Their types.
type ParticularsColumns = (Id, BigInt, BigInt, BigInt);

/// The columns of an entry in a page: its value only if that is not large, and how long it is, which
/// the databases know without reading it.
pub(super) const HEAD: &str = "user_id, type, key, id, created_at, updated_at, accessed_at, \
    CAST(octet_length(value) AS BIGINT), CASE WHEN octet_length(value) <= 4096 THEN value END";
/// Their types.
pub(super) type HeadColumns = (AddressColumns, ParticularsColumns, BigInt, Nullable<Text>);

#[derive(Queryable)]
pub(super) struct Particulars {
    id: IdColumn,
    created_at: i64,
    updated_at: i64,
    accessed_at: i64,
}

/// An entry that may lack its value.
#[derive(Queryable)]
pub(super) struct Head {
    pub(super) address: AddressRow,
    pub(super) particulars: Particulars,
    /// Of the value.
    pub(super) bytes: i64,
    pub(super) value: Option<String>,
}

impl Head {
    pub(super) fn address(&self) -> EntryAddress {
        address(self.address.clone())
    }
}

pub(super) fn address((user_id, entry_type, key): AddressRow) -> EntryAddress {
    EntryAddress { user_id, entry_type, key }
}

pub(super) fn entry(
    address: EntryAddress,
    of: &Particulars,
    value: Option<&str>,
) -> Result<Entry, StorageError> {
    let value = value.and_then(Json::parse_text);
    Ok(Entry {
        id: Stored::from_column(of.id),
        value: decode("keyval_entries.value", of.id, value)?,
        address,
        created_at: Timestamp::from_millis(of.created_at),
        updated_at: Timestamp::from_millis(of.updated_at),
        accessed_at: Timestamp::from_millis(of.accessed_at),
    })
}

/// The condition that an entry stands at this address.
fn at<T>(statement: Statement<T>, scope: &KeyvalScope, address: &EntryAddress) -> Statement<T> {
    statement
        .sql(" WHERE project_id = ")
        .bind(scope.project_id().to_column())
        .sql(" AND owner_id = ")
        .bind(IdColumn(scope.owner_id()))
        .sql(" AND user_id = ")
        .bind(address.user_id.as_str())
        .sql(" AND type = ")
        .bind(address.entry_type.as_str())
        .sql(" AND key = ")
        .bind(address.key.as_str())
}

/// The column with the guestId of the user of the bot whose `_id` is the userId of an entry.
fn guest_of<T>(
    statement: Statement<T>,
    bot: Option<BotId>,
    address: &EntryAddress,
) -> Statement<T> {
    match bot.and_then(|_| UserId::parse(&address.user_id)) {
        Some(user) => statement
            .sql(
                "(SELECT guest_id FROM users \
                 WHERE users.project_id = keyval_entries.project_id \
                 AND users.bot_id = keyval_entries.owner_id AND users.id = ",
            )
            .bind(user.to_column())
            .sql(" AND deleted_at IS NULL)"),
        None => statement.sql("CAST(NULL AS TEXT)"),
    }
}

/// What has PostgreSQL hold the entries that a statement finds.
const fn locked(dialect: Dialect, lock: Lock) -> &'static str {
    match (dialect, lock) {
        (Dialect::Sqlite, _) | (_, Lock::None) => "",
        (Dialect::Postgres, Lock::Shared) => " FOR SHARE OF keyval_entries",
        (Dialect::Postgres, Lock::Exclusive) => " FOR NO KEY UPDATE OF keyval_entries",
    }
}

impl Tx<'_> {
    pub(super) fn find_entry(
        &mut self,
        scope: &KeyvalScope,
        address: &EntryAddress,
        lock: Lock,
    ) -> Result<Option<EntryOfGuest>, StorageError> {
        type Columns = (ParticularsColumns, Text, Nullable<Text>);
        let lock = self.lock(lock);
        let query: Statement<Columns> = Statement::new(format!("SELECT {PARTICULARS}, value, "));
        let query = guest_of(query, scope.bot_id(), address).sql(" FROM keyval_entries");
        let query = at(query, scope, address);
        let found: Option<(Particulars, String, Option<String>)> = self.look_up(|db| {
            let query = query.sql(locked(db.dialect(), lock));
            on_db!(db, db => query.get_result(db).optional())
        })?;
        let bytes = found.as_ref().map_or(0, |(_, value, _)| value.len() as u64);
        self.reserve_memory(number(bytes)?)?;
        let found = found.map(|(of, value, guest_id)| {
            Ok(EntryOfGuest { entry: entry(address.clone(), &of, Some(&value))?, guest_id })
        });
        found.transpose()
    }

    pub(super) fn upsert_entry(
        &mut self,
        scope: &KeyvalScope,
        entry: Entry,
    ) -> Result<Entry, StorageError> {
        let stored = self.insert_values(scope, entry, OVERWRITE)?;
        stored.ok_or_else(|| broken("an entry was not stored"))
    }

    pub(super) fn insert_new_entry(
        &mut self,
        scope: &KeyvalScope,
        entry: Entry,
    ) -> Result<bool, StorageError> {
        Ok(self.insert_values(scope, entry, KEEP)?.is_some())
    }

    fn insert_values(
        &mut self,
        scope: &KeyvalScope,
        entry: Entry,
        on_conflict: &'static str,
    ) -> Result<Option<Entry>, StorageError> {
        let owner = (scope.project_id(), scope.bot_id());
        let how = ("VALUES (", on_conflict, None);
        let stored = self.insert_entry_of(owner, entry, how, |put| put.sql(")"))?;
        Ok(stored.map(|stored| stored.entry))
    }

    pub(super) fn upsert_entry_of(
        &mut self,
        claim: &OwnerClaim,
        entry: Entry,
    ) -> Result<Option<EntryOfGuest>, StorageError> {
        let project = claim.project_id();
        match claim {
            OwnerClaim::Bot(claim) => {
                let bot = Some(claim.bot_id());
                let how = ("SELECT ", OVERWRITE, bot);
                self.insert_entry_of((project, bot), entry, how, |put| {
                    put.sql(" WHERE EXISTS (SELECT 1 FROM bots WHERE bots.project_id = ")
                        .bind(project.to_column())
                        .sql(" AND bots.id = ")
                        .bind(claim.bot_id().to_column())
                        .sql(" AND ")
                        .sql(Live::SQL)
                        .sql(")")
                })
            }
            OwnerClaim::Project(claim) => {
                let how = ("SELECT ", OVERWRITE, None);
                self.insert_entry_of((project, None), entry, how, |put| {
                    put.sql(
                        " WHERE EXISTS (SELECT 1 FROM projects WHERE projects.organisation_id = ",
                    )
                    .bind(claim.organisation_id().to_column())
                    .sql(" AND projects.id = ")
                    .bind(project.to_column())
                    .sql(")")
                })
            }
        }
    }

    /// Stores an entry whose values stand behind `begin` and in front of what `end` appends, which may be a condition.
    /// `None` if that does not hold, or if `on_conflict` keeps what is there. The guestId is looked up if the bot is
    /// named once more.
    ///
    /// Values with a condition are a query, for which SQLite keeps what it may have to undo of it; in a unit that
    /// stores thousands of entries that takes long.
    fn insert_entry_of(
        &mut self,
        (project_id, bot_id): (ProjectId, Option<BotId>),
        entry: Entry,
        (begin, on_conflict, guests_of): (&'static str, &'static str, Option<BotId>),
        end: impl FnOnce(Statement<StoredColumns>) -> Statement<StoredColumns>,
    ) -> Result<Option<EntryOfGuest>, StorageError> {
        let Entry { id, address, value, created_at, updated_at, accessed_at } = &entry;
        let project = project_id.to_column();
        let bot = bot_id.map(|bot| bot.to_column());
        let columns: [Value; 6] = [
            project.into(),
            bot.unwrap_or(project).into(),
            address.user_id.as_str().into(),
            address.entry_type.as_str().into(),
            address.key.as_str().into(),
            id.to_column().into(),
        ];
        let put = Statement::new(
            "INSERT INTO keyval_entries (project_id, owner_id, user_id, type, key, id, created_at, \
             updated_at, accessed_at, value) ",
        );
        let put = put.sql(begin).bind_all(columns);
        let times = [created_at, updated_at, accessed_at].map(|time| time.millis());
        let put = put.sql(", ").bind_all(times).sql(", ").bind(value.as_str());
        let put = end(put)
            .sql(" ON CONFLICT (project_id, owner_id, user_id, type, key) ")
            .sql(on_conflict)
            .sql(" RETURNING id, created_at, accessed_at, ");
        let put = guest_of(put, guests_of, address);
        let stored: Option<(IdColumn, i64, i64, Option<String>)> =
            self.query(|db| on_db!(db, db => put.get_result(db).optional()))?;
        let Some((id, created_at, accessed_at, guest_id)) = stored else { return Ok(None) };
        let entry = Entry {
            id: Stored::from_column(id),
            created_at: Timestamp::from_millis(created_at),
            accessed_at: Timestamp::from_millis(accessed_at),
            ..entry
        };
        Ok(Some(EntryOfGuest { entry, guest_id }))
    }

    pub(super) fn delete_at(
        &mut self,
        scope: &KeyvalScope,
        address: &EntryAddress,
    ) -> Result<bool, StorageError> {
        let delete: Statement<()> =
            at(Statement::new("DELETE FROM keyval_entries"), scope, address);
        Ok(self.query(|db| on_db!(db, db => delete.execute(db)))? > 0)
    }

    /// The guestIds of those users whose `_id` is the userId of one of these entries.
    pub(super) fn guests_of(
        &mut self,
        scope: &KeyvalScope,
        entries: &[Entry],
    ) -> Result<BTreeMap<String, String>, StorageError> {
        let Some(bot_id) = scope.bot_id() else { return Ok(BTreeMap::new()) };
        let ids = entries.iter().map(|entry| entry.address.user_id.as_str());
        let mut ids: Vec<_> = ids.filter(|id| UserId::parse(id).is_some()).map(|id| [id]).collect();
        ids.dedup();
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let ids = to_json("ids", &ids)?;
        let found: Vec<(IdColumn, String)> = self.query(|db| {
            let [users, end] = one_by_one(db.dialect(), "users");
            let user = id_of_text(db.dialect(), "value->>0");
            let query: Statement<(Id, Text)> =
                Statement::new(format!("SELECT id, guest_id FROM (SELECT {user} AS user_id FROM "))
                    .members(db.dialect(), ids)
                    .sql(") AS ids CROSS JOIN ")
                    .sql(users)
                    .sql(" WHERE users.project_id = ")
                    .bind(scope.project_id().to_column())
                    .sql(" AND users.bot_id = ")
                    .bind(bot_id.to_column())
                    .sql(" AND users.id = user_id AND deleted_at IS NULL")
                    .sql(end);
            on_db!(db, db => query.load(db))
        })?;
        Ok(found.into_iter().map(|(id, guest_id)| (id.to_string(), guest_id)).collect())
    }
}
