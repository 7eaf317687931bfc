//! The bounds of an archive.

use std::time::Duration;

/// How large the content of an archive may be, and how long it may take to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// How many entries it has at most, folders included.
    pub entries: u64,
    /// How many bytes an entry has at most, unpacked.
    pub entry_bytes: u64,
    /// How many bytes all entries have at most together, unpacked.
    pub total_bytes: u64,
    /// How many times its packed size an entry has at most, unpacked.
    pub ratio: u64,
    /// Entries of up to this many bytes may have any ratio, because small texts pack well.
    pub ratio_from: u64,
    /// How long a check may take.
    pub time: Duration,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self {
            entries: 10_000,
            entry_bytes: 256 << 20,
            total_bytes: 1 << 30,
            ratio: 200,
            ratio_from: 10 << 20,
            time: Duration::from_secs(30),
        }
    }
}
