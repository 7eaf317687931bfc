//! SQLite: files, connections and their settings.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use domain::StorageError;

use crate::errors::{Fault, one_line};
use crate::open::OpenError;

/// Earlier versions have a rare bug by which a checkpoint can damage a database in WAL mode.
const OLDEST: (u32, u32, u32) = (3, 51, 3);
const OLDEST_NAME: &str = "3.51.3";

/// What every connection says. `busy_timeout` comes first, because the others may have to wait.
/// The larger cache keeps the inner pages of big tables in memory.
const SETTINGS: &str = "PRAGMA busy_timeout = 5000; \
    PRAGMA synchronous = FULL; \
    PRAGMA foreign_keys = ON; \
    PRAGMA trusted_schema = OFF; \
    PRAGMA cell_size_check = ON; \
    PRAGMA mmap_size = 0; \
    PRAGMA cache_size = -16384;";

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

#[derive(QueryableByName)]
struct JournalMode {
    #[diesel(sql_type = Text)]
    journal_mode: String,
}

/// Makes an empty database file, and its folder, that nobody else can read; leaves alone what is
/// there.
pub fn create(path: &Path) -> Result<(), OpenError> {
    let folder = folder(path);
    if !folder.exists() {
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                OpenError::NoFolder(self::folder(&folder))
            } else {
                not_writable(&folder, &error)
            }
        })?;
        // SQLite sees to its files, but a folder that vanishes in a power cut takes them along.
        #[cfg(unix)]
        fs::File::open(self::folder(&folder))
            .and_then(|parent| parent.sync_all())
            .map_err(|error| not_writable(&folder, &error))?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    // SQLite gives its other files the mode of the database file.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(not_writable(path, &error)),
    }
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

fn not_writable(path: &Path, error: &std::io::Error) -> OpenError {
    OpenError::NotWritable { path: path.to_path_buf(), reason: error.to_string() }
}

/// Opens a database file that is there.
pub fn connect(path: &Path) -> Result<SqliteConnection, OpenError> {
    // SQLite would open a file that it can't write for reading only, and say so at the first write.
    fs::OpenOptions::new().write(true).open(path).map_err(|error| {
        if error.kind() == ErrorKind::NotFound && !folder(path).exists() {
            OpenError::NoFolder(folder(path))
        } else {
            not_writable(path, &error)
        }
    })?;
    let text = path
        .to_str()
        .ok_or_else(|| OpenError::Failed(format!("the path {} is not UTF-8", path.display())))?;
    // A name such as `file:x` or `:memory:` would mean something else.
    let name = if path.is_absolute() { text.to_owned() } else { format!("./{text}") };
    let mut connection = SqliteConnection::establish(&name)
        .map_err(|error| OpenError::Failed(one_line(&error.to_string())))?;
    configure(&mut connection)?;
    Ok(connection)
}

fn configure(connection: &mut SqliteConnection) -> Result<(), OpenError> {
    let failed = |fault| OpenError::Failed(StorageError::from(fault).to_string());
    let version = diesel::sql_query("SELECT sqlite_version() AS version");
    let library: Version =
        version.get_result(connection).map_err(|error| failed(Fault::from(error)))?;
    if !is_new_enough(&library.version) {
        return Err(OpenError::SqliteTooOld { found: library.version, needed: OLDEST_NAME });
    }
    let mode = settle(connection).map_err(failed)?;
    if mode != "wal" {
        return Err(OpenError::Failed(format!(
            "it can't be switched to WAL mode (it stays in mode {mode}): it must lie on a local disk"
        )));
    }
    Ok(())
}

/// Makes the settings, and gives the journal mode. While another process switches a new database to
/// WAL mode, SQLite is locked without waiting for `busy_timeout`, so this waits.
fn settle(connection: &mut SqliteConnection) -> Result<String, Fault> {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let settled = connection.batch_execute(SETTINGS).and_then(|()| {
            let mode = diesel::sql_query("PRAGMA journal_mode = WAL");
            let mode: JournalMode = mode.get_result(connection)?;
            // The first look at the file, after which nothing is special any more.
            diesel::sql_query("SELECT 1 FROM sqlite_schema").execute(connection)?;
            Ok(mode.journal_mode)
        });
        match settled.map_err(Fault::from) {
            Err(Fault::Collision(_)) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(10));
            }
            ended => return ended,
        }
    }
}

/// Makes the connection the one that writes.
pub fn make_writer(
    connection: &mut SqliteConnection,
    max_pages: Option<u32>,
) -> Result<(), OpenError> {
    let mut settings = "PRAGMA wal_autocheckpoint = 1000; \
                        PRAGMA journal_size_limit = 67108864;"
        .to_owned();
    if let Some(pages) = max_pages {
        settings.push_str(&format!("PRAGMA max_page_count = {pages};"));
    }
    connection
        .batch_execute(&settings)
        .map_err(|error| OpenError::Failed(one_line(&error.to_string())))
}

/// Makes the connection one that only reads, and leaves checkpoints to the writer.
pub fn make_reader(connection: &mut SqliteConnection) -> Result<(), OpenError> {
    connection
        .batch_execute("PRAGMA wal_autocheckpoint = 0; PRAGMA query_only = ON;")
        .map_err(|error| OpenError::Failed(one_line(&error.to_string())))
}

fn is_new_enough(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    let mut part = || parts.next().unwrap_or(0);
    (part(), part(), part()) >= OLDEST
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn versions_are_compared_as_numbers() {
        for good in ["3.51.3", "3.52.0", "3.100.0", "4.0", "3.51.10"] {
            assert!(is_new_enough(good), "{good}");
        }
        for bad in ["3.51.2", "3.51", "3.9.9", "2.99.99", ""] {
            assert!(!is_new_enough(bad), "{bad}");
        }
    }
}
