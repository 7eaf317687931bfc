//! Rows of any table, as both databases give them.

use diesel::deserialize::{self, FromSql, QueryableByName};
use diesel::pg::{Pg, PgRowByRowLoadingMode, PgValue};
use diesel::prelude::*;
use diesel::row::{Field as _, NamedRow, Row};
use diesel::sql_types::{BigInt, Binary, Bool, Double, Text};
use diesel::sqlite::{Sqlite, SqliteType, SqliteValue};

use super::error::TransferError;
use super::side::Side;
use super::tables::Table;
use crate::engine::db::Db;

/// What a row has in one column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// Nothing.
    Null,
    /// A number, or a truth value as 0 or 1.
    Number(i64),
    /// A number with a fraction.
    Double(f64),
    /// A text.
    Text(String),
    /// Bytes, which may be an identifier.
    Bytes(Vec<u8>),
}

impl Cell {
    /// How many bytes it takes, roughly.
    pub(crate) const fn size(&self) -> usize {
        match self {
            Self::Null | Self::Number(_) | Self::Double(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

/// A row: the columns in the order of the query.
pub(crate) struct Cells(pub(crate) Vec<Cell>);

/// The types of PostgreSQL's columns by their numbers, which never change.
mod oid {
    pub const BOOL: u32 = 16;
    pub const BYTEA: u32 = 17;
    pub const INT8: u32 = 20;
    pub const TEXT: u32 = 25;
    pub const FLOAT8: u32 = 701;
    pub const UUID: u32 = 2950;
}

impl QueryableByName<Pg> for Cells {
    fn build<'a>(row: &impl NamedRow<'a, Pg>) -> deserialize::Result<Self> {
        let cell = |index| -> deserialize::Result<Cell> {
            let field = Row::get(row, index).ok_or("a column is missing")?;
            field.value().map_or(Ok(Cell::Null), of_postgres)
        };
        (0..row.field_count()).map(cell).collect::<Result<_, _>>().map(Self)
    }
}

fn of_postgres(value: PgValue<'_>) -> deserialize::Result<Cell> {
    Ok(match value.get_oid().get() {
        oid::BOOL => Cell::Number(<bool as FromSql<Bool, Pg>>::from_sql(value)?.into()),
        oid::BYTEA | oid::UUID => Cell::Bytes(value.as_bytes().to_vec()),
        oid::INT8 => Cell::Number(<i64 as FromSql<BigInt, Pg>>::from_sql(value)?),
        oid::TEXT => Cell::Text(<String as FromSql<Text, Pg>>::from_sql(value)?),
        oid::FLOAT8 => Cell::Double(<f64 as FromSql<Double, Pg>>::from_sql(value)?),
        other => return Err(format!("a column has the unknown type {other}").into()),
    })
}

impl QueryableByName<Sqlite> for Cells {
    fn build<'a>(row: &impl NamedRow<'a, Sqlite>) -> deserialize::Result<Self> {
        let cell = |index| -> deserialize::Result<Cell> {
            let field = Row::get(row, index).ok_or("a column is missing")?;
            field.value().map_or(Ok(Cell::Null), of_sqlite)
        };
        (0..row.field_count()).map(cell).collect::<Result<_, _>>().map(Self)
    }
}

fn of_sqlite(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Cell> {
    Ok(match value.value_type() {
        None => Cell::Null,
        Some(SqliteType::Text) => Cell::Text(<String as FromSql<Text, Sqlite>>::from_sql(value)?),
        Some(SqliteType::Double | SqliteType::Float) => {
            Cell::Double(<f64 as FromSql<Double, Sqlite>>::from_sql(value)?)
        }
        Some(SqliteType::Binary) => {
            Cell::Bytes(<Vec<u8> as FromSql<Binary, Sqlite>>::from_sql(value)?)
        }
        Some(SqliteType::Long | SqliteType::Integer | SqliteType::SmallInt) => {
            Cell::Number(<i64 as FromSql<BigInt, Sqlite>>::from_sql(value)?)
        }
    })
}

/// Passes on every row of a table, in the order of its key; only one is in memory at a time.
pub(crate) fn for_each_row(
    side: &mut Side,
    table: &Table,
    mut visit: impl FnMut(Cells) -> Result<(), TransferError>,
) -> Result<(), TransferError> {
    let columns: Vec<_> = table.stored_columns().map(|column| quoted(column.name)).collect();
    let key: Vec<_> = table.key.iter().map(|column| quoted(column)).collect();
    let query =
        format!("SELECT {} FROM {} ORDER BY {}", columns.join(", "), table.name, key.join(", "));
    let query = diesel::sql_query(query);
    let Side { database, connection } = side;
    let failed = |error| TransferError::in_table(database, table, error);
    match connection.lend() {
        Db::Pg(connection) => {
            let rows = query.load_iter::<Cells, PgRowByRowLoadingMode>(connection);
            rows.map_err(failed)?.try_for_each(|row| visit(row.map_err(failed)?))
        }
        Db::Sqlite(connection) => {
            let rows = query.load_iter::<Cells, diesel::connection::DefaultLoadingMode>(connection);
            rows.map_err(failed)?.try_for_each(|row| visit(row.map_err(failed)?))
        }
    }
}

/// A name as SQL: some are words of the language.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
