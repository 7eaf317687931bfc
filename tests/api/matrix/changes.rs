//! The counter of changes, on which every refused cell relies: no change of a row, in any table and column, escapes it
//! but those that come in the background.

use botyard_tests::{
    Database, Installation, Sql, TestApp, UNCOUNTED_COLUMNS, UNCOUNTED_TABLE, each_database,
};
use http_actix::HttpLimits;

use super::SETTINGS;
use super::verdict::is_ok;
use super::world::World;

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

/// How many tables there are, in whatever schema; that of the migrations left out.
fn every_table(database: Database) -> &'static str {
    match database {
        Database::Sqlite => {
            "SELECT count(*) AS value FROM pragma_table_list WHERE type IN ('table', 'virtual') \
             AND name NOT IN ('__diesel_schema_migrations', '__changes', 'sqlite_schema', 'sqlite_temp_schema', \
             'sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')"
        }
        Database::Postgres => {
            "SELECT count(*) AS value FROM information_schema.tables WHERE table_type = 'BASE TABLE' \
             AND table_schema NOT IN ('pg_catalog', 'information_schema') \
             AND table_name NOT IN ('__diesel_schema_migrations', '__changes')"
        }
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
        "uuid" => {
            ["'00000000-0000-7000-8000-000000000001'", "'00000000-0000-7000-8000-000000000002'"]
        }
        "integer" | "bigint" | "smallint" => ["1", "2"],
        "double precision" | "real" => ["1.5", "2.5"],
        "boolean" => ["false", "true"],
        "blob" => ["x'01'", "x'02'"],
        "bytea" => ["'\\x01'", "'\\x02'"],
        "json" | "jsonb" => ["'1'", "'2'"],
        other => panic!("make two values of the type {other}"),
    }
}

/// Calls that change something, of which the check for refusals must say so.
fn a_change_is_no_refusal(world: &World<'_>) {
    let operations = world.operations();
    for id in ["createSkill", "updateBot", "deleteStage"] {
        let operation = operations.iter().find(|operation| operation.id == id);
        let call = world.call(operation.expect("an operation of this name"));
        let verdict = world.unchanged_by(|| is_ok(&call.send()));
        let change = verdict.expect_err("a change that nobody has seen");
        assert!(change.starts_with("expected"), "{change}");
        let read = world.call(operations.iter().find(|one| one.id == "getBot").expect("getBot"));
        assert_eq!(world.unchanged_by(|| is_ok(&read.send())), Ok(()));
    }
}

#[test]
fn a_change_in_process_is_no_refusal() {
    let app = TestApp::in_process(Database::Sqlite, HttpLimits::default());
    a_change_is_no_refusal(&World::new(&app, &http_actix::operations()));
}

each_database! {
    fn a_change_on_a_server_is_no_refusal(database: Database) {
        let app = TestApp::start(database, &SETTINGS);
        a_change_is_no_refusal(&World::new(&app, &http_actix::operations()));
    }

    fn a_change_that_is_counted_in_process_is_no_refusal(database: Database) {
        let app = TestApp::in_process(database, HttpLimits::default());
        a_change_is_no_refusal(&World::counting_changes(&app, &http_actix::operations()));
    }

    fn no_change_escapes_the_counter(database: Database) {
        let installation = Installation::new(database);
        // Changes are made by another connection than the one that looks, as a server makes them.
        let (looks, changes) = (installation.connect(), installation.connect());
        without_constraints(&installation, &changes);
        looks.count_changes();
        let mut count = looks.changes();
        let tables = looks.tables();
        let mut is_counted = |table: &str, column: &str, statement: &str, rows: usize| {
            assert_eq!(changes.execute(statement), rows, "{statement}");
            let now = looks.changes();
            let changed: Vec<_> = tables.iter().filter(|table| now.are_of(table, &count)).collect();
            let is_counted = table != UNCOUNTED_TABLE && !UNCOUNTED_COLUMNS.contains(&column);
            let expected = if is_counted { &[table][..] } else { &[] };
            assert_eq!(changed, expected, "counted of `{statement}`");
            count = now;
        };
        assert_eq!(tables.len() as i64, looks.number(every_table(database)), "{tables:?}");
        for table in &tables {
            let columns: Vec<_> = looks
                .columns(table)
                .into_iter()
                .map(|column| {
                    let values = values(&type_of(&installation, &looks, table, &column));
                    (column, values)
                })
                .collect();
            let names: Vec<_> = columns.iter().map(|(name, _)| name.as_str()).collect();
            let firsts: Vec<_> = columns.iter().map(|(_, [first, _])| *first).collect();
            let (names, firsts) = (names.join(", "), firsts.join(", "));
            is_counted(table, "", &format!("INSERT INTO {table} ({names}) VALUES ({firsts})"), 1);
            for (column, [_, second]) in &columns {
                is_counted(table, column, &format!("UPDATE {table} SET {column} = {second}"), 1);
            }
            is_counted(table, "", &format!("DELETE FROM {table}"), 1);
        }
        if database == Database::Postgres {
            is_counted("keyval_entries", "", "TRUNCATE keyval_entries", 0);
        }
        // Looking changes nothing.
        let _ = changes.tables();
        assert_eq!(looks.changes(), count);
    }
}
