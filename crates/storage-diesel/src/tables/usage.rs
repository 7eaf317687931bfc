//! Usage statistics in the database.

use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel::upsert::excluded;
use domain::StorageError;
use domain::access::BotScope;
use domain::id::{BotId, UsageStatisticId};
use domain::usage::{
    Day, DayRange, UsageAmounts, UsageKey, UsageKind, UsageRepository, UsageStatistic,
};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, corrupt, decode};
use crate::sql::keyset::beyond;
use crate::sql::schema::usage_statistics as usage;
use crate::tables::rows::of_bot;

/// Where whole numbers stop: the largest one that every client reads as it is.
const MOST: i64 = (1 << 53) - 1;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = usage)]
struct UsageRow {
    id: String,
    project_id: String,
    bot_id: String,
    day: String,
    kind: String,
    model: String,
    requests: i64,
    input_tokens: i64,
    output_tokens: i64,
    characters: i64,
    seconds: f64,
    cost: f64,
}

impl TryFrom<UsageRow> for UsageStatistic {
    type Error = StorageError;

    fn try_from(row: UsageRow) -> Result<Self, StorageError> {
        let id = row.id.as_str();
        let number = |column, number: i64| decode(column, id, number.try_into().ok());
        Ok(Self {
            id: decode("usage_statistics.id", id, UsageStatisticId::parse(id))?,
            bot_id: decode("usage_statistics.bot_id", id, BotId::parse(&row.bot_id))?,
            amounts: UsageAmounts {
                requests: number("usage_statistics.requests", row.requests)?,
                input_tokens: number("usage_statistics.input_tokens", row.input_tokens)?,
                output_tokens: number("usage_statistics.output_tokens", row.output_tokens)?,
                characters: number("usage_statistics.characters", row.characters)?,
                seconds: row.seconds,
                cost: row.cost,
            },
            of: UsageKey {
                day: decode("usage_statistics.day", id, Day::parse(&row.day))?,
                kind: decode("usage_statistics.kind", id, UsageKind::parse(&row.kind))?,
                model: row.model,
            },
        })
    }
}

/// The row of a statistic of the scope's bot.
fn row(scope: &BotScope, statistic: &UsageStatistic) -> Result<UsageRow, StorageError> {
    if statistic.bot_id != scope.bot_id() {
        return Err(corrupt("usage of another bot was to be stored"));
    }
    let UsageStatistic { of, amounts, .. } = statistic;
    let most = |number: u64| i64::try_from(number).unwrap_or(MOST).min(MOST);
    Ok(UsageRow {
        id: statistic.id.to_string(),
        project_id: scope.project_id().to_string(),
        bot_id: scope.bot_id().to_string(),
        day: of.day.to_string(),
        kind: of.kind.as_str().to_owned(),
        model: of.model.clone(),
        requests: most(amounts.requests),
        input_tokens: most(amounts.input_tokens),
        output_tokens: most(amounts.output_tokens),
        characters: most(amounts.characters),
        seconds: amounts.seconds,
        cost: amounts.cost,
    })
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
        let add = diesel::insert_into(usage::table)
            .values(row(scope, statistic)?)
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

    fn usage(
        &mut self,
        scope: &BotScope,
        days: DayRange,
        after: Option<&UsageKey>,
        limit: u32,
    ) -> Result<Vec<UsageStatistic>, StorageError> {
        // No kind and no model is the empty text, and no day is past `~`.
        let after = after.filter(|after| days.from.is_none_or(|from| from <= after.day));
        let place = match after {
            Some(UsageKey { day, kind, model }) => (day.to_string(), kind.as_str(), model.as_str()),
            None => (days.from.map(|day| day.to_string()).unwrap_or_default(), "", ""),
        };
        let last = days.to.map_or_else(|| "~".to_owned(), |day| day.to_string());
        let (day, kind, model) = place;
        let place = (day.into_sql::<Text>(), kind.into_sql::<Text>(), model.into_sql::<Text>());
        let order = (usage::day, usage::kind, usage::model);
        let query = of_bot!(usage, scope)
            .filter(beyond(order, place))
            .filter(usage::day.le(last))
            .order(order)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(UsageRow::as_select()).load(db)))?;
        rows.into_iter().map(UsageStatistic::try_from).collect()
    }

    fn remove_usage(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows("usage_statistics", scope, limit)
    }
}
