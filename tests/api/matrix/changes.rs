//! The counter of changes, on which every refused cell relies: no change of a row, in whatever table and
//! column, escapes it.

use botyard_tests::{Database, Installation, Sql, each_database};

/// Takes away whatever would keep a lone row of made-up values out of a table. What is looked for here is the
/// counter's blind spots, and those do not depend on it.
fn without_constraints(installation: &Installation, sql: &Sql) {
    let drops = match installation.database() {
        Database::Sqlite => vec![
            "PRAGMA foreign_keys = OFF".to_owned(),
            "PRAGMA ignore_check_constraints = ON".to_owned(),
        ]
        .into_iter()
        .chain(sql.texts(
            "SELECT 'DROP TRIGGER ' || name AS value FROM sqlite_schema WHERE type = 'trigger'",
        ))
        .collect(),
        Database::Postgres => sql.texts(
            "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) AS value \
             FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'f' \
             UNION ALL \
             SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) \
             FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'c'",
        ),
    };
    for statement in drops {
        sql.execute(&statement);
    }
}

/// The declared type of a column.
fn type_of(installation: &Installation, sql: &Sql, table: &str, column: &str) -> String {
    let query = match installation.database() {
        Database::Sqlite => format!(
            "SELECT lower(type) AS value FROM pragma_table_info('{table}') WHERE name = '{column}'"
        ),
        Database::Postgres => format!(
            "SELECT data_type::text AS value FROM information_schema.columns \
             WHERE table_schema = 'public' AND table_name = '{table}' AND column_name = '{column}'"
        ),
    };
    sql.texts(&query).remove(0)
}

/// Two values of a type.
fn values(of: &str) -> [&'static str; 2] {
    match of {
        "text" => ["'a'", "'b'"],
        "integer" | "bigint" | "smallint" => ["1", "2"],
        "double precision" | "real" => ["1.5", "2.5"],
        "boolean" => ["false", "true"],
        "blob" => ["x'01'", "x'02'"],
        "bytea" => ["'\\x01'", "'\\x02'"],
        "json" | "jsonb" => ["'1'", "'2'"],
        other => panic!("make two values of the type {other}"),
    }
}

each_database! {
    fn no_change_escapes_the_counter(database: Database) {
        let installation = Installation::new(database);
        // Changes are made by another connection than the one that looks, as a server makes them.
        let (looks, changes) = (installation.connect(), installation.connect());
        without_constraints(&installation, &changes);
        looks.count_changes();
        let mut count = looks.changes();
        let mut is_counted = |statement: &str, rows: usize| {
            assert_eq!(changes.execute(statement), rows, "{statement}");
            let now = looks.changes();
            assert_ne!(now, count, "the counter has not seen `{statement}`");
            count = now;
        };
        let tables = looks.tables();
        assert!(tables.len() > 20, "{tables:?}");
        for table in tables {
            let columns: Vec<_> = looks
                .columns(&table)
                .into_iter()
                .map(|column| {
                    let values = values(&type_of(&installation, &looks, &table, &column));
                    (column, values)
                })
                .collect();
            let names: Vec<_> = columns.iter().map(|(name, _)| name.as_str()).collect();
            let firsts: Vec<_> = columns.iter().map(|(_, [first, _])| *first).collect();
            let (names, firsts) = (names.join(", "), firsts.join(", "));
            is_counted(&format!("INSERT INTO {table} ({names}) VALUES ({firsts})"), 1);
            for (column, [_, second]) in &columns {
                is_counted(&format!("UPDATE {table} SET {column} = {second}"), 1);
            }
            is_counted(&format!("DELETE FROM {table}"), 1);
        }
        if database == Database::Postgres {
            is_counted("TRUNCATE keyval_entries", 0);
        }
        // Looking changes nothing.
        let _ = changes.tables();
        assert_eq!(looks.changes(), count);
    }
}
