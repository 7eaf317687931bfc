//! Migrations, on both databases.

use std::path::Path;
use std::{fs, thread};

use storage_diesel::{DieselStore, OpenError, Options, migrate, migration_status};

use crate::databases::{Database, insert, stored, write};

fn opened(database: &Database) -> Option<OpenError> {
    DieselStore::open(database.url(), Options::default()).err()
}

/// A database that is older or newer than the service is not touched.
fn other_schemas_are_refused(database: &Database) {
    assert_eq!(opened(database), Some(OpenError::NoDatabase));
    let missing = migration_status(database.url()).unwrap();
    assert!(!missing.is_empty() && missing.iter().all(|(_, applied)| !applied));

    let names: Vec<_> = missing.into_iter().map(|(name, _)| name).collect();
    assert_eq!(migrate(database.url()), Ok(names.clone()));
    assert_eq!(migrate(database.url()), Ok(Vec::new()));
    let done = names.into_iter().map(|name| (name, true)).collect();
    assert_eq!(migration_status(database.url()), Ok(done));
    assert_eq!(opened(database), None);

    database.execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')");
    let newer = OpenError::SchemaNewer("99990101000000".to_owned());
    assert_eq!(opened(database), Some(newer.clone()));
    assert_eq!(migrate(database.url()), Err(newer));
}

/// Of several processes that start at once, each migration is run by one, and the others wait.
fn processes_that_start_at_once_migrate_once(database: &Database) {
    let ran = thread::scope(|scope| {
        [(); 4]
            .map(|()| scope.spawn(|| migrate(database.url())))
            .map(|thread| thread.join().unwrap().unwrap())
    });
    let names = migration_status(database.url()).unwrap().into_iter().map(|(name, _)| name);
    assert_eq!(ran.concat(), names.collect::<Vec<_>>());
    assert_eq!(opened(database), None);
}

/// Every way up has a way down, after which the way up works again.
fn what_was_migrated_can_be_undone(database: &Database, folder: &str) {
    let store = database.open();
    write(&store, insert(1)).unwrap();
    store.close();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(folder);
    for (name, _) in migration_status(database.url()).unwrap().into_iter().rev() {
        database.execute(&fs::read_to_string(folder.join(name).join("down.sql")).unwrap());
    }
    database.execute("DELETE FROM __diesel_schema_migrations");
    assert_eq!(stored(&database.open()), [0; 0]);
}

mod on_sqlite {
    use super::*;

    #[test]
    fn other_schemas_are_refused() {
        let database = Database::empty_sqlite();
        assert_eq!(opened(&database), Some(OpenError::NoDatabase));
        assert!(!database.path().exists(), "looking must not make a file");
        super::other_schemas_are_refused(&database);
    }

    #[test]
    fn processes_that_start_at_once_migrate_once() {
        super::processes_that_start_at_once_migrate_once(&Database::empty_sqlite());
    }

    #[test]
    fn what_was_migrated_can_be_undone() {
        super::what_was_migrated_can_be_undone(&Database::empty_sqlite(), "sqlite");
    }

    /// Foreign keys are off during a migration, so all rows are read afterwards. A start that migrates nothing
    /// does not read them, or it would take longer the more is stored.
    #[test]
    fn rows_are_checked_after_a_migration_and_not_at_every_start() {
        const DANGLING: &str = "PRAGMA foreign_keys = OFF; INSERT INTO children VALUES (1)";
        let database = Database::empty_sqlite();
        database.execute("CREATE TABLE parents (id INTEGER PRIMARY KEY)");
        database.execute("CREATE TABLE children (parent INTEGER REFERENCES parents (id))");
        database.execute(DANGLING);
        let dangling = OpenError::Migration("1 rows point to nothing".to_owned());
        assert_eq!(migrate(database.url()), Err(dangling));

        database.execute("DELETE FROM children");
        assert_ne!(migrate(database.url()), Ok(Vec::new()));
        database.execute(DANGLING);
        assert_eq!(migrate(database.url()), Ok(Vec::new()));
    }
}

mod on_postgres {
    use super::*;

    #[test]
    fn other_schemas_are_refused() {
        super::other_schemas_are_refused(&Database::empty_postgres());
    }

    #[test]
    fn processes_that_start_at_once_migrate_once() {
        super::processes_that_start_at_once_migrate_once(&Database::empty_postgres());
    }

    #[test]
    fn what_was_migrated_can_be_undone() {
        super::what_was_migrated_can_be_undone(&Database::empty_postgres(), "postgres");
    }
}
