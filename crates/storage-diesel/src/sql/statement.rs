//! Statements whose text is put together at run time, and which a connection keeps prepared all the
//! same: diesel prepares those of `sql_query` anew each time.

use std::borrow::Cow;
use std::marker::PhantomData;

use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Text};

use crate::engine::db::Dialect;
use crate::sql::id::{Id, IdColumn};

/// A statement with the values bound to it; `T` is the types of its columns. A connection prepares
/// each text once, so there must be few of them: what varies is to be bound.
pub(crate) struct Statement<T> {
    fragments: Vec<Fragment>,
    columns: PhantomData<T>,
}

enum Fragment {
    Sql(Cow<'static, str>),
    Bound(Value),
}

/// What can be bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Number(i64),
    Id(IdColumn),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<IdColumn> for Value {
    fn from(id: IdColumn) -> Self {
        Self::Id(id)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl<T> Statement<T> {
    /// A statement that begins so.
    pub(crate) fn new(sql: impl Into<Cow<'static, str>>) -> Self {
        Self { fragments: vec![Fragment::Sql(sql.into())], columns: PhantomData }
    }

    /// Goes on with this text.
    pub(crate) fn sql(mut self, sql: impl Into<Cow<'static, str>>) -> Self {
        self.fragments.push(Fragment::Sql(sql.into()));
        self
    }

    /// Goes on with a placeholder for this value.
    pub(crate) fn bind(mut self, value: impl Into<Value>) -> Self {
        self.fragments.push(Fragment::Bound(value.into()));
        self
    }

    /// Goes on with placeholders for these values, with commas between.
    pub(crate) fn bind_all<V: Into<Value>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                self = self.sql(", ");
            }
            self = self.bind(value);
        }
        self
    }

    /// Goes on with what another one consists of.
    pub(crate) fn then<U>(mut self, other: Statement<U>) -> Self {
        self.fragments.extend(other.fragments);
        self
    }

    /// The same behind another text, as `EXPLAIN` needs it.
    #[cfg(test)]
    pub(crate) fn behind<U>(mut self, sql: &'static str) -> Statement<U> {
        self.fragments.insert(0, Fragment::Sql(sql.into()));
        Statement { fragments: self.fragments, columns: PhantomData }
    }

    /// Goes on with a table that has the members of a JSON array in its column `value`. However many
    /// there are, the text stays the same.
    pub(crate) fn members(self, dialect: Dialect, array: impl Into<Value>) -> Self {
        match dialect {
            Dialect::Postgres => {
                self.sql("json_array_elements(CAST(").bind(array).sql(" AS JSON))")
            }
            Dialect::Sqlite => self.sql("json_each(").bind(array).sql(")"),
        }
    }
}

/// What stands around the conditions for one row of a table, which is looked up for each row of what is
/// joined with it. SQLite goes by the order of a cross join, and PostgreSQL by what it believes about
/// the table: where it knows nothing, it would scan all that an owner or a project has.
pub(crate) fn one_by_one(dialect: Dialect, table: &'static str) -> [String; 2] {
    match dialect {
        Dialect::Postgres => {
            [format!("LATERAL (SELECT * FROM {table}"), format!(" LIMIT 1) AS {table}")]
        }
        Dialect::Sqlite => [table.to_owned(), String::new()],
    }
}

impl<T, DB> QueryFragment<DB> for Statement<T>
where
    DB: Backend + HasSqlType<Text> + HasSqlType<BigInt> + HasSqlType<Id>,
    String: ToSql<Text, DB>,
    i64: ToSql<BigInt, DB>,
    IdColumn: ToSql<Id, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        for part in &self.fragments {
            match part {
                Fragment::Sql(sql) => out.push_sql(sql),
                Fragment::Bound(Value::Text(text)) => out.push_bind_param::<Text, String>(text)?,
                Fragment::Bound(Value::Number(number)) => {
                    out.push_bind_param::<BigInt, i64>(number)?;
                }
                Fragment::Bound(Value::Id(id)) => out.push_bind_param::<Id, IdColumn>(id)?,
            }
        }
        Ok(())
    }
}

impl<T> QueryId for Statement<T> {
    type QueryId = ();
    /// It is known by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T> Query for Statement<T> {
    type SqlType = T;
}

impl<T, C> RunQueryDsl<C> for Statement<T> {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use diesel::connection::InstrumentationEvent;

    use super::*;

    #[test]
    fn a_text_is_prepared_once() {
        let mut db = SqliteConnection::establish(":memory:").unwrap();
        let prepared = Arc::new(AtomicUsize::new(0));
        let counter = prepared.clone();
        db.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if matches!(event, InstrumentationEvent::CacheQuery { .. }) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        for (number, text) in [(1, "a"), (2, "?$1'\u{10ffff}"), (3, "")] {
            let statement: Statement<(BigInt, Text)> =
                Statement::new("SELECT ").bind(number).sql(", ").bind(text);
            assert_eq!(statement.get_result(&mut db), Ok((number, text.to_owned())));
            assert_eq!(prepared.load(Ordering::Relaxed), 1);
        }
        let more: Statement<(BigInt, BigInt, BigInt)> =
            Statement::new("SELECT ").bind_all([4, 5, 6]);
        assert_eq!(more.get_result(&mut db), Ok((4_i64, 5_i64, 6_i64)));
        assert_eq!(prepared.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn members_of_an_array_are_rows() {
        let mut db = SqliteConnection::establish(":memory:").unwrap();
        let query: Statement<(Text, BigInt)> = Statement::new("SELECT value->>0, value->>1 FROM ")
            .members(Dialect::Sqlite, r#"[["a\"\\'",1],["🤖",2]]"#);
        let rows: Vec<(String, i64)> = query.load(&mut db).unwrap();
        assert_eq!(rows, [("a\"\\'".to_owned(), 1), ("🤖".to_owned(), 2)]);
    }
}
