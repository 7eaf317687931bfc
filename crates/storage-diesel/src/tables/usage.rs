//! Usage statistics in the database.

use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel::upsert::excluded;
use domain::StorageError;
use domain::access::BotScope;
use domain::id::{BotId, ProjectId, UsageStatisticId};
use domain::usage::{
    Day, DayRange, UsageAmounts, UsageKey, UsageKind, UsageRepository, UsageStatistic,
};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken};
use crate::sql::columns::Stored;
use crate::sql::keyset::row_gt;
use crate::sql::row_macros::{field_columns, table_row};
use crate::sql::schema::usage_statistics as usage;
use crate::tables::bot_rows::{SMALL, of_bot};

/// Where whole numbers stop: the largest one that every client reads as it is.
const MOST: i64 = (1 << 53) - 1;

field_columns! {
    KeyColumns of UsageKey in usage {
        always {
            day: Day,
            kind: UsageKind,
            model: String,
        }
    }
}

field_columns! {
    AmountColumns of UsageAmounts in usage {
        always {
            requests: u64,
            input_tokens: u64,
            output_tokens: u64,
            characters: u64,
            seconds: f64,
            cost: f64,
        }
    }
}

table_row! {
    UsageRow of UsageStatistic in usage {
        id: UsageStatisticId,
        bot_id: BotId,
    }
    embed { of: KeyColumns, amounts: AmountColumns, }
    beside { project_id: ProjectId }
}

/// A whole number of a row and what is to be added to it, at most [`MOST`].
macro_rules! sum {
    ($column:ident) => {
        usage::$column.eq(case_when(
            (usage::$column + excluded(usage::$column)).gt(MOST),
            MOST.into_sql::<BigInt>(),
        )
        .otherwise(usage::$column + excluded(usage::$column)))
    };
}

impl UsageRepository for Tx<'_> {
    fn add_usage(
        &mut self,
        scope: &BotScope,
        statistic: &UsageStatistic,
    ) -> Result<(), StorageError> {
        if statistic.bot_id != scope.bot_id() {
            return Err(broken("usage of another bot was to be stored"));
        }
        let amounts = UsageAmounts::default().plus(&statistic.amounts);
        let statistic = UsageStatistic { amounts, ..statistic.clone() };
        let row = UsageRow::of(&statistic, scope.project_id());
        let add = diesel::insert_into(usage::table)
            .values(row)
            .on_conflict((usage::project_id, usage::bot_id, usage::day, usage::kind, usage::model))
            .do_update()
            .set((
                sum!(requests),
                sum!(input_tokens),
                sum!(output_tokens),
                sum!(characters),
                usage::seconds.eq(usage::seconds + excluded(usage::seconds)),
                usage::cost.eq(usage::cost + excluded(usage::cost)),
            ));
        self.change_one("adding usage", |db| on_db!(db, db => add.execute(db)))
    }

    fn count_usage(
        &mut self,
        scope: &BotScope,
        DayRange { from, to }: DayRange,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let mut conditions = Vec::new();
        conditions.extend(from.map(|from| (" AND day >= ", from.to_string().into())));
        conditions.extend(to.map(|to| (" AND day <= ", to.to_string().into())));
        self.count_rows("usage_statistics", scope, conditions, limit)
    }

    fn usage(
        &mut self,
        scope: &BotScope,
        days: DayRange,
        after: Option<&UsageKey>,
        limit: u32,
    ) -> Result<Vec<UsageStatistic>, StorageError> {
        // No kind and no model is the empty text, and no day is past `~`.
        let after = after.filter(|after| days.from.is_none_or(|from| from <= after.day));
        let position = match after {
            Some(UsageKey { day, kind, model }) => (day.to_string(), kind.as_str(), model.as_str()),
            None => (days.from.map(|day| day.to_string()).unwrap_or_default(), "", ""),
        };
        let last = days.to.map_or_else(|| "~".to_owned(), |day| day.to_string());
        let (day, kind, model) = position;
        let position = (day.into_sql::<Text>(), kind.into_sql::<Text>(), model.into_sql::<Text>());
        let order = (usage::day, usage::kind, usage::model);
        let query = of_bot!(usage, scope)
            .filter(row_gt(order, position))
            .filter(usage::day.le(last))
            .order(order)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(UsageRow::as_select()).load(db)))?;
        Ok(rows.into_iter().map(UsageStatistic::from).collect())
    }

    fn remove_usage(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows(("usage_statistics", SMALL), scope, limit)
    }
}
