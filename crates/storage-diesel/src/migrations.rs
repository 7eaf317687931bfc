//! Migrations: compiled in, one folder per database, run under a lock.

use std::collections::BTreeSet;
use std::error::Error;

use diesel::backend::Backend;
use diesel::connection::SimpleConnection;
use diesel::migration::{MigrationSource, MigrationVersion};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::engine::db::{Db, on_db};
use crate::engine::errors::one_line;
use crate::open::{DatabaseUrl, OpenError};
#[cfg(feature = "postgres")]
use crate::postgres::server::Server;
#[cfg(feature = "sqlite")]
use crate::sqlite::connect::{check_place, connect, create};

#[cfg(feature = "sqlite")]
pub const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
#[cfg(feature = "postgres")]
pub const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// The advisory lock under which PostgreSQL is migrated: any number that has no other use.
#[cfg(feature = "postgres")]
const LOCK: i64 = 0x626f_7479_6172_6401;

/// The name of a migration, which is that of its folder, and whether it has been run.
pub type MigrationStatus = (String, bool);

/// Brings a database up to date, and creates that of SQLite if need be. Returns the names of the
/// migrations that it ran.
///
/// # Errors
/// [`OpenError`] if the database can't be opened, is newer than this service, or a migration fails.
pub fn migrate(url: &DatabaseUrl) -> Result<Vec<String>, OpenError> {
    match url {
        #[cfg(feature = "sqlite")]
        DatabaseUrl::Sqlite(path) => {
            create(path)?;
            migrate_sqlite(connect(path)?)
        }
        #[cfg(feature = "postgres")]
        DatabaseUrl::Postgres(url) => {
            let server = Server::new(url)?;
            migrate_postgres(server.connect_bare()?)
        }
        #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
        other => Err(other.not_in_build()),
    }
}

/// All migrations that this service knows, in their order.
///
/// # Errors
/// [`OpenError`] if the database can't be opened or is newer than this service.
pub fn migration_status(url: &DatabaseUrl) -> Result<Vec<MigrationStatus>, OpenError> {
    match url {
        #[cfg(feature = "sqlite")]
        DatabaseUrl::Sqlite(path) if !path.exists() => {
            check_place(path)?;
            status(&known::<diesel::sqlite::Sqlite>(SQLITE)?, &BTreeSet::new())
        }
        #[cfg(feature = "sqlite")]
        DatabaseUrl::Sqlite(path) => status_of(&mut Db::Sqlite(&mut connect(path)?)),
        #[cfg(feature = "postgres")]
        DatabaseUrl::Postgres(url) => {
            let server = Server::new(url)?;
            status_of(&mut Db::Pg(&mut server.connect_bare()?))
        }
        #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
        other => Err(other.not_in_build()),
    }
}

/// Refuses a database whose tables are not those that this service works with.
///
/// # Errors
/// [`OpenError::NoDatabase`] or [`OpenError::SchemaOlder`].
pub fn check(status: &[MigrationStatus]) -> Result<(), OpenError> {
    let missing = status.iter().filter(|(_, applied)| !applied);
    let missing: Vec<_> = missing.map(|(name, _)| name.as_str()).collect();
    if missing.len() == status.len() {
        return Err(OpenError::NoDatabase);
    }
    if missing.is_empty() { Ok(()) } else { Err(OpenError::SchemaOlder(missing.join(", "))) }
}

/// The migrations of an open database.
///
/// # Errors
/// As [`migration_status`].
pub fn status_of(db: &mut Db<'_>) -> Result<Vec<MigrationStatus>, OpenError> {
    let applied = applied(db).map_err(|error| OpenError::Failed(one_line(&error.to_string())))?;
    let known = match db {
        #[cfg(feature = "postgres")]
        Db::Pg(_) => known::<diesel::pg::Pg>(POSTGRES),
        #[cfg(feature = "sqlite")]
        Db::Sqlite(_) => known::<diesel::sqlite::Sqlite>(SQLITE),
    };
    status(&known?, &applied)
}

/// Version and name of each migration.
type KnownMigrations = Vec<(String, String)>;

