//! How much room there is on the disk of a database file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// How large the write-ahead log must be able to become, whatever can be used again inside of the file: every
/// commit goes through the log first, which grows while a long look-up keeps it from being written back.
const LOG: u64 = 16 << 20;

/// For how many milliseconds the answer of the disk counts: to ask it is a system call.
const KNOWN_FOR: u64 = 10;

/// The bytes of a page of the file.
const PAGE: u64 = 8192;

/// The write-ahead log of a database file.
pub fn log_of(file: &Path) -> PathBuf {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// A disk of which some is kept back, so that deletes have what they need.
pub struct DiskReserve {
    folder: PathBuf,
    log: PathBuf,
    /// Bytes.
    reserve: u64,
    /// Bytes of the file that hold nothing any more. The file does not shrink, but new rows go there first.
    reusable: AtomicU64,
    /// What [`Self::free_below_reserve`] says until a number of milliseconds after `started`; `u64::MAX` for `None`.
    free_below_reserve: AtomicU64,
    known_until: AtomicU64,
    started: Instant,
}

impl DiskReserve {
    /// The room on the disk of this file.
    pub fn new(file: &Path, reserve: u64) -> Self {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_owned();
        let log = log_of(file);
        let [reusable, free_below_reserve, known_until] = [const { AtomicU64::new(0) }; 3];
        let started = Instant::now();
        Self { folder, log, reserve, reusable, free_below_reserve, known_until, started }
    }

    /// Whether rows may be added.
    pub fn has_free_space(&self) -> bool {
        let Some(free) = self.free_below_reserve() else {
            return true;
        };
        let for_rows = free.saturating_add(self.reusable.load(Ordering::Relaxed));
        // The log does not shrink at once, but is written anew from its beginning.
        let log = fs::metadata(&self.log).map_or(0, |log| log.len());
        let for_log = free.saturating_add(log);
        for_rows >= self.reserve && for_log >= self.reserve.min(LOG)
    }

    /// Whether less is free on the disk than is kept back, so that it matters what is free in the file.
    pub fn is_below_reserve(&self) -> bool {
        self.free_below_reserve().is_some()
    }

    /// Notes how many pages of the file hold nothing any more.
    pub fn record_free_pages(&self, pages: i64) {
        let bytes = u64::try_from(pages).unwrap_or(0).saturating_mul(PAGE);
        self.reusable.store(bytes, Ordering::Relaxed);
    }

    /// How much is free on the disk, if that is less than is kept back. A disk that does not say so fails when
    /// it is full.
    fn free_below_reserve(&self) -> Option<u64> {
        if self.reserve == 0 {
            return None;
        }
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (known, until) = (&self.free_below_reserve, &self.known_until);
        if now >= until.load(Ordering::Acquire) {
            known.store(self.query_free_space().unwrap_or(u64::MAX), Ordering::Relaxed);
            until.store(now + KNOWN_FOR, Ordering::Release);
        }
        Some(known.load(Ordering::Relaxed)).filter(|free| *free != u64::MAX)
    }

    fn query_free_space(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(&self.folder).ok()?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        (free < self.reserve).then_some(free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_free_in_the_file_counts_too() {
        let file = std::env::temp_dir().join("a-database");
        assert!(
            DiskReserve::new(&file, 0).has_free_space()
                && !DiskReserve::new(&file, 0).is_below_reserve()
        );
        assert!(DiskReserve::new(&file, 1).has_free_space());
        let nowhere = DiskReserve::new(Path::new("/nowhere/a-database"), 1);
        assert!(nowhere.has_free_space() && !nowhere.is_below_reserve());
        // No disk is that large, but so much may be free in a file.
        let disk = DiskReserve::new(&file, 1 << 62);
        assert!(disk.is_below_reserve() && !disk.has_free_space());
        disk.record_free_pages(1 << 50);
        assert!(disk.is_below_reserve() && disk.has_free_space());
        disk.record_free_pages(-1);
        assert!(!disk.has_free_space());
    }
}
