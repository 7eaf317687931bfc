//! Statements that take many rows at once.

use diesel::dsl::AsExprOf;
use diesel::expression::{AsExpression, TypedExpressionType};
use diesel::prelude::*;
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

/// Rows in runs, each of which one statement takes, told how many bytes of text a row has.
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
