//! Lists that are sorted, searched and filtered: which items they have, by an index that has their order.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};
use domain::StorageError;
use domain::list::{
    Candidate, Condition, ListOwner, ListPosition, ListRepository, ListSelection, SortKey,
};
use uuid::Uuid;

mod table;

use self::table::{ListTable, OtherText, SEARCHED_CHARACTERS, SortColumn};
use crate::engine::db::{Dialect, on_db};
use crate::engine::tx::{Tx, broken, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::statement::{Statement, one_by_one};
use crate::tables::bot::Live;

/// An identifier, what the row is sorted by as a number or as a text, the texts in which is searched, its bytes, and
/// whether it meets the conditions that are filtered row by row.
type Columns = (Id, BigInt, Nullable<Text>, Nullable<Text>, Nullable<Text>, BigInt, BigInt);
type Row = (IdColumn, i64, Option<String>, Option<String>, Option<String>, i64, i64);

/// A list in terms of its table.
struct List<'a> {
    selection: &'a ListSelection<'a>,
    table: ListTable,
    sort_column: Option<SortColumn>,
    dialect: Dialect,
}

/// The end of a query for one row that belongs to another. With `EXISTS` instead, PostgreSQL may read those of all
/// tenants once and look into that.
const LOOKED_UP: &str = " LIMIT 1) ";

impl<'a> List<'a> {
    fn new(selection: &'a ListSelection<'a>, dialect: Dialect) -> Self {
        let table = ListTable::new(selection.resource);
        let sort_column = table.sort_column(selection.sort.by);
        Self { selection, table, sort_column, dialect }
    }

    /// The bot of whose documents alone the list consists. Its copies of them have the order of their identifiers.
    fn copies_of(&self) -> Option<IdColumn> {
        match self.selection.indexed() {
            Some(Condition::OnBot(bot)) => Some(bot.to_column()),
            Some(
                Condition::CrawlStatus(_)
                | Condition::ExtractionStatus(_)
                | Condition::MimeType(_)
                | Condition::Assigned(_),
            )
            | None => None,
        }
    }

