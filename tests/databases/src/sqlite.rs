//! The template of SQLite: a file.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::OnceLock;

use storage_diesel::DatabaseUrl;

/// Copies a migrated file to this path.
pub(crate) fn copy_template(path: &Path) -> Result<(), String> {
    static TEMPLATE: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();
    let template = TEMPLATE.get_or_init(template).as_ref().map_err(Clone::clone)?;
    let copy = || -> io::Result<()> {
        // As a server makes it.
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(template)
    };
    copy().map_err(|error| format!("{}: {error}", path.display()))
}

fn template() -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    let path = folder.path().join("template.db");
    let migrated = storage_diesel::migrate(&DatabaseUrl::Sqlite(path.clone()));
    migrated.map_err(|error| format!("the template is not migrated: {error}"))?;
    // What stands in the write-ahead log would be missing in a copy of the file.
    let log = path.with_extension("db-wal");
    if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return Err(format!("{} is not in its database yet", log.display()));
    }
    fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
}
