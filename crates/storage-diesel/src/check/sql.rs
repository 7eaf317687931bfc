//! Parts of the statements of rules.

use domain::job::JobKind;

use crate::engine::db::Dialect;

/// The text of the identifier in a column.
pub(super) fn text_of(dialect: Dialect, column: &str) -> String {
    match dialect {
        Dialect::Postgres => format!("CAST({column} AS TEXT)"),
        Dialect::Sqlite => {
            let digits = |from: u8, count: u8| format!("substr(hex({column}), {from}, {count})");
            let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)];
            let parts = parts.map(|(from, count)| digits(from, count)).join(" || '-' || ");
            format!("lower({parts})")
        }
    }
}

/// Which jobs count as being there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Jobs {
    /// Also those that failed for good: they are a finding of their own.
    All,
    /// Only those that will be done.
    Open,
}

/// The condition that no job of this kind has the identifier in a column as its subject. Each database is asked so
/// that it goes through the jobs once: PostgreSQL joins `NOT EXISTS` by hash, SQLite makes an index of a list.
pub(super) fn without_job(dialect: Dialect, kind: &JobKind, column: &str, jobs: Jobs) -> String {
    let open = match jobs {
        Jobs::All => "",
        Jobs::Open => " AND state <> 'failed'",
    };
    match dialect {
        Dialect::Postgres => format!(
            "NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.kind = '{kind}'{open} AND jobs.subject = CAST({column} AS TEXT))"
        ),
        Dialect::Sqlite => format!(
            "{column} NOT IN (SELECT unhex(subject, '-') FROM jobs \
             WHERE kind = '{kind}'{open} AND unhex(subject, '-') IS NOT NULL)"
        ),
    }
}

/// The condition that no row of a table has the subject of the job in `jobs` in this column.
pub(super) fn without_subject(dialect: Dialect, table: &str, column: &str) -> String {
    match dialect {
        Dialect::Postgres => format!(
            "NOT EXISTS (SELECT 1 FROM {table} WHERE CAST({table}.{column} AS TEXT) = jobs.subject)"
        ),
        Dialect::Sqlite => format!(
            "NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.{column} = unhex(jobs.subject, '-'))"
        ),
    }
}
