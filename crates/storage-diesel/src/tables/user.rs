//! Users in the database.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Text;
use domain::StorageError;
use domain::access::BotScope;
use domain::batch::Batch;
use domain::clock::{TimeCursor, Timestamp};
use domain::free_fields::FreeFields;
use domain::id::{BotId, OrganisationId, ProjectId, UserId};
use domain::lock::Lock;
use domain::user::{BotOfOrganisation, User, UserRepository, UserStats};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, find_locked};
use crate::sql::cached_update::cached_update;
use crate::sql::columns::{IdColumn, Stored, TimeColumn};
use crate::sql::keyset::{from_oldest, row_gt};
use crate::sql::row_macros::{FieldColumns as _, field_columns, table_row};
use crate::sql::schema::{bots, projects, users};
use crate::tables::bot::Live;
use crate::tables::bot_rows::{after, of_bot, read_batch, row_bytes, with_ids};

/// The bytes of a row's texts, as SQL.
const BYTES: &str = "octet_length(fields)";

table_row! {
    UserRow of User in users {
        id: UserId,
        bot_id: BotId,
        guest_id: String,
        created_at: Timestamp,
        updated_at: Timestamp,
        fields: FreeFields,
    }
    embed { stats: StatsColumns, }
    beside { project_id: ProjectId }
}

field_columns! {
    StatsColumns of UserStats in users {
        always {
            messages: u64,
            tokens: u64,
        }
        optional {
            last_active_at: Timestamp,
            reset_at: Timestamp,
        }
    }
}

/// The users of the scope's bot who are there, by the condition of the indices that serve them.
macro_rules! there {
    ($scope:expr) => {
        of_bot!(users, $scope).filter(users::deleted_at.is_null())
    };
}

