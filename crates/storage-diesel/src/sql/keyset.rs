//! Pages of lists that go by more than one column. The columns are compared as one value, `(at, id) >
//! (…, …)`, because that is how both databases find the position in an index without reading what comes
//! before it.

use diesel::backend::Backend;
use diesel::dsl::AsExprOf;
use diesel::expression::{AppearsOnTable, Expression, ValidGrouping};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool};
use domain::clock::TimeCursor;

use crate::sql::columns::Stored;
use crate::sql::id::{Id, IdColumn};

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident, $function:ident = $operator:literal;)+) => {$(
        #[derive(Debug, Clone, Copy, QueryId, ValidGrouping)]
        pub(crate) struct $name<C, P> {
            columns: C,
            position: P,
        }

        $(#[$doc])*
        pub(crate) const fn $function<C, P>(columns: C, position: P) -> $name<C, P>
        where
            C: Expression,
            P: Expression<SqlType = C::SqlType>,
        {
            $name { columns, position }
        }

        impl<C, P> Expression for $name<C, P>
        where
            C: Expression,
            P: Expression<SqlType = C::SqlType>,
        {
            type SqlType = Bool;
        }

        impl<DB, C, P> QueryFragment<DB> for $name<C, P>
        where
            DB: Backend,
            C: QueryFragment<DB>,
            P: QueryFragment<DB>,
        {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
                out.push_sql("(");
                self.columns.walk_ast(out.reborrow())?;
                out.push_sql($operator);
                self.position.walk_ast(out.reborrow())?;
                out.push_sql(")");
                Ok(())
            }
        }

        impl<C, P, T> AppearsOnTable<T> for $name<C, P>
        where
            Self: Expression,
            C: AppearsOnTable<T>,
            P: AppearsOnTable<T>,
        {
        }
    )+};
}

comparisons! {
    /// What comes after a position, in ascending order of the columns.
    RowGt, row_gt = ") > (";
    /// What comes after a position, in descending order of the columns.
    RowLt, row_lt = ") < (";
}

/// A position in an order of time.
pub(crate) type KeysetPosition = (AsExprOf<i64, BigInt>, AsExprOf<IdColumn, Id>);

/// The position of `after` in an ascending order, or that before all others.
pub(crate) fn from_oldest<I: Stored<Column = IdColumn>>(
    after: Option<TimeCursor<I>>,
) -> KeysetPosition {
    let (at, id) = after.map_or((i64::MIN, IdColumn::FIRST), parts);
    (at.into_sql::<BigInt>(), id.into_sql::<Id>())
}

/// The position of `after` in a descending order, or that before all others.
pub(crate) fn from_latest<I: Stored<Column = IdColumn>>(
    after: Option<TimeCursor<I>>,
) -> KeysetPosition {
    let (at, id) = after.map_or((i64::MAX, IdColumn::LAST), parts);
    (at.into_sql::<BigInt>(), id.into_sql::<Id>())
}

fn parts<I: Stored<Column = IdColumn>>(cursor: TimeCursor<I>) -> (i64, IdColumn) {
    (cursor.at.millis(), cursor.id.to_column())
}
