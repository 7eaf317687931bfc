//! Stores rows of any table, many at once.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::Error;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Double, Nullable, Text};
use diesel::sqlite::Sqlite;
use uuid::Uuid;

use super::error::TransferError;
use super::row::{Cell, Cells, quoted};
use super::side::Side;
use super::tables::{ColumnType, Table};
use crate::engine::db::Db;
use crate::sql::id::{Id, IdColumn};

/// How many rows one statement stores at most.
const ROWS: usize = 1000;
/// How many bytes the rows of one statement have at most, if it has more than one.
const BYTES: usize = 256 << 10;

/// Rows that wait to be stored, column by column.
pub(crate) struct InsertBatch {
    table: &'static Table,
    /// The statement up to the values.
    insert: String,
    columns: Vec<Values>,
    rows: usize,
    bytes: usize,
}

/// What the rows have in one column.
enum Values {
    Id(Vec<Option<IdColumn>>),
    Text(Vec<Option<String>>),
    Number(Vec<Option<i64>>),
    Bool(Vec<Option<bool>>),
    Double(Vec<Option<f64>>),
    Binary(Vec<Option<Vec<u8>>>),
}

impl Values {
    const fn new(column_type: ColumnType) -> Self {
        match column_type {
            ColumnType::Id => Self::Id(Vec::new()),
            ColumnType::Text => Self::Text(Vec::new()),
            ColumnType::Number => Self::Number(Vec::new()),
            ColumnType::Bool => Self::Bool(Vec::new()),
            ColumnType::Double => Self::Double(Vec::new()),
            ColumnType::Binary => Self::Binary(Vec::new()),
        }
    }

    /// Returns whether the column can have it.
    fn push(&mut self, cell: Cell) -> bool {
        match (self, cell) {
            (Self::Id(values), Cell::Bytes(bytes)) => {
                let Ok(id) = Uuid::from_slice(&bytes) else { return false };
                values.push(Some(IdColumn(id)));
            }
            (Self::Text(values), Cell::Text(text)) => values.push(Some(text)),
            (Self::Number(values), Cell::Number(number)) => values.push(Some(number)),
            (Self::Bool(values), Cell::Number(number @ (0 | 1))) => values.push(Some(number == 1)),
            (Self::Double(values), Cell::Double(number)) => values.push(Some(number)),
            (Self::Binary(values), Cell::Bytes(bytes)) => values.push(Some(bytes)),
            (Self::Id(values), Cell::Null) => values.push(None),
            (Self::Text(values), Cell::Null) => values.push(None),
            (Self::Number(values), Cell::Null) => values.push(None),
            (Self::Bool(values), Cell::Null) => values.push(None),
            (Self::Double(values), Cell::Null) => values.push(None),
            (Self::Binary(values), Cell::Null) => values.push(None),
            (
                Self::Id(_)
                | Self::Text(_)
                | Self::Number(_)
                | Self::Bool(_)
                | Self::Double(_)
                | Self::Binary(_),
                Cell::Number(_) | Cell::Double(_) | Cell::Text(_) | Cell::Bytes(_),
            ) => return false,
        }
        true
    }

    fn clear(&mut self) {
        match self {
            Self::Id(values) => values.clear(),
            Self::Text(values) => values.clear(),
            Self::Number(values) => values.clear(),
            Self::Bool(values) => values.clear(),
            Self::Double(values) => values.clear(),
            Self::Binary(values) => values.clear(),
        }
    }
}

impl InsertBatch {
    pub(crate) fn new(table: &'static Table) -> Self {
        let names: Vec<_> = table.stored_columns().map(|column| quoted(column.name)).collect();
        let insert = format!("INSERT INTO {} ({}) ", table.name, names.join(", "));
        let columns =
            table.stored_columns().map(|column| Values::new(column.column_type)).collect();
        Self { table, insert, columns, rows: 0, bytes: 0 }
    }

