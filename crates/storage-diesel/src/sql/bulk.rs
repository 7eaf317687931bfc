//! Statements that take many rows at once, on PostgreSQL.

use diesel::dsl::AsExprOf;
use diesel::expression::{AsExpression, TypedExpressionType};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{Array, SqlType};

/// How many bytes of text one statement has at most, if it has more than one row: a connection keeps the
/// room that its longest statement took.
const STATEMENT_BYTES: i64 = 256 << 10;

/// What each of the rows has in a column. Only PostgreSQL has arrays.
pub(crate) fn array<'r, S, R, T>(
    rows: &'r [R],
    column: impl Fn(&'r R) -> T,
) -> AsExprOf<Vec<T>, Array<S>>
where
    Vec<T>: AsExpression<Array<S>>,
    Array<S>: SqlType + TypedExpressionType,
{
    rows.iter().map(column).collect::<Vec<_>>().into_sql::<Array<S>>()
}

/// Stores many rows at once. The text is the same for any number of them, so that a connection keeps it
/// prepared, and all take one round trip.
pub(crate) struct InsertAll<S, A> {
    /// The table, and its columns in brackets: those of `same` come first.
    pub into: &'static str,
    /// What all of the rows have in common.
    pub same: S,
    /// An [`array`] for each other column.
    pub arrays: A,
}

impl<S: QueryFragment<Pg>, A: QueryFragment<Pg>> QueryFragment<Pg> for InsertAll<S, A> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("INSERT INTO ");
        out.push_sql(self.into);
        out.push_sql(" SELECT ");
        self.same.walk_ast(out.reborrow())?;
        out.push_sql(", new.* FROM unnest(");
        self.arrays.walk_ast(out.reborrow())?;
        out.push_sql(") AS new");
        Ok(())
    }
}

impl<S, A> QueryId for InsertAll<S, A> {
    type QueryId = ();
    /// It is known by its text.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<S, A, C> RunQueryDsl<C> for InsertAll<S, A> {}

/// Rows in runs, each of which one statement takes; `size` returns how many bytes of text a row has.
pub(crate) fn statements<R>(rows: &[R], size: fn(&R) -> i64) -> impl Iterator<Item = &[R]> {
    let mut bytes = 0;
    rows.chunk_by(move |row, next| {
        bytes += size(row);
        let fits = bytes + size(next) <= STATEMENT_BYTES;
        if !fits {
            bytes = 0;
        }
        fits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_takes_what_fits_and_at_least_one() {
        let (third, all) = (STATEMENT_BYTES / 3, STATEMENT_BYTES);
        let rows = [third, third, third, third, 9 * all, all, 1, all - 1];
        let runs: Vec<_> = statements(&rows, |size| *size).map(<[_]>::len).collect();
        assert_eq!(runs, [3, 1, 1, 1, 2]);
        assert_eq!(statements(&[], |size: &i64| *size).count(), 0);
    }
}
