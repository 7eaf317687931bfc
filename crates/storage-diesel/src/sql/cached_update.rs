//! Updates whose prepared statements connections cache.

use diesel::backend::Backend;
use diesel::prelude::*;
use diesel::query_builder::{AsChangeset, AstPass, IntoUpdateTarget, QueryFragment, QueryId};
use diesel::query_source::QuerySource;

/// An `UPDATE` of which a connection keeps the prepared statement, by its text.
pub(crate) struct CachedUpdate<F, R, V> {
    from: F,
    rows: R,
    values: V,
}

/// The change of these rows of a table to these values.
///
/// It is for changes that always set the same columns. diesel's own `update` may have a text for each set of
/// columns, so it is prepared anew each time, which takes longer than to run it.
pub(crate) fn cached_update<R, V>(
    rows: R,
    values: V,
) -> CachedUpdate<<R::Table as QuerySource>::FromClause, R::WhereClause, V::Changeset>
where
    R: IntoUpdateTarget,
    R::Table: QuerySource,
    V: AsChangeset<Target = R::Table>,
{
    let target = rows.into_update_target();
    let from = target.table.from_clause();
    CachedUpdate { from, rows: target.where_clause, values: values.as_changeset() }
}

impl<F, R, V, DB> QueryFragment<DB> for CachedUpdate<F, R, V>
where
    F: QueryFragment<DB>,
    R: QueryFragment<DB>,
    V: QueryFragment<DB>,
    DB: Backend,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        self.values.walk_ast(out.reborrow())?;
        self.rows.walk_ast(out)
    }
}

impl<F, R, V> QueryId for CachedUpdate<F, R, V> {
    type QueryId = ();
    /// diesel caches it by its text, not by its type.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<F, R, V, C> RunQueryDsl<C> for CachedUpdate<F, R, V> {}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use diesel::connection::{InstrumentationEvent, SimpleConnection as _};

    use super::*;

    diesel::table! {
        things (id) {
            id -> BigInt,
            name -> Nullable<Text>,
        }
    }

    #[test]
    fn a_change_is_prepared_once() {
        let mut db = SqliteConnection::establish(":memory:").unwrap();
        db.batch_execute("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT)").unwrap();
        let prepared = Arc::new(AtomicUsize::new(0));
        let counter = prepared.clone();
        db.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if matches!(event, InstrumentationEvent::CacheQuery { .. }) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        });
        for id in 0..3_i64 {
            let change = cached_update(things::table.find(id), things::name.eq(Some("a")));
            change.execute(&mut db).unwrap();
            assert_eq!(prepared.load(Ordering::Relaxed), 1);
        }
    }
}
