//! How much memory the server's process has, as the system sees it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::TestApp;
use crate::waiting::until;

/// How many bytes a server may grow, whatever it is sent.
const GROWTH: u64 = 16 << 20;

/// How much memory a server had at some moment.
pub struct Memory {
    status: PathBuf,
    before: u64,
    /// Without the pages of its program, of which more are read with what it is asked to do.
    anonymous: u64,
}

impl Memory {
    /// From here on it counts how much there ever was.
    ///
    /// # Panics
    /// If the system does not tell it.
    #[must_use]
    pub fn of(app: &TestApp) -> Self {
        let process = PathBuf::from(format!("/proc/{}", app.server().pid()));
        let status = process.join("status");
        let [before, anonymous] = ["VmRSS:", "RssAnon:"].map(|line| bytes(&status, line));
        // The number makes the memory of this moment the most that there was.
        fs::write(process.join("clear_refs"), "5").expect("it is a process of the same user");
        Self { status, before, anonymous }
    }

    /// Asserts that it never had much more than at that moment.
    ///
    /// # Panics
    /// If it had.
    #[track_caller]
    pub fn is_unmoved(&self) {
        let growth = bytes(&self.status, "VmHWM:").saturating_sub(self.before);
        assert!(growth <= GROWTH, "it grew by {growth} bytes");
    }

    /// Waits until it has given back what it had more than at that moment, but for so many bytes.
    ///
    /// # Panics
    /// If it keeps it.
    #[track_caller]
    pub fn is_given_back(&self, but: u64) {
        let now = || bytes(&self.status, "RssAnon:");
        until("the memory is given back", || now() <= self.anonymous + but);
    }
}

/// A line of a process's status, which is given in KiB.
fn bytes(status: &Path, line: &str) -> u64 {
    let status = fs::read_to_string(status).expect("the process is there");
    let value = status.lines().find_map(|found| found.strip_prefix(line));
    let kibibytes = value.and_then(|value| value.trim().strip_suffix(" kB"));
    kibibytes.and_then(|number| number.parse::<u64>().ok()).expect("the system tells it") << 10
}
