//! Where the database is.

pub use storage_diesel::DatabaseUrl;

use super::{Scalar, Shape};

impl Scalar for DatabaseUrl {
    type Value = Self;
    const SHAPE: Shape = Shape {
        credentials: true,
        ..Shape::new(
            "database address",
            "sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE",
            "URL",
        )
    };

    fn read(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            return sqlite(path);
        }
        let server = ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
        if !server || text.contains(|c: char| c.is_control() || c == ' ') {
            return Err(Self::SHAPE.mismatch());
        }
        Ok(Self::Postgres(text.to_owned()))
    }
}

fn sqlite(path: &str) -> Result<DatabaseUrl, String> {
    if path.is_empty() || path.contains('\0') {
        return Err(DatabaseUrl::SHAPE.mismatch());
    }
    if path.starts_with("//") {
        return Err("has slashes that would become part of the path; write sqlite:PATH".to_owned());
    }
    // SQLite reads these as options, not as the name of a file.
    if path.starts_with(':') || path.starts_with("file:") {
        return Err("names no file; botyard needs one that outlives it".to_owned());
    }
    Ok(DatabaseUrl::Sqlite(path.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sqlite_takes_a_path() {
        for path in ["botyard.db", "./data/botyard.db", "/var/lib/bot yard/x.db"] {
            assert_eq!(
                <DatabaseUrl as Scalar>::read(&format!("sqlite:{path}")),
                Ok(DatabaseUrl::Sqlite(path.into()))
            );
        }
        for bad in [
            "sqlite:",
            "sqlite::memory:",
            "sqlite:file:x?mode=memory",
            "sqlite://x.db",
            "sqlite:///x.db",
        ] {
            assert!(<DatabaseUrl as Scalar>::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn postgres_takes_a_url_and_hides_its_password() {
        for url in ["postgres://bo:pw@db/x", "postgresql://bo:pw@db/x"] {
            let read = <DatabaseUrl as Scalar>::read(url).unwrap();
            assert_eq!(read, DatabaseUrl::Postgres(url.to_owned()));
            assert!(!format!("{read} {read:?}").contains("pw"));
        }
        for bad in [
            "",
            "botyard.db",
            "mysql://db/x",
            "host=db user=bo",
            "postgres:x",
            "postgres://db/x y",
            "Postgres://db",
        ] {
            assert!(<DatabaseUrl as Scalar>::read(bad).is_err(), "{bad}");
        }
    }
}