    /// The column of the identifiers by which the list goes on.
    fn id(&self) -> &'static str {
        if self.copies_of().is_some() { "on_bot.document_id" } else { "id" }
    }

    /// The beginning of a statement that reads candidates.
    fn columns(&self) -> Statement<Columns> {
        let (number, text) = match self.sort_column {
            None => ("CAST(0 AS BIGINT)", "CAST(NULL AS TEXT)"),
            Some(SortColumn::Number(name)) => (name, "CAST(NULL AS TEXT)"),
            Some(SortColumn::Text(name) | SortColumn::UniqueText(name)) => {
                ("CAST(0 AS BIGINT)", name)
            }
        };
        let none = || "CAST(NULL AS TEXT)".to_owned();
        let [searched, other] = if self.selection.with_texts {
            [self.table.text.to_owned(), self.other_text().unwrap_or_else(none)]
        } else {
            [none(), none()]
        };
        let ListTable { name, bytes, .. } = &self.table;
        let columns = Statement::new(format!(
            "SELECT {name}.id, {number}, {text}, {searched}, {other}, CAST({bytes} AS BIGINT), "
        ));
        self.row_filter(columns)
    }

    /// Goes on with whether a row meets the conditions that are filtered row by row, as a number.
    fn row_filter<T>(&self, columns: Statement<T>) -> Statement<T> {
        let mut columns = columns.sql("CASE WHEN TRUE");
        // Among known rows as well, because SQLite would take an index that has all that are there.
        if let (Some(condition), Some(_)) = (self.table.condition, self.selection.among) {
            columns = columns.sql(" AND ").sql(condition);
        }
        if let Some(since) =
            self.selection.updated_since.filter(|_| self.selection.filters_update())
        {
            columns = columns.sql(" AND updated_at >= ").bind(since.millis());
        }
        for condition in self.selection.filters() {
            columns = self.condition(columns.sql(" AND "), condition);
        }
        columns.sql(" THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END")
    }

    fn other_text(&self) -> Option<String> {
        Some(match (self.table.other_text.as_ref()?, self.dialect) {
            (OtherText::Column(name), _) => (*name).to_owned(),
            (OtherText::Member(column, member), Dialect::Postgres) => format!(
                "CASE json_typeof(CAST({column} AS JSON) -> '{member}') WHEN 'string' \
                 THEN substr(CAST({column} AS JSON) ->> '{member}', 1, {SEARCHED_CHARACTERS}) END"
            ),
            (OtherText::Member(column, member), Dialect::Sqlite) => format!(
                "CASE json_type({column}, '$.{member}') WHEN 'text' \
                 THEN substr({column} ->> '{member}', 1, {SEARCHED_CHARACTERS}) END"
            ),
        })
    }

    /// Goes on with the rows of which the list consists.
    fn rows<T>(&self, begin: Statement<T>) -> Statement<T> {
        let (project, bot) = self.owner();
        let mut rows = begin.sql(" FROM ");
        if let Some(of) = self.copies_of() {
            let [documents, end] = one_by_one(self.dialect, "documents");
            rows = rows
                .sql("(SELECT document_id FROM bot_documents WHERE project_id = ")
                .bind(project)
                .sql(" AND bot_id = ")
                .bind(of)
                .sql(") AS on_bot CROSS JOIN ")
                .sql(documents)
                .sql(" WHERE project_id = ")
                .bind(project)
                .sql(" AND id = on_bot.document_id")
                .sql(match self.dialect {
                    Dialect::Postgres => format!("{end} WHERE "),
                    Dialect::Sqlite => format!("{end} AND "),
                });
            rows = self.is_live(rows, of);
        } else {
            rows = rows.sql(self.table.name).sql(" WHERE project_id = ").bind(project);
            if let Some(bot) = bot {
                rows = rows.sql(" AND bot_id = ").bind(bot);
            }
            if let Some(condition) = self.selection.indexed() {
                rows = self.condition(rows.sql(" AND "), condition);
            }
        }
        if let (Some(condition), None) = (self.table.condition, self.selection.among) {
            rows = rows.sql(" AND ").sql(condition);
        }
        if let Some(ids) = self.selection.among {
            // So that there are few statements, they have as many parameters as a power of two, or one.
            let parameters = ids.len().next_power_of_two();
            let last = ids.last().copied().into_iter().cycle();
            let ids = ids.iter().copied().chain(last).take(parameters).map(IdColumn);
            rows = rows.sql(" AND ").sql(self.id()).sql(" IN (").bind_all(ids).sql(")");
        }
        match self.selection.updated_since {
            Some(since) if !self.selection.filters_update() => {
                rows.sql(" AND updated_at >= ").bind(since.millis())
            }
            Some(_) | None => rows,
        }
    }

    fn owner(&self) -> (IdColumn, Option<IdColumn>) {
        match self.selection.owner {
            ListOwner::Bot(scope) => {
                (scope.project_id().to_column(), Some(scope.bot_id().to_column()))
            }
            ListOwner::Project(scope) => (scope.project_id().to_column(), None),
        }
    }

    /// Goes on with whether a bot of the project can be found.
    fn is_live<T>(&self, statement: Statement<T>, bot: IdColumn) -> Statement<T> {
        statement
            .sql("EXISTS (SELECT 1 FROM bots WHERE bots.project_id = ")
            .bind(self.owner().0)
            .sql(" AND bots.id = ")
            .bind(bot)
            .sql(" AND ")
            .sql(Live::SQL)
            .sql(")")
    }

    fn condition<T>(&self, rows: Statement<T>, condition: &Condition) -> Statement<T> {
        match condition {
            Condition::CrawlStatus(status) => rows.sql("status = ").bind(status.as_str()),
            Condition::ExtractionStatus(status) => {
                rows.sql("extraction_status = ").bind(status.as_str())
            }
            Condition::MimeType(mime_type) => rows.sql("mime_type = ").bind(mime_type.as_str()),
            Condition::OnBot(bot) => {
                let bot = bot.to_column();
                let rows = self.is_live(rows, bot).sql(
                    " AND (SELECT 1 FROM bot_documents AS of_bot WHERE \
                     of_bot.project_id = documents.project_id \
                     AND of_bot.document_id = documents.id AND of_bot.bot_id = ",
                );
                rows.bind(bot).sql(LOOKED_UP).sql("IS NOT NULL")
            }
            Condition::Assigned(is_assigned) => {
                // A cross join, because SQLite would go through the bots of the project.
                let rows = rows.sql(format!(
                    "(SELECT 1 FROM bot_documents AS copies CROSS JOIN bots \
                     WHERE copies.project_id = documents.project_id \
                     AND copies.document_id = documents.id \
                     AND bots.project_id = copies.project_id AND bots.id = copies.bot_id AND {}",
                    Live::SQL
                ));
                rows.sql(LOOKED_UP).sql(if *is_assigned { "IS NOT NULL" } else { "IS NULL" })
            }
        }
    }

    /// Goes on with the position behind which the rows are.
    fn behind<T>(
        &self,
        rows: Statement<T>,
        after: Option<&ListPosition<Uuid>>,
    ) -> Result<Statement<T>, StorageError> {
        let Some(ListPosition { key, id }) = after else {
            return Ok(rows);
        };
        let than = if self.selection.sort.is_descending { " < " } else { " > " };
        let rows = match (self.sort_column, key) {
            (None, None) => rows.sql(" AND ").sql(self.id()).sql(than).bind(IdColumn(*id)),
            (Some(SortColumn::Text(name)), Some(SortKey::Text(text))) => rows
                .sql(format!(" AND ({name}, id){than}("))
                .bind(text.as_str())
                .sql(", ")
                .bind(IdColumn(*id))
                .sql(")"),
            (Some(SortColumn::UniqueText(name)), Some(SortKey::Text(text))) => {
                rows.sql(" AND ").sql(name).sql(than).bind(text.as_str())
            }
            (Some(SortColumn::Number(name)), Some(SortKey::Number(number))) => rows
                .sql(format!(" AND ({name}, id){than}("))
                .bind(*number)
                .sql(", ")
                .bind(IdColumn(*id))
                .sql(")"),
            _ => return Err(broken("a list was to go on at a position of another order")),
        };
        Ok(rows)
    }

    fn order(&self) -> String {
        let direction = if self.selection.sort.is_descending { " DESC" } else { "" };
        let id = self.id();
        match self.sort_column {
            None => format!(" ORDER BY {id}{direction}"),
            Some(SortColumn::UniqueText(name)) => format!(" ORDER BY {name}{direction}"),
            Some(SortColumn::Text(name) | SortColumn::Number(name)) => {
                format!(" ORDER BY {name}{direction}, {id}{direction}")
            }
        }
    }

    fn candidate(&self, row: Row) -> Candidate {
        let (id, number, text, searched, other, bytes, meets) = row;
        let key = self.sort_column.map(|column| match column {
            SortColumn::Text(_) | SortColumn::UniqueText(_) => {
                SortKey::Text(text.unwrap_or_default())
            }
            SortColumn::Number(_) => SortKey::Number(number),
        });
        Candidate {
            position: ListPosition { key, id: id.0 },
            texts: [searched, other],
            meets_conditions: meets != 0,
            bytes: bytes.unsigned_abs(),
        }
    }
}

