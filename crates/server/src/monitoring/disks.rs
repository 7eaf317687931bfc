//! How much room there is on the disks of this node.

use std::path::{Path, PathBuf};

use metrics::{describe_gauge, gauge};

use crate::folder_lock::folder_of;
use crate::settings::{BlobUrl, DatabaseUrl, Settings};

const FREE: &str = "botyard_disk_free_bytes";
const SIZE: &str = "botyard_disk_size_bytes";
const RESERVE: &str = "botyard_disk_reserve_bytes";

/// What lies on disks of this node, and where. Two of them may be on one disk.
pub struct Disks(Vec<(&'static str, PathBuf)>);

impl Disks {
    /// Those that the settings name, with what is kept back on them.
    pub fn of(settings: &Settings) -> Self {
        describe_gauge!(
            FREE,
            "Bytes that are free on the disk of the database, files or data_dir."
        );
        describe_gauge!(SIZE, "Size of the disk of the database, files or data_dir.");
        describe_gauge!(RESERVE, "Free bytes below which what adds something is refused.");
        set(RESERVE, None, settings.disk.reserve as u64);
        let mut places = vec![("data_dir", settings.data_dir.clone())];
        if let DatabaseUrl::Sqlite(file) = &settings.database_url {
            places.push(("database", folder_of(file).to_owned()));
        }
        if let BlobUrl::Folder(folder) = &settings.blob_url {
            places.push(("files", folder.clone()));
        }
        Self(places)
    }

    /// Records how large they are, and how much of them is free. A disk that does not say so is left out.
    pub fn record(&self) {
        for (place, folder) in &self.0 {
            if let Some((free, size)) = ask(folder) {
                set(FREE, Some(*place), free);
                set(SIZE, Some(*place), size);
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a size is exact up to eight petabytes")]
fn set(name: &'static str, place: Option<&'static str>, bytes: u64) {
    let gauge = match place {
        Some(place) => gauge!(name, "place" => place),
        None => gauge!(name),
    };
    gauge.set(bytes as f64);
}

/// The bytes that this account may still write, and those of the whole disk.
fn ask(folder: &Path) -> Option<(u64, u64)> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    Some((bytes(disk.f_bavail), bytes(disk.f_blocks)))
}
