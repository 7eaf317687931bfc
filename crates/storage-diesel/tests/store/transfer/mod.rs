//! Copies of whole databases, and the list of tables that they go by.

mod list;
mod rows;

use std::thread;

use storage_diesel::transfer::{TABLES, TableSummary, TransferError, copy_database, summarize};

use crate::databases::{Database, stored};

fn copy(from: &Database, to: &Database) -> Result<Vec<TableSummary>, TransferError> {
    copy_database(from.url(), to.url(), false, &mut |_| ())
}

fn summaries(database: &Database) -> Vec<TableSummary> {
    summarize(database.url(), &mut |_| ()).unwrap()
}

fn is_empty(database: &Database) -> bool {
    summaries(database).iter().all(|table| table.rows == 0)
}

#[test]
fn a_copy_has_all_rows_in_either_direction() {
    let [first, second, third] =
        [Database::sqlite(), Database::empty_postgres(), Database::empty_sqlite()];
    first.execute(&rows::of_every_table(&first));
    let original = summaries(&first);
    for table in &original {
        assert!(table.rows > 0, "write a row of {} into rows.rs", table.table);
    }
    assert_eq!(copy(&first, &second), Ok(original.clone()));
    assert_eq!(summaries(&second), original);
    assert_eq!(copy(&second, &third), Ok(original.clone()));
    assert_eq!(summaries(&third), original);
    assert_eq!(rows::of_file(&third), rows::of_file(&first));
    assert_eq!(rows::indexes(&third), rows::indexes(&first));
    assert_eq!(rows::indexes(&second), rows::indexes(&Database::postgres()));
    // A store reads what was copied.
    assert_eq!(stored(&second.open()), stored(&first.open()));
}

#[test]
fn a_copy_on_the_same_kind_of_database_has_all_rows() {
    for [from, to] in [
        [Database::sqlite(), Database::empty_sqlite()],
        [Database::postgres(), Database::empty_postgres()],
    ] {
        from.execute(&rows::of_every_table(&from));
        assert_eq!(copy(&from, &to), Ok(summaries(&from)));
        assert_eq!(summaries(&to), summaries(&from));
    }
}

#[test]
fn progress_ends_with_all_rows() {
    let [from, to] = [Database::sqlite(), Database::empty_sqlite()];
    from.execute(&rows::of_every_table(&from));
    let mut last = None;
    copy_database(from.url(), to.url(), false, &mut |progress| last = Some(progress)).unwrap();
    let rows = summaries(&from).iter().map(|table| table.rows).sum();
    let last = last.unwrap();
    assert_eq!((last.done, last.total), (rows, rows));
    assert_eq!(last.table, TABLES.last().unwrap().name);
}

#[test]
fn a_target_with_rows_is_refused() {
    for to in [Database::sqlite(), Database::postgres()] {
        let from = Database::sqlite();
        from.execute(&rows::of_every_table(&from));
        to.execute(&format!("INSERT INTO organisations VALUES ({}, 'o', 1)", to.id(rows::id(1))));
        let refused = copy(&from, &to).unwrap_err();
        let expected =
            TransferError::NotEmpty { database: to.url().to_string(), table: "organisations" };
        assert_eq!(refused, expected);
        assert_eq!(to.count("organisations"), 1);
    }
}

#[test]
fn a_copy_that_fails_leaves_nothing() {
    let from = Database::sqlite();
    from.execute(&rows::of_every_table(&from));
    // PostgreSQL takes no text with U+0000; the table is the last but some.
    from.execute("UPDATE documents SET file_name = 'a' || char(0)");
    let to = Database::empty_postgres();
    let TransferError::Database { database, text } = copy(&from, &to).unwrap_err() else {
        panic!("another error")
    };
    assert_eq!(database, to.url().to_string());
    assert!(text.starts_with("table documents: "), "{text}");
    assert!(is_empty(&to));
    assert_eq!(rows::indexes(&to), rows::indexes(&Database::postgres()));

    // A reference to nothing, which only a file that was changed by hand has.
    from.execute(
        "PRAGMA foreign_keys = OFF; UPDATE documents SET file_name = 'a'; DELETE FROM blobs",
    );
    for to in [Database::empty_postgres(), Database::empty_sqlite()] {
        let TransferError::Database { text, .. } = copy(&from, &to).unwrap_err() else {
            panic!("another error")
        };
        assert!(text.starts_with("table fusion_views: "), "{text}");
        assert!(is_empty(&to));
    }
    // The same target takes the next copy.
    let [whole, to] = [Database::sqlite(), Database::empty_postgres()];
    assert!(copy(&from, &to).is_err());
    whole.execute(&rows::of_every_table(&whole));
    assert_eq!(copy(&whole, &to), Ok(summaries(&whole)));
}

#[test]
fn a_source_that_is_not_there_or_not_migrated_is_refused() {
    for from in [Database::empty_sqlite(), Database::empty_postgres()] {
        let to = Database::empty_sqlite();
        let refused = copy(&from, &to).unwrap_err().to_string();
        assert!(refused.contains("there is no database yet"), "{refused}");
        assert!(!to.path().exists(), "the target was made before the source was looked at");
    }
}

#[test]
fn a_database_is_not_copied_to_itself() {
    for database in [Database::sqlite(), Database::postgres()] {
        let refused = copy(&database, &database).unwrap_err();
        assert_eq!(refused, TransferError::Same(database.url().to_string()));
    }
}

#[test]
fn a_postgres_that_a_store_has_open_is_copied_only_with_live() {
    let [from, to] = [Database::postgres(), Database::empty_sqlite()];
    from.execute(&rows::of_every_table(&from));
    let store = from.open();
    assert_eq!(copy(&from, &to), Err(TransferError::InUse(from.url().to_string())));
    // The store numbers the event that has no number yet, and what is compared must not change.
    while from.count("events WHERE number < 0") > 0 {
        thread::yield_now();
    }
    let copied = copy_database(from.url(), to.url(), true, &mut |_| ());
    assert_eq!(copied, Ok(summaries(&from)));
    store.close();

    let [from, to] = [Database::sqlite(), Database::postgres()];
    let store = to.open();
    for is_live in [false, true] {
        let refused = copy_database(from.url(), to.url(), is_live, &mut |_| ());
        assert_eq!(refused, Err(TransferError::InUse(to.url().to_string())));
    }
    store.close();
    assert_eq!(copy(&from, &to), Ok(summaries(&from)));
}

#[test]
fn a_postgres_that_is_being_copied_is_not_opened() {
    let [from, to] = [Database::sqlite(), Database::empty_postgres()];
    from.execute(&rows::of_every_table(&from));
    let mut opened = None;
    copy_database(from.url(), to.url(), false, &mut |_| {
        opened.get_or_insert_with(|| {
            storage_diesel::DieselStore::open(to.url(), storage_diesel::Options::default()).err()
        });
    })
    .unwrap();
    let error = opened.flatten().expect("it was opened").to_string();
    assert!(error.contains("it is being copied"), "{error}");
    to.open().close();
}