impl UserRepository for Tx<'_> {
    fn user(
        &mut self,
        scope: &BotScope,
        id: UserId,
        lock: Lock,
    ) -> Result<Option<User>, StorageError> {
        let query = there!(scope).filter(users::id.eq(id.to_column()));
        let row = find_locked!(self, lock, query, UserRow)?;
        Ok(row.map(User::from))
    }

    fn user_of_guest(
        &mut self,
        scope: &BotScope,
        guest_id: &str,
    ) -> Result<Option<User>, StorageError> {
        let query = there!(scope).filter(users::guest_id.eq(guest_id));
        let row = self.look_up(
            |db| on_db!(db, db => query.select(UserRow::as_select()).get_result(db).optional()),
        )?;
        Ok(row.map(User::from))
    }

    fn users(
        &mut self,
        scope: &BotScope,
        supervised: bool,
        after: Option<TimeCursor<UserId>>,
        limit: u32,
    ) -> Result<Batch<User>, StorageError> {
        let order = (users::created_at, users::id);
        let page = || there!(scope).filter(row_gt(order, from_oldest(after))).order(order);
        let size = || row_bytes(BYTES);
        let rows = if supervised {
            read_batch!(self, page().filter(users::supervised), size(), UserRow, limit)
        } else {
            read_batch!(self, page(), size(), UserRow, limit)
        };
        Ok(rows.map(User::from))
    }

    fn users_with_ids(
        &mut self,
        scope: &BotScope,
        ids: &[UserId],
    ) -> Result<Vec<User>, StorageError> {
        let rows: Vec<UserRow> = with_ids!(self, there!(scope), users::id, ids, UserRow)?;
        Ok(rows.into_iter().map(User::from).collect())
    }

    fn insert_user(&mut self, scope: &BotScope, user: &User) -> Result<bool, StorageError> {
        if user.bot_id != scope.bot_id() {
            return Err(broken("a user of another bot was to be stored"));
        }
        let row = UserRow::of(user, scope.project_id());
        let insert = diesel::insert_into(users::table)
            .values((row, users::supervised.eq(false)))
            .on_conflict_do_nothing();
        let inserted = self.query(|db| on_db!(db, db => insert.execute(db)))?;
        Ok(inserted == 1)
    }

    fn update_user(&mut self, scope: &BotScope, user: &User) -> Result<(), StorageError> {
        if user.bot_id != scope.bot_id() {
            return Err(broken("a user of another bot was to be stored"));
        }
        let one = there!(scope).filter(users::id.eq(user.id.to_column()));
        let columns = (
            users::guest_id.eq(&user.guest_id),
            users::fields.eq(user.fields.to_column()),
            users::updated_at.eq(user.updated_at.to_column()),
            StatsColumns::of(&user.stats),
        );
        let update = cached_update(one, columns);
        self.change_one("updating a user", |db| on_db!(db, db => update.execute(db)))
    }

    fn delete_users(
        &mut self,
        scope: &BotScope,
        ids: &[UserId],
        now: Timestamp,
    ) -> Result<Vec<(UserId, String)>, StorageError> {
        let ids: Vec<_> = ids.iter().map(Stored::to_column).collect();
        let some = there!(scope).filter(users::id.eq_any(ids));
        let delete = diesel::update(some)
            .set(users::deleted_at.eq(now.millis()))
            .returning((users::id, users::guest_id));
        let deleted: Vec<(IdColumn, String)> =
            self.query(|db| on_db!(db, db => delete.get_results(db)))?;
        let mut deleted: Vec<_> =
            deleted.into_iter().map(|(id, guest_id)| (Stored::from_column(id), guest_id)).collect();
        deleted.sort_unstable();
        Ok(deleted)
    }

    fn deleted_user(
        &mut self,
        scope: &BotScope,
    ) -> Result<Option<(UserId, Timestamp)>, StorageError> {
        let query = of_bot!(users, scope)
            .filter(users::deleted_at.is_not_null())
            .order(users::id)
            .limit(1)
            .select((users::id, users::deleted_at.assume_not_null()));
        let found: Option<(IdColumn, TimeColumn)> =
            self.look_up(|db| on_db!(db, db => query.get_result(db).optional()))?;
        Ok(found.map(|(id, at)| (Stored::from_column(id), Stored::from_column(at))))
    }

    fn remove_deleted_user(&mut self, scope: &BotScope, id: UserId) -> Result<(), StorageError> {
        let one = of_bot!(users, scope)
            .filter(users::id.eq(id.to_column()))
            .filter(users::deleted_at.is_not_null());
        self.change_one("deleting a user", |db| on_db!(db, db => diesel::delete(one).execute(db)))
    }

    fn bots_of_organisation(
        &mut self,
        organisation: OrganisationId,
        after_id: Option<BotId>,
        limit: u32,
    ) -> Result<Vec<BotOfOrganisation>, StorageError> {
        // All columns are in the index `bots_live`: rows, which hold whole configurations, are not read.
        // PostgreSQL would rather go through the bots of all tenants by their primary key than sort those
        // of some projects; an expression is in the order of no index.
        let projects = projects::table
            .filter(projects::organisation_id.eq(organisation.to_column()))
            .select(projects::id);
        let page = bots::table
            .filter(bots::project_id.eq_any(projects))
            .filter(bots::id.gt(after(after_id)))
            .filter(Live)
            .order(sql::<Text>("CAST(bots.id AS TEXT)"))
            .limit(i64::from(limit))
            .select((bots::id, bots::project_id, bots::name));
        let found: Vec<(IdColumn, IdColumn, String)> =
            self.query(|db| on_db!(db, db => page.load(db)))?;
        let read = |(id, project, name): (IdColumn, IdColumn, String)| {
            let (id, project_id) = (Stored::from_column(id), Stored::from_column(project));
            BotOfOrganisation { id, project_id, name }
        };
        Ok(found.into_iter().map(read).collect())
    }

    fn remove_users(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows(("users", BYTES), scope, limit)
    }
}
