//! SQLite: files, connections and their settings.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use domain::StorageError;
use rustix::fs::Access;
use rustix::io::Errno;

use crate::engine::errors::{DbError, one_line};
use crate::open::OpenError;

/// Earlier versions have a rare bug by which a checkpoint can damage a database in WAL mode.
const OLDEST: (u32, u32, u32) = (3, 51, 3);
const OLDEST_NAME: &str = "3.51.3";

/// The settings of every connection. `page_size` has an effect only when the file is made: a row of a
/// table that is kept in the order of its keys may then have some 2,000 bytes before it needs a page of
/// its own. `busy_timeout` comes before all that may have to wait. The larger cache keeps the inner pages
/// of big tables in memory.
const SETTINGS: &str = "PRAGMA page_size = 8192; \
    PRAGMA busy_timeout = 5000; \
    PRAGMA synchronous = FULL; \
    PRAGMA foreign_keys = ON; \
    PRAGMA trusted_schema = OFF; \
    PRAGMA cell_size_check = ON; \
    PRAGMA mmap_size = 0; \
    PRAGMA cache_size = -12288;";

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

/// Makes an empty database file, and its folder, that no other user can read; leaves alone what is
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

/// Whether a database file could be made here: its folder need not be there, but the one above.
pub fn check_place(path: &Path) -> Result<(), OpenError> {
    let above = folder(&folder(path));
    match above.try_exists() {
        Ok(false) => Err(OpenError::NoFolder(above)),
        Ok(true) | Err(_) => Ok(()),
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
    check_writable(path)?;
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

/// SQLite would open a file that it can't write for reading only, and say so at the first write.
///
/// The file is not opened to find out: closing it again would drop every lock that SQLite holds on it
/// in this process (POSIX takes locks away from a process with the first descriptor that it closes),
/// and another process could then remove the write-ahead log under a running server.
fn check_writable(path: &Path) -> Result<(), OpenError> {
    let Err(error) = rustix::fs::access(path, Access::WRITE_OK) else { return Ok(()) };
    if error == Errno::NOENT && !folder(path).exists() {
        return Err(OpenError::NoFolder(folder(path)));
    }
    Err(not_writable(path, &error.into()))
}

fn configure(connection: &mut SqliteConnection) -> Result<(), OpenError> {
    let library = patiently(|| {
        connection.batch_execute(SETTINGS)?;
        let version = diesel::sql_query("SELECT sqlite_version() AS version");
        version.get_result(connection).map(|row: Version| row.version)
    })?;
    if !is_new_enough(&library) {
        return Err(OpenError::SqliteTooOld { found: library, needed: OLDEST_NAME });
    }
    let mode = patiently(|| {
        let mode = diesel::sql_query("PRAGMA journal_mode = WAL");
        mode.get_result(connection).map(|row: JournalMode| row.journal_mode)
    })?;
    if mode != "wal" {
        return Err(OpenError::Failed(format!(
            "it can't be switched to WAL mode (it stays in mode {mode}): it must lie on a local disk"
        )));
    }
    Ok(())
}

/// Tries again for a while: while another process switches a new database to WAL mode, SQLite finds
/// it locked without waiting for `busy_timeout`.
fn patiently<T>(mut attempt: impl FnMut() -> QueryResult<T>) -> Result<T, OpenError> {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        match attempt().map_err(DbError::from) {
            Err(DbError::Collision(_)) if Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(10));
            }
            ended => {
                return ended
                    .map_err(|error| OpenError::Failed(StorageError::from(error).to_string()));
            }
        }
    }
}

/// Makes the connection the one that writes. It moves the log into the file itself (`checkpoint.rs`), and waits for
/// other processes itself (`writer.rs`): SQLite waits up to 100 ms between two attempts, and so misses the short time
/// between two transactions of a server that always has work.
pub fn make_writer(
    connection: &mut SqliteConnection,
    max_pages: Option<u32>,
) -> Result<(), OpenError> {
    let mut settings = "PRAGMA busy_timeout = 0; \
                        PRAGMA wal_autocheckpoint = 0; \
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
        .batch_execute(
            "PRAGMA wal_autocheckpoint = 0; PRAGMA query_only = ON; PRAGMA cache_size = -3072;",
        )
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
