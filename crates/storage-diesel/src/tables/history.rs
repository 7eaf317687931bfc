//! History in the database.

use diesel::dsl::{exists, not};
use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::batch::Batch;
use domain::clock::{TimeCursor, Timestamp};
use domain::history::{HistoryItem, HistoryKind, HistoryRepository, Role, SupervisorChat};
use domain::id::{BotId, HistoryItemId, ProjectId, UserId};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken};
use crate::sql::cached_update::cached_update;
use crate::sql::columns::{IdColumn, Stored, TimeColumn};
use crate::sql::conditions::conditions;
use crate::sql::keyset::{from_latest, from_oldest, row_gt, row_lt};
use crate::sql::row_macros::table_row;
use crate::sql::schema::{history_items as items, users};
use crate::tables::bot_rows::{of_bot, read_batch, row_bytes};

table_row! {
    ItemRow of HistoryItem in items {
        id: HistoryItemId,
        bot_id: BotId,
        user_id: UserId,
        role: Role,
        kind: HistoryKind,
        supervisor_enabled: bool,
        created_at: Timestamp,
        text: String,
    }
    beside { project_id: ProjectId }
}

conditions! {
    /// What belongs to a supervisor chat: index `history_items_in_chat`.
    InChat of items =
        "(history_items.kind = 'message' AND history_items.supervisor_enabled)";
}

/// The columns of a user that a chat shows.
type ChatColumns = (IdColumn, String, Option<TimeColumn>);

fn chat((id, guest_id, chat_at): ChatColumns) -> SupervisorChat {
    let (user_id, last_at) = (Stored::from_column(id), Stored::from_column(chat_at));
    SupervisorChat { user_id, guest_id, last_at }
}

impl Tx<'_> {
    /// Notes with the user that there is such an item.
    fn record_item(&mut self, scope: &BotScope, item: &HistoryItem) -> Result<(), StorageError> {
        let user = of_bot!(users, scope).filter(users::id.eq(item.user_id.to_column()));
        // The user's row is written only if that changes it, because most items change nothing
        // about the user. A user with a chat is marked as supervised as well.
        if item.is_in_chat() {
            let at = item.created_at.millis();
            let earlier = user.filter(users::chat_at.is_null().or(users::chat_at.lt(at)));
            let columns = (users::supervised.eq(true), users::chat_at.eq(at));
            let update = cached_update(earlier, columns);
            self.query(|db| on_db!(db, db => update.execute(db)))?;
        } else if item.supervisor_enabled {
            let update =
                cached_update(user.filter(not(users::supervised)), users::supervised.eq(true));
            self.query(|db| on_db!(db, db => update.execute(db)))?;
        }
        Ok(())
    }
}

/// The table, and the bytes of a row, as SQL.
const ITEMS: (&str, &str) = ("history_items", "octet_length(text)");

impl HistoryRepository for Tx<'_> {
    fn insert_history_item(
        &mut self,
        scope: &BotScope,
        item: &HistoryItem,
    ) -> Result<(), StorageError> {
        if item.bot_id != scope.bot_id() {
            return Err(broken("a history item of another bot was to be stored"));
        }
        let row = ItemRow::of(item, scope.project_id());
        let insert = diesel::insert_into(items::table).values(row);
        self.change_one("inserting a history item", |db| on_db!(db, db => insert.execute(db)))?;
        self.record_item(scope, item)
    }

    fn chats(
        &mut self,
        scope: &BotScope,
        after: Option<TimeCursor<UserId>>,
        limit: u32,
    ) -> Result<Vec<SupervisorChat>, StorageError> {
        let order = (users::chat_at.assume_not_null(), users::id);
        let query = of_bot!(users, scope)
            .filter(users::deleted_at.is_null())
            .filter(users::chat_at.is_not_null())
            .filter(row_lt(order, from_latest(after)))
            .order((users::chat_at.desc(), users::id.desc()))
            .limit(i64::from(limit))
            .select((users::id, users::guest_id, users::chat_at));
        let found: Vec<ChatColumns> = self.query(|db| on_db!(db, db => query.load(db)))?;
        Ok(found.into_iter().map(chat).collect())
    }

    fn chat(
        &mut self,
        scope: &BotScope,
        user: UserId,
    ) -> Result<Option<SupervisorChat>, StorageError> {
        let query = of_bot!(users, scope)
            .filter(users::id.eq(user.to_column()))
            .filter(users::deleted_at.is_null())
            .select((users::id, users::guest_id, users::chat_at));
        let found: Option<ChatColumns> =
            self.query(|db| on_db!(db, db => query.get_result(db).optional()))?;
        Ok(found.map(chat))
    }

    fn chat_items(
        &mut self,
        scope: &BotScope,
        user: UserId,
        after: Option<TimeCursor<HistoryItemId>>,
        limit: u32,
    ) -> Result<Batch<HistoryItem>, StorageError> {
        let user = user.to_column();
        let is_there =
            || of_bot!(users, scope).filter(users::id.eq(user)).filter(users::deleted_at.is_null());
        let order = (items::created_at, items::id);
        let rows = read_batch!(
            self,
            of_bot!(items, scope)
                .filter(items::user_id.eq(user))
                .filter(InChat)
                .filter(row_gt(order, from_oldest(after)))
                .filter(exists(is_there()))
                .order(order),
            row_bytes(ITEMS.1),
            ItemRow,
            limit
        );
        Ok(rows.map(HistoryItem::from))
    }

    fn remove_history_of_user(
        &mut self,
        scope: &BotScope,
        user: UserId,
        limit: u32,
    ) -> Result<(u32, bool), StorageError> {
        let of_user = Some(("user_id", user.to_column()));
        let (removed, were_all) = self.remove_rows_of(of_user, "id", ITEMS, scope, limit)?;
        let count = u32::try_from(removed.len());
        Ok((count.map_err(|_| broken("more items removed than asked for"))?, were_all))
    }

    fn remove_history(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows(ITEMS, scope, limit)
    }
}
