//! A database for each test, gone afterwards.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::access::Operator;
use domain::clock::Timestamp;
use domain::id::{OrganisationId, ProjectId};
use domain::organisation::Organisation;
use domain::store::{Repositories, Store};
use domain::testing::RunUnits as _;
use domain::{DomainError, StorageError};
use storage_diesel::{DatabaseUrl, DieselStore, Options};
use store_suite::wait;
use tempfile::TempDir;
use test_databases::{Content, OwnDatabase, pooled};
use uuid::Uuid;

pub const OPERATOR: Operator = Operator::of_this_installation();

pub struct Database {
    own: OwnDatabase,
    /// Where the file of SQLite lies.
    _folder: TempDir,
}

impl Database {
    /// A file in a folder of its own, with all tables.
    pub fn sqlite() -> Self {
        Self::sqlite_with(Content::Schema)
    }

    /// A file in a folder of its own, not there yet.
    pub fn empty_sqlite() -> Self {
        Self::sqlite_with(Content::Nothing)
    }

    fn sqlite_with(content: Content) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { own: OwnDatabase::sqlite(folder.path(), content).unwrap(), _folder: folder }
    }

    /// A database on the server of the tests, with all tables.
    pub fn postgres() -> Self {
        Self::postgres_with(Content::Schema)
    }

    /// An empty database on the server of the tests.
    pub fn empty_postgres() -> Self {
        Self::postgres_with(Content::Nothing)
    }

    fn postgres_with(content: Content) -> Self {
        let own = OwnDatabase::postgres(content).unwrap();
        Self { own, _folder: tempfile::tempdir().unwrap() }
    }

    pub const fn url(&self) -> &DatabaseUrl {
        self.own.url()
    }

    pub fn open(&self) -> DieselStore {
        self.open_with(Options::default())
    }

    pub fn open_with(&self, options: Options) -> DieselStore {
        let store = match (pooled(self.url()), self.url()) {
            (Some(pooled), DatabaseUrl::Postgres(direct)) => {
                let listen_url = Some(direct.clone());
                let options = Options { listen_url, prepared_statements: false, ..options };
                DieselStore::open_and_migrate(&DatabaseUrl::Postgres(pooled), options)
            }
            _ => DieselStore::open_and_migrate(self.url(), options),
        };
        store.unwrap()
    }

    /// Runs statements on a connection that has nothing to do with the store.
    pub fn execute(&self, sql: &str) {
        match self.url() {
            DatabaseUrl::Sqlite(path) => {
                let path = path.to_str().unwrap();
                let mut connection = SqliteConnection::establish(path).unwrap();
                connection.batch_execute("PRAGMA busy_timeout = 5000").unwrap();
                connection.batch_execute(sql).unwrap();
            }
            DatabaseUrl::Postgres(url) => admin(url, sql),
        }
    }

    /// A session on the server that has nothing to do with the store.
    pub fn connect(&self) -> PgConnection {
        match self.url() {
            DatabaseUrl::Sqlite(_) => panic!("no server"),
            DatabaseUrl::Postgres(url) => PgConnection::establish(url).unwrap(),
        }
    }

    /// How many rows there are of a table, and of a condition if one follows it.
    pub fn count(&self, of: &str) -> i64 {
        #[derive(QueryableByName)]
        struct Count {
            #[diesel(sql_type = BigInt)]
            count: i64,
        }
        let query = diesel::sql_query(format!("SELECT count(*) AS count FROM {of}"));
        let counted: Count = match self.url() {
            DatabaseUrl::Sqlite(path) => {
                let path = path.to_str().unwrap();
                query.get_result(&mut SqliteConnection::establish(path).unwrap())
            }
            DatabaseUrl::Postgres(url) => {
                query.get_result(&mut PgConnection::establish(url).unwrap())
            }
        }
        .unwrap();
        counted.count
    }

    /// The identifier whose text this is, as SQL.
    pub fn id(&self, text: impl std::fmt::Display) -> String {
        self.own.id(text)
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        match self.url() {
            DatabaseUrl::Sqlite(path) => path,
            DatabaseUrl::Postgres(_) => panic!("no file"),
        }
    }
}

fn admin(url: &str, sql: &str) {
    let mut connection = PgConnection::establish(url).unwrap();
    connection.batch_execute(sql).unwrap();
}

/// An organisation by number.
pub fn organisation(number: u128) -> Organisation {
    Organisation {
        id: OrganisationId::from_uuid(uuid(number)),
        name: format!("number {number}"),
        created_at: Timestamp::from_millis(1_000),
    }
}

fn uuid(number: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(number)
}

/// Stores something small.
pub fn insert(number: u128) -> impl Fn(&mut dyn Repositories) -> Result<(), DomainError> + Send {
    move |tx| Ok(tx.insert_organisation(OPERATOR, &organisation(number))?)
}

/// Runs a writing unit.
pub fn write<T: Send + 'static>(
    store: &DieselStore,
    unit: impl Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
) -> Result<T, DomainError> {
    let store: &(dyn Store + 'static) = store;
    wait(store.write(unit))
}

/// Runs a reading unit.
pub fn read<T: Send + 'static>(
    store: &DieselStore,
    unit: impl Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
) -> Result<T, DomainError> {
    let store: &(dyn Store + 'static) = store;
    wait(store.read(unit))
}

/// Waits for something that must come to be.
#[track_caller]
pub fn until(mut holds: impl FnMut() -> bool, what: &str) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// A project whose changes are none of this one's.
pub fn other_than(project: ProjectId) -> ProjectId {
    ProjectId::from_uuid(Uuid::from_u128(project.uuid().as_u128() ^ 1))
}

/// The numbers of what is stored.
pub fn stored(store: &DieselStore) -> Vec<u128> {
    let all = read(store, |tx| Ok(tx.organisations(OPERATOR)?)).unwrap();
    all.iter().map(|organisation| organisation.id.uuid().as_u128()).collect()
}

pub fn storage_error<T: std::fmt::Debug>(result: Result<T, DomainError>) -> StorageError {
    match result {
        Err(DomainError::Storage(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Makes of each function two tests, one on each database.
macro_rules! each_database {
    ($($case:ident,)+) => {$(
        mod $case {
            #[test]
            fn sqlite() {
                super::$case(super::Database::sqlite());
            }

            #[test]
            fn postgres() {
                super::$case(super::Database::postgres());
            }
        }
    )+};
}
pub(crate) use each_database;
