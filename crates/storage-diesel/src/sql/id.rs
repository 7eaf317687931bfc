//! Identifiers in the database: the type `uuid` on PostgreSQL, 16 bytes on SQLite.

use std::fmt;
#[cfg(feature = "postgres")]
use std::io::Write as _;

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
#[cfg(feature = "postgres")]
use diesel::pg::{Pg, PgValue};
use diesel::query_builder::QueryId;
use diesel::serialize::{self, IsNull, Output, ToSql};
#[cfg(feature = "sqlite")]
use diesel::sql_types::Binary;
use diesel::sql_types::SqlType;
#[cfg(feature = "sqlite")]
use diesel::sqlite::{Sqlite, SqliteValue};
use uuid::Uuid;

use crate::engine::db::Dialect;

/// The SQL type of identifiers.
#[derive(Debug, Clone, Copy, Default, QueryId, SqlType)]
#[cfg_attr(feature = "sqlite", diesel(sqlite_type(name = "Binary")))]
#[cfg_attr(feature = "postgres", diesel(postgres_type(oid = 2950, array_oid = 2951)))]
pub struct Id;

/// An identifier in a row.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, AsExpression, FromSqlRow,
)]
#[diesel(sql_type = Id)]
pub(crate) struct IdColumn(pub(crate) Uuid);

impl IdColumn {
    /// Smaller than all others.
    pub(crate) const FIRST: Self = Self(Uuid::nil());
    /// Greater than all others.
    pub(crate) const LAST: Self = Self(Uuid::max());
}

impl fmt::Display for IdColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(feature = "sqlite")]
impl FromSql<Id, Sqlite> for IdColumn {
    fn from_sql(raw: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        let bytes = <Vec<u8> as FromSql<Binary, Sqlite>>::from_sql(raw)?;
        Ok(Self(Uuid::from_slice(&bytes)?))
    }
}

#[cfg(feature = "postgres")]
impl FromSql<Id, Pg> for IdColumn {
    fn from_sql(raw: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(raw.as_bytes())?))
    }
}

#[cfg(feature = "sqlite")]
impl ToSql<Id, Sqlite> for IdColumn {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_bytes().as_slice());
        Ok(IsNull::No)
    }
}

#[cfg(feature = "postgres")]
impl ToSql<Id, Pg> for IdColumn {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(self.0.as_bytes())?;
        Ok(IsNull::No)
    }
}

/// The identifier whose text, in its canonical form, an SQL expression is.
pub(crate) fn id_of_text(dialect: Dialect, text: &str) -> String {
    match dialect {
        Dialect::Postgres => format!("CAST({text} AS UUID)"),
        Dialect::Sqlite => format!("unhex({text}, '-')"),
    }
}