    /// Adds a row, and stores the batch if it is full.
    pub(crate) fn add(&mut self, Cells(cells): Cells, to: &mut Side) -> Result<(), TransferError> {
        for ((values, cell), column) in
            self.columns.iter_mut().zip(cells).zip(self.table.stored_columns())
        {
            self.bytes += cell.size();
            if !values.push(cell) {
                let text = format!(
                    "a row of {} has no {:?} in {}",
                    self.table.name, column.column_type, column.name
                );
                return Err(TransferError::Database { database: to.database.clone(), text });
            }
        }
        self.rows += 1;
        if self.rows >= ROWS || self.bytes >= BYTES { self.store(to) } else { Ok(()) }
    }

    /// Stores what waits.
    pub(crate) fn store(&mut self, to: &mut Side) -> Result<(), TransferError> {
        let Side { database, connection } = to;
        let stored = match connection.lend() {
            _ if self.rows == 0 => Ok(0),
            Db::Pg(connection) => InsertArrays(self).execute(connection),
            // It knows no arrays, and takes a row at a time as fast.
            Db::Sqlite(connection) => (0..self.rows).try_fold(0, |stored, row| {
                Ok(stored + InsertRow { batch: self, row }.execute(connection)?)
            }),
        };
        let stored =
            stored.map_err(|error| TransferError::in_table(database, self.table, error))?;
        if stored != self.rows {
            let text = format!("{stored} of {} rows of {} were stored", self.rows, self.table.name);
            return Err(TransferError::Database { database: database.clone(), text });
        }
        self.columns.iter_mut().for_each(Values::clear);
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

/// All rows at once. The text is the same for any number of them, so that it is prepared once.
struct InsertArrays<'a>(&'a InsertBatch);

impl QueryFragment<Pg> for InsertArrays<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(&self.0.insert);
        out.push_sql("SELECT * FROM unnest(");
        for (index, values) in self.0.columns.iter().enumerate() {
            if index > 0 {
                out.push_sql(", ");
            }
            match values {
                Values::Id(values) => out.push_bind_param::<Array<Nullable<Id>>, _>(values),
                Values::Text(values) => out.push_bind_param::<Array<Nullable<Text>>, _>(values),
                Values::Number(values) => out.push_bind_param::<Array<Nullable<BigInt>>, _>(values),
                Values::Bool(values) => out.push_bind_param::<Array<Nullable<Bool>>, _>(values),
                Values::Double(values) => out.push_bind_param::<Array<Nullable<Double>>, _>(values),
                Values::Binary(values) => out.push_bind_param::<Array<Nullable<Binary>>, _>(values),
            }?;
        }
        out.push_sql(")");
        Ok(())
    }
}

/// One of the rows.
struct InsertRow<'a> {
    batch: &'a InsertBatch,
    row: usize,
}

impl QueryFragment<Sqlite> for InsertRow<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        fn at<T>(values: &[T], row: usize) -> QueryResult<&T> {
            values.get(row).ok_or(Error::NotFound)
        }
        out.push_sql(&self.batch.insert);
        out.push_sql("VALUES (");
        for (index, values) in self.batch.columns.iter().enumerate() {
            if index > 0 {
                out.push_sql(", ");
            }
            match values {
                Values::Id(values) => out.push_bind_param::<Nullable<Id>, _>(at(values, self.row)?),
                Values::Text(values) => {
                    out.push_bind_param::<Nullable<Text>, _>(at(values, self.row)?)
                }
                Values::Number(values) => {
                    out.push_bind_param::<Nullable<BigInt>, _>(at(values, self.row)?)
                }
                Values::Bool(values) => {
                    out.push_bind_param::<Nullable<Bool>, _>(at(values, self.row)?)
                }
                Values::Double(values) => {
                    out.push_bind_param::<Nullable<Double>, _>(at(values, self.row)?)
                }
                Values::Binary(values) => {
                    out.push_bind_param::<Nullable<Binary>, _>(at(values, self.row)?)
                }
            }?;
        }
        out.push_sql(")");
        Ok(())
    }
}

impl QueryId for InsertArrays<'_> {
    type QueryId = ();
    /// It is known by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryId for InsertRow<'_> {
    type QueryId = ();
    /// It is known by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<C> RunQueryDsl<C> for InsertArrays<'_> {}
impl<C> RunQueryDsl<C> for InsertRow<'_> {}
