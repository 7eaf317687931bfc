//! Users in the database.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Text;
use domain::StorageError;
use domain::access::BotScope;
use domain::clock::{TimeCursor, Timestamp};
use domain::id::{BotId, OrganisationId, ProjectId, UserId};
use domain::lock::Lock;
use domain::user::{BotOfOrganisation, User, UserRepository, UserStats};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, corrupt, decode, find_locked, number};
use crate::sql::json::{from_json, to_json};
use crate::sql::keyset::{beyond, from_oldest};
use crate::sql::schema::{bots, projects, users};
use crate::tables::bot::Live;
use crate::tables::rows::{after, of_bot};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = users)]
struct UserRow {
    id: String,
    project_id: String,
    bot_id: String,
    guest_id: String,
    #[diesel(embed)]
    stats: StatsColumns,
    created_at: i64,
    updated_at: i64,
    fields: String,
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = users, treat_none_as_null = true)]
struct StatsColumns {
    messages: i64,
    tokens: i64,
    last_active_at: Option<i64>,
    reset_at: Option<i64>,
}

impl TryFrom<UserRow> for User {
    type Error = StorageError;

    fn try_from(row: UserRow) -> Result<Self, StorageError> {
        let id = row.id.as_str();
        let count = |column, count: i64| decode(column, id, count.try_into().ok());
        Ok(Self {
            id: decode("users.id", id, UserId::parse(id))?,
            bot_id: decode("users.bot_id", id, BotId::parse(&row.bot_id))?,
            fields: from_json("users.fields", id, &row.fields)?,
            stats: UserStats {
                messages: count("users.messages", row.stats.messages)?,
                tokens: count("users.tokens", row.stats.tokens)?,
                last_active_at: row.stats.last_active_at.map(Timestamp::from_millis),
                reset_at: row.stats.reset_at.map(Timestamp::from_millis),
            },
            guest_id: row.guest_id,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }
}

fn stats(stats: &UserStats) -> Result<StatsColumns, StorageError> {
    Ok(StatsColumns {
        messages: number(stats.messages)?,
        tokens: number(stats.tokens)?,
        last_active_at: stats.last_active_at.map(Timestamp::millis),
        reset_at: stats.reset_at.map(Timestamp::millis),
    })
}

/// The users of the scope's bot who are there, by the condition of the indices that serve them.
macro_rules! there {
    ($scope:expr) => {
        of_bot!(users, $scope).filter(users::removed_at.is_null())
    };
}

impl UserRepository for Tx<'_> {
    fn user(
        &mut self,
        scope: &BotScope,
        id: UserId,
        lock: Lock,
    ) -> Result<Option<User>, StorageError> {
        let query = there!(scope).filter(users::id.eq(id.to_string()));
        let row = find_locked!(self, lock, query, UserRow)?;
        row.map(User::try_from).transpose()
    }

    fn user_of_guest(
        &mut self,
        scope: &BotScope,
        guest_id: &str,
    ) -> Result<Option<User>, StorageError> {
        let query = there!(scope).filter(users::guest_id.eq(guest_id));
        let row = self.query(
            |db| on_db!(db, db => query.select(UserRow::as_select()).get_result(db).optional()),
        )?;
        row.map(User::try_from).transpose()
    }

    fn users(
        &mut self,
        scope: &BotScope,
        supervised: bool,
        after: Option<TimeCursor<UserId>>,
        limit: u32,
    ) -> Result<Vec<User>, StorageError> {
        let order = (users::created_at, users::id);
        let query = there!(scope)
            .filter(beyond(order, from_oldest(after)))
            .order(order)
            .limit(i64::from(limit));
        let rows = if supervised {
            let query = query.filter(users::supervised);
            self.query(|db| on_db!(db, db => query.select(UserRow::as_select()).load(db)))?
        } else {
            self.query(|db| on_db!(db, db => query.select(UserRow::as_select()).load(db)))?
        };
        rows.into_iter().map(User::try_from).collect()
    }

    fn insert_user(&mut self, scope: &BotScope, user: &User) -> Result<bool, StorageError> {
        if user.bot_id != scope.bot_id() {
            return Err(corrupt("a user of another bot was to be stored"));
        }
        let row = UserRow {
            id: user.id.to_string(),
            project_id: scope.project_id().to_string(),
            bot_id: scope.bot_id().to_string(),
            guest_id: user.guest_id.clone(),
            stats: stats(&user.stats)?,
            created_at: user.created_at.millis(),
            updated_at: user.updated_at.millis(),
            fields: to_json("users.fields", &user.fields)?,
        };
        let insert = diesel::insert_into(users::table)
            .values((row, users::supervised.eq(false)))
            .on_conflict_do_nothing();
        let inserted = self.query(|db| on_db!(db, db => insert.execute(db)))?;
        Ok(inserted == 1)
    }

    fn update_user(&mut self, scope: &BotScope, user: &User) -> Result<(), StorageError> {
        if user.bot_id != scope.bot_id() {
            return Err(corrupt("a user of another bot was to be stored"));
        }
        let one = there!(scope).filter(users::id.eq(user.id.to_string()));
        let update = diesel::update(one).set((
            users::guest_id.eq(&user.guest_id),
            users::fields.eq(to_json("users.fields", &user.fields)?),
            users::updated_at.eq(user.updated_at.millis()),
            stats(&user.stats)?,
        ));
        self.change_one("updating a user", |db| on_db!(db, db => update.execute(db)))
    }

    fn hide_users(
        &mut self,
        scope: &BotScope,
        ids: &[UserId],
        now: Timestamp,
    ) -> Result<Vec<(UserId, String)>, StorageError> {
        let ids: Vec<_> = ids.iter().map(UserId::to_string).collect();
        let some = there!(scope).filter(users::id.eq_any(ids));
        let hide = diesel::update(some)
            .set(users::removed_at.eq(now.millis()))
            .returning((users::id, users::guest_id));
        let hidden: Vec<(String, String)> =
            self.query(|db| on_db!(db, db => hide.get_results(db)))?;
        let read = |(id, guest_id): (String, String)| {
            Ok((decode("users.id", &id, UserId::parse(&id))?, guest_id))
        };
        let mut hidden: Vec<_> =
            hidden.into_iter().map(read).collect::<Result<_, StorageError>>()?;
        hidden.sort_unstable();
        Ok(hidden)
    }

    fn hidden_user(
        &mut self,
        scope: &BotScope,
    ) -> Result<Option<(UserId, Timestamp)>, StorageError> {
        let query = of_bot!(users, scope)
            .filter(users::removed_at.is_not_null())
            .order(users::id)
            .limit(1)
            .select((users::id, users::removed_at.assume_not_null()));
        let found: Option<(String, i64)> =
            self.query(|db| on_db!(db, db => query.get_result(db).optional()))?;
        let read = |(id, at): (String, i64)| {
            let user = decode("users.id", &id, UserId::parse(&id))?;
            Ok((user, Timestamp::from_millis(at)))
        };
        found.map(read).transpose()
    }

    fn delete_user(&mut self, scope: &BotScope, id: UserId) -> Result<(), StorageError> {
        let one = of_bot!(users, scope)
            .filter(users::id.eq(id.to_string()))
            .filter(users::removed_at.is_not_null());
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
            .filter(projects::organisation_id.eq(organisation.to_string()))
            .select(projects::id);
        let page = bots::table
            .filter(bots::project_id.eq_any(projects))
            .filter(bots::id.gt(after(after_id)))
            .filter(Live)
            .order(sql::<Text>("bots.id || ''"))
            .limit(i64::from(limit))
            .select((bots::id, bots::project_id, bots::name));
        let found: Vec<(String, String, String)> =
            self.query(|db| on_db!(db, db => page.load(db)))?;
        let read = |(id, project, name): (String, String, String)| {
            Ok(BotOfOrganisation {
                id: decode("bots.id", &id, BotId::parse(&id))?,
                project_id: decode("bots.project_id", &id, ProjectId::parse(&project))?,
                name,
            })
        };
        found.into_iter().map(read).collect()
    }

    fn remove_users(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows("users", scope, limit)
    }
}
