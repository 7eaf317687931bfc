//! Which entries of a changelog are kept.

use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use domain::StorageError;
use domain::changelog::{ChangedResource, KEPT};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken};
use crate::sql::columns::IdColumn;
use crate::sql::schema::changelog_entries as entries;

/// Entries that are counted together: visitors, who become users, can't wash out who changed the bot.
#[derive(Clone, Copy)]
pub(super) enum Counted {
    Users,
    Others,
}

impl Counted {
    /// Those that a resource is among; all, if it is not said.
    pub(super) const fn of(resource: Option<ChangedResource>) -> &'static [Self] {
        match resource {
            None => &[Self::Users, Self::Others],
            Some(ChangedResource::User) => &[Self::Users],
            Some(
                ChangedResource::Bot
                | ChangedResource::Skill
                | ChangedResource::Stage
                | ChangedResource::Fusion
                | ChangedResource::Embedding
                | ChangedResource::Document,
            ) => &[Self::Others],
        }
    }

    /// The condition as it stands in the index of these entries.
    pub(super) const fn condition(self) -> &'static str {
        match self {
            Self::Users => "(resource = 'user')",
            Self::Others => "(resource <> 'user')",
        }
    }

    /// The same in a query.
    pub(super) fn filter(self) -> SqlLiteral<Bool> {
        sql(self.condition())
    }
}

impl Tx<'_> {
    /// The oldest of the latest [`KEPT`] entries that are counted together, if the bot has as many. The entries
    /// that it counts through are those of an index, not of the table.
    pub(super) fn oldest_kept(
        &mut self,
        project: IdColumn,
        bot: IdColumn,
        counted: Counted,
    ) -> Result<Option<IdColumn>, StorageError> {
        let query = entries::table
            .filter(entries::project_id.eq(project))
            .filter(entries::bot_id.eq(bot))
            .filter(counted.filter())
            .order(entries::id.desc())
            .offset(i64::from(KEPT) - 1)
            .limit(1)
            .select(entries::id);
        self.query(|db| on_db!(db, db => query.get_result(db).optional()))
    }

    /// Removes the oldest entries beyond the latest [`KEPT`] that are counted together, at most `limit`.
    pub(super) fn trim_counted(
        &mut self,
        project: IdColumn,
        bot: IdColumn,
        counted: Counted,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let Some(oldest_kept) = self.oldest_kept(project, bot, counted)? else {
            return Ok(0);
        };
        let few = diesel::alias!(entries as few);
        let beyond = few
            .filter(few.field(entries::project_id).eq(project))
            .filter(few.field(entries::bot_id).eq(bot))
            .filter(few.field(entries::id).lt(oldest_kept))
            .filter(counted.filter())
            .order(few.field(entries::id))
            .limit(i64::from(limit))
            .select(few.field(entries::id));
        let rows = entries::table
            .filter(entries::project_id.eq(project))
            .filter(entries::bot_id.eq(bot))
            .filter(entries::id.eq_any(beyond));
        let removed = self.query(|db| on_db!(db, db => diesel::delete(rows).execute(db)))?;
        u32::try_from(removed).map_err(|_| broken("more entries removed than asked for"))
    }
}