impl ListRepository for Tx<'_> {
    fn candidates(
        &mut self,
        selection: &ListSelection<'_>,
        after: Option<&ListPosition<Uuid>>,
        limit: u32,
    ) -> Result<Vec<Candidate>, StorageError> {
        let list = List::new(selection, self.dialect());
        let rows: Statement<Columns> = list.behind(list.rows(list.columns()), after)?;
        // Known items need no order, for which SQLite would take an index that has all of them.
        let rows = match selection.among {
            Some(_) => rows,
            None => rows.sql(list.order()).sql(" LIMIT ").bind(i64::from(limit)),
        };
        let rows: Vec<Row> = self.look_up(|db| on_db!(db, db => rows.load(db)))?;
        Ok(rows.into_iter().map(|row| list.candidate(row)).collect())
    }

    fn count_candidates(
        &mut self,
        selection: &ListSelection<'_>,
        after: Option<&ListPosition<Uuid>>,
        limit: u32,
    ) -> Result<u32, StorageError> {
        let list = List::new(selection, self.dialect());
        let count = list.rows(Statement::new("SELECT count(*) FROM (SELECT 1 AS one"));
        let count: Statement<BigInt> =
            list.behind(count, after)?.sql(" LIMIT ").bind(i64::from(limit)).sql(") AS few");
        let count: i64 = self.look_up(|db| on_db!(db, db => count.get_result(db)))?;
        u32::try_from(count).map_err(|_| broken("more items counted than asked for"))
    }

    fn reserve_content(&mut self, bytes: u64) -> Result<(), StorageError> {
        let bytes = number(bytes)?;
        self.reserve_memory(bytes)
    }
}