fn known<DB: Backend>(source: EmbeddedMigrations) -> Result<KnownMigrations, OpenError> {
    let migrations = MigrationSource::<DB>::migrations(&source)
        .map_err(|error| OpenError::Failed(error.to_string()))?;
    let mut known: KnownMigrations = migrations
        .iter()
        .map(|migration| {
            let name = migration.name();
            (name.version().to_string(), name.to_string())
        })
        .collect();
    known.sort();
    Ok(known)
}

fn status(
    known: &KnownMigrations,
    applied: &BTreeSet<String>,
) -> Result<Vec<MigrationStatus>, OpenError> {
    let mut unknown = applied.clone();
    let status =
        known.iter().map(|(version, name)| (name.clone(), unknown.remove(version))).collect();
    if unknown.is_empty() {
        Ok(status)
    } else {
        let unknown: Vec<_> = unknown.into_iter().collect();
        Err(OpenError::SchemaNewer(unknown.join(", ")))
    }
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

/// The versions that the database has. Unlike diesel's own function this changes nothing, so that it
/// works for an account that may not create tables.
fn applied(db: &mut Db<'_>) -> QueryResult<BTreeSet<String>> {
    let exists = match db {
        #[cfg(feature = "postgres")]
        Db::Pg(_) => "SELECT count(to_regclass('__diesel_schema_migrations')) AS count",
        #[cfg(feature = "sqlite")]
        Db::Sqlite(_) => {
            "SELECT count(*) AS count FROM sqlite_schema WHERE name = '__diesel_schema_migrations'"
        }
    };
    let exists: Count = on_db!(db, db => diesel::sql_query(exists).get_result(db))?;
    if exists.count == 0 {
        return Ok(BTreeSet::new());
    }
    let versions = diesel::sql_query("SELECT version FROM __diesel_schema_migrations");
    let versions: Vec<Version> = on_db!(db, db => versions.load(db))?;
    Ok(versions.into_iter().map(|row| row.version).collect())
}

#[cfg(feature = "sqlite")]
fn migrate_sqlite(mut connection: SqliteConnection) -> Result<Vec<String>, OpenError> {
    status_of(&mut Db::Sqlite(&mut connection))?;
    // Changing a table means copying it, which only works while foreign keys are not looked at.
    // If one was changed, they are all checked in the end: that reads the whole database.
    let ran =
        connection.batch_execute("PRAGMA foreign_keys = OFF").map_err(Into::into).and_then(|()| {
            connection.immediate_transaction(|connection| {
                let ran = versions(connection.run_pending_migrations(SQLITE)?);
                if ran.is_empty() {
                    return Ok(ran);
                }
                let dangling: Count =
                    diesel::sql_query("SELECT count(*) AS count FROM pragma_foreign_key_check")
                        .get_result(connection)?;
                if dangling.count > 0 {
                    return Err(format!("{} rows point to nothing", dangling.count).into());
                }
                Ok(ran)
            })
        });
    names(ran, &known::<diesel::sqlite::Sqlite>(SQLITE)?)
}

#[cfg(feature = "postgres")]
fn migrate_postgres(mut connection: PgConnection) -> Result<Vec<String>, OpenError> {
    // Held by the session: it ends with the connection at the latest.
    connection
        .batch_execute(&format!("SELECT pg_advisory_lock({LOCK})"))
        .map_err(|error| OpenError::Migration(one_line(&error.to_string())))?;
    status_of(&mut Db::Pg(&mut connection))?;
    let ran = connection.run_pending_migrations(POSTGRES).map(versions);
    names(ran, &known::<diesel::pg::Pg>(POSTGRES)?)
}

fn versions(ran: Vec<MigrationVersion<'_>>) -> Vec<String> {
    ran.iter().map(ToString::to_string).collect()
}

/// The names of the migrations that were run.
fn names(
    ran: Result<Vec<String>, Box<dyn Error + Send + Sync>>,
    known: &KnownMigrations,
) -> Result<Vec<String>, OpenError> {
    let ran = ran.map_err(|error| OpenError::Migration(one_line(&error.to_string())))?;
    let of_these = known.iter().filter(|(version, _)| ran.contains(version));
    Ok(of_these.map(|(_, name)| name.clone()).collect())
}
