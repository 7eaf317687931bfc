//! Identifiers in the database.

use std::fmt;

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::Pg;
use diesel::query_builder::QueryId;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{SqlType, Text};
use diesel::sqlite::Sqlite;
use uuid::Uuid;

/// The SQL type of identifiers.
#[derive(Debug, Clone, Copy, Default, QueryId, SqlType)]
#[diesel(sqlite_type(name = "Text"))]
#[diesel(postgres_type(oid = 25, array_oid = 1009))]
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

impl<DB: Backend> FromSql<Id, DB> for IdColumn
where
    String: FromSql<Text, DB>,
{
    fn from_sql(raw: DB::RawValue<'_>) -> deserialize::Result<Self> {
        let id = domain::id::parse_canonical(&String::from_sql(raw)?);
        id.map(Self).ok_or_else(|| "it is no identifier".into())
    }
}

impl ToSql<Id, Sqlite> for IdColumn {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.to_string());
        Ok(IsNull::No)
    }
}

impl ToSql<Id, Pg> for IdColumn {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Text, Pg>::to_sql(&self.0.to_string(), &mut out.reborrow())
    }
}
