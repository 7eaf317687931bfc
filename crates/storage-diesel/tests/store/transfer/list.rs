//! Whether the list of tables says what the databases have.

use std::collections::{BTreeMap, BTreeSet};

use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use storage_diesel::DatabaseUrl;
use storage_diesel::transfer::{Column, ColumnType, TABLES};

use crate::databases::{Database, each_database};

/// A column of a database.
#[derive(QueryableByName, Debug, PartialEq, Eq)]
struct FoundColumn {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    column_name: String,
    #[diesel(sql_type = Text)]
    column_type: String,
    #[diesel(sql_type = Bool)]
    nullable: bool,
    #[diesel(sql_type = Bool)]
    generated: bool,
}

/// Two names that belong together.
#[derive(QueryableByName)]
struct Pair {
    #[diesel(sql_type = Text)]
    first: String,
    #[diesel(sql_type = Text)]
    second: String,
}

const COLUMNS_OF_SQLITE: &str = "SELECT t.name AS table_name, c.name AS column_name, c.type AS column_type, \
    NOT c.\"notnull\" AS nullable, c.hidden IN (2, 3) AS generated \
    FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c WHERE t.type = 'table'";
const COLUMNS_OF_POSTGRES: &str = "SELECT table_name::text, column_name::text, data_type::text AS column_type, \
    is_nullable = 'YES' AS nullable, is_generated = 'ALWAYS' AS generated \
    FROM information_schema.columns WHERE table_schema = current_schema()";
const KEYS_OF_SQLITE: &str = "SELECT t.name AS first, c.name AS second FROM sqlite_schema AS t \
    JOIN pragma_table_xinfo(t.name) AS c WHERE t.type = 'table' AND c.pk > 0 ORDER BY t.name, c.pk";
const KEYS_OF_POSTGRES: &str = "SELECT indrelid::regclass::text AS first, attname::text AS second \
    FROM pg_index CROSS JOIN unnest(indkey) WITH ORDINALITY AS part (number, place) \
    JOIN pg_attribute ON attrelid = indrelid AND attnum = part.number \
    WHERE indisprimary ORDER BY first, place";
const REFERENCES_OF_SQLITE: &str = "SELECT t.name AS first, r.\"table\" AS second FROM sqlite_schema AS t \
    JOIN pragma_foreign_key_list(t.name) AS r WHERE t.type = 'table'";
const REFERENCES_OF_POSTGRES: &str = "SELECT conrelid::regclass::text AS first, confrelid::regclass::text AS second \
    FROM pg_constraint WHERE contype = 'f'";

fn load<T: QueryableByName<diesel::sqlite::Sqlite> + QueryableByName<diesel::pg::Pg> + 'static>(
    database: &Database,
    of_sqlite: &str,
    of_postgres: &str,
) -> Vec<T> {
    match database.url() {
        DatabaseUrl::Sqlite(path) => {
            let mut connection = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
            diesel::sql_query(of_sqlite).load(&mut connection).unwrap()
        }
        DatabaseUrl::Postgres(_) => {
            diesel::sql_query(of_postgres).load(&mut database.connect()).unwrap()
        }
    }
}

/// The word for a type.
const fn word(column_type: ColumnType, url: &DatabaseUrl) -> &'static str {
    let (on_sqlite, on_postgres) = match column_type {
        ColumnType::Id => ("BLOB", "uuid"),
        ColumnType::Text => ("TEXT", "text"),
        ColumnType::Number => ("INTEGER", "bigint"),
        ColumnType::Bool => ("INTEGER", "boolean"),
        ColumnType::Double => ("REAL", "double precision"),
        ColumnType::Binary => ("BLOB", "bytea"),
    };
    match url {
        DatabaseUrl::Sqlite(_) => on_sqlite,
        DatabaseUrl::Postgres(_) => on_postgres,
    }
}

/// Every table and every column that is stored is in the list, with its type.
fn the_list_has_every_column(database: Database) {
    let mut found: BTreeMap<String, Vec<FoundColumn>> = BTreeMap::new();
    for column in load::<FoundColumn>(&database, COLUMNS_OF_SQLITE, COLUMNS_OF_POSTGRES) {
        if !column.table_name.starts_with("__diesel") && !column.table_name.starts_with("sqlite_") {
            found.entry(column.table_name.clone()).or_default().push(column);
        }
    }
    let listed: BTreeSet<_> = TABLES.iter().map(|table| table.name.to_owned()).collect();
    assert_eq!(found.keys().cloned().collect::<BTreeSet<_>>(), listed);
    for table in TABLES {
        let found = found.get(table.name).unwrap();
        let real = found.iter().filter(|column| !column.generated);
        let real: BTreeMap<_, _> = real
            .map(|column| (&*column.column_name, (&*column.column_type, column.nullable)))
            .collect();
        let stored: BTreeMap<_, _> = table
            .stored_columns()
            .map(|Column { name, column_type, nullable }| {
                (*name, (word(*column_type, database.url()), *nullable))
            })
            .collect();
        assert_eq!(real, stored, "{}", table.name);
        for name in table.generated {
            assert!(table.columns.iter().any(|column| column.name == *name), "{name}");
            let column = found.iter().find(|column| column.column_name == *name);
            assert!(column.is_some_and(|column| column.generated), "{name}");
        }
    }
}

fn the_list_has_every_key(database: Database) {
    let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Pair { first, second } in load::<Pair>(&database, KEYS_OF_SQLITE, KEYS_OF_POSTGRES) {
        keys.entry(first).or_default().push(second);
    }
    for table in TABLES {
        assert_eq!(keys.get(table.name).unwrap(), table.key, "{}", table.name);
    }
}

/// A table comes after those that it refers to.
fn the_list_is_in_the_order_of_references(database: Database) {
    let place = |name: &str| TABLES.iter().position(|table| table.name == name).unwrap();
    let references = load::<Pair>(&database, REFERENCES_OF_SQLITE, REFERENCES_OF_POSTGRES);
    assert!(references.len() > TABLES.len() / 2);
    for Pair { first, second } in references {
        assert!(place(&second) < place(&first), "{first} refers to {second}");
    }
}

each_database! {
    the_list_has_every_column,
    the_list_has_every_key,
    the_list_is_in_the_order_of_references,
}
