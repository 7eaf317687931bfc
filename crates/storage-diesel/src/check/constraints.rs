//! What a database itself can say: whether its file is undamaged, and whether rows point to rows that are there.

use diesel::prelude::*;
use diesel::result::Error;
use diesel::sql_types::{BigInt, Text};

use super::finding::{Finding, Findings};
use crate::engine::db::Db;

/// The kind of the finding that SQLite's file is damaged.
pub const INTEGRITY: &str = "integrity";
const FOREIGN_KEY: &str = "foreign_key";
const CONSTRAINT: &str = "constraint";

/// How many rules there are in here.
pub(super) const RULES: usize = 3;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

#[derive(QueryableByName)]
struct Dangling {
    #[diesel(sql_type = Text)]
    child: String,
    #[diesel(sql_type = Text)]
    parent: String,
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

#[derive(QueryableByName)]
struct Reference {
    #[diesel(sql_type = Text)]
    child: String,
    #[diesel(sql_type = Text)]
    parent: String,
    #[diesel(sql_type = Text)]
    is_set: String,
    #[diesel(sql_type = Text)]
    is_joined: String,
}

#[derive(QueryableByName)]
struct Unchecked {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    reason: String,
}

/// Foreign keys of the schema of the tables, each with the conditions that a row of the child has the columns, and
/// that they are those of a row of the parent. Those of partitions are left out: their table has them.
const REFERENCES: &str = "SELECT CAST(fk.conrelid::regclass AS TEXT) AS child, \
    CAST(fk.confrelid::regclass AS TEXT) AS parent, \
    string_agg(format('child.%I IS NOT NULL', c.attname), ' AND ' ORDER BY pair.number) AS is_set, \
    string_agg(format('child.%I = parent.%I', c.attname, p.attname), ' AND ' ORDER BY pair.number) AS is_joined \
    FROM pg_constraint AS fk \
    CROSS JOIN LATERAL unnest(fk.conkey, fk.confkey) WITH ORDINALITY AS pair (of_child, of_parent, number) \
    JOIN pg_attribute AS c ON c.attrelid = fk.conrelid AND c.attnum = pair.of_child \
    JOIN pg_attribute AS p ON p.attrelid = fk.confrelid AND p.attnum = pair.of_parent \
    WHERE fk.contype = 'f' AND fk.conparentid = 0 \
    AND fk.connamespace = CAST(current_schema() AS regnamespace) \
    GROUP BY fk.oid, fk.conrelid, fk.confrelid ORDER BY 1, fk.oid";

/// What PostgreSQL does not check though it could.
const UNCHECKED: &str = "SELECT format('%s on %s', conname, conrelid::regclass) AS name, \
    'rows that were there before it were never checked (ALTER TABLE … VALIDATE CONSTRAINT …)' AS reason \
    FROM pg_constraint WHERE NOT convalidated AND connamespace = CAST(current_schema() AS regnamespace) \
    UNION ALL SELECT format('%s on %s', tgname, tgrelid::regclass), 'the trigger is disabled' \
    FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid \
    WHERE tgenabled = 'D' AND relnamespace = CAST(current_schema() AS regnamespace) \
    UNION ALL SELECT format('%s', indexrelid::regclass), 'the index is invalid (REINDEX INDEX …)' \
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid \
    WHERE NOT indisvalid AND relnamespace = CAST(current_schema() AS regnamespace) \
    ORDER BY 1";

/// The error of SQLite for a file that is damaged.
const DAMAGED: &str = "database disk image is malformed";

/// Has the database say what it can.
pub(super) fn check(db: &mut Db<'_>, findings: &mut Findings) -> QueryResult<()> {
    match db {
        Db::Sqlite(db) => check_sqlite(db, findings),
        Db::Pg(db) => check_postgres(db, findings),
    }
}

fn check_sqlite(db: &mut SqliteConnection, findings: &mut Findings) -> QueryResult<()> {
    let check = diesel::sql_query(
        "SELECT integrity_check AS line FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
    );
    let lines: Vec<Line> = match check.load(db) {
        // Some damage ends the check itself.
        Err(Error::DatabaseError(_, information)) if information.message() == DAMAGED => {
            vec![Line { line: DAMAGED.to_owned() }]
        }
        lines => lines?,
    };
    if !lines.is_empty() {
        for Line { line } in lines {
            findings.push(Finding::new(INTEGRITY, "-".to_owned(), format!("SQLite says: {line}")));
        }
        return Ok(());
    }
    let dangling: Vec<Dangling> = diesel::sql_query(
        "SELECT \"table\" AS child, \"parent\" AS parent, count(*) AS rows FROM pragma_foreign_key_check \
         GROUP BY 1, 2 ORDER BY 1, 2",
    )
    .load(db)?;
    dangling.into_iter().for_each(|found| findings.push(found.finding()));
    Ok(())
}

fn check_postgres(db: &mut PgConnection, findings: &mut Findings) -> QueryResult<()> {
    for Unchecked { name, reason } in diesel::sql_query(UNCHECKED).load(db)? {
        findings.push(Finding::new(CONSTRAINT, name, reason));
    }
    // With the constraint in force there is nothing to find, unless it was switched off for a while.
    let references: Vec<Reference> = diesel::sql_query(REFERENCES).load(db)?;
    for Reference { child, parent, is_set, is_joined } in references {
        let query = format!(
            "SELECT '{child}' AS child, '{parent}' AS parent, count(*) AS rows FROM {child} AS child \
             WHERE {is_set} AND NOT EXISTS (SELECT 1 FROM {parent} AS parent WHERE {is_joined})"
        );
        let found: Dangling = diesel::sql_query(query).get_result(db)?;
        if found.rows > 0 {
            findings.push(found.finding());
        }
    }
    Ok(())
}

impl Dangling {
    fn finding(self) -> Finding {
        let Self { child, parent, rows } = self;
        let sentence = format!("{rows} of its rows refer to a row of `{parent}` that is not there");
        Finding::new(FOREIGN_KEY, child, sentence)
    }
}
