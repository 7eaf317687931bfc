//! What the server's process takes up, and the processes that it starts.

use std::fs;
use std::path::{Path, PathBuf};

use botyard_tests::TestApp;
use botyard_tests::waiting::until;

/// How many bytes a server may grow, whatever it is sent.
const GROWTH: u64 = 16 << 20;

/// How much memory a server had at some moment.
pub struct Memory {
    status: PathBuf,
    before: u64,
}

impl Memory {
    /// From here on it counts how much there ever was.
    pub fn of(app: &TestApp) -> Self {
        let process = PathBuf::from(format!("/proc/{}", app.server().pid()));
        let status = process.join("status");
        let before = bytes(&status, "VmRSS:");
        fs::write(process.join("clear_refs"), "5").unwrap();
        Self { status, before }
    }

    /// Asserts that it never had much more than at that moment.
    #[track_caller]
    pub fn is_unmoved(&self) {
        let growth = bytes(&self.status, "VmHWM:").saturating_sub(self.before);
        assert!(growth <= GROWTH, "it grew by {growth} bytes");
    }
}

/// A line of a process's status, which is given in KiB.
fn bytes(status: &Path, line: &str) -> u64 {
    let status = fs::read_to_string(status).unwrap();
    let value = status.lines().find_map(|found| found.strip_prefix(line)).unwrap();
    value.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// The processes that read files for this server: they work in folders of their own, below its own.
pub fn workers(app: &TestApp) -> Vec<PathBuf> {
    let home = fs::canonicalize(app.installation().data_dir()).unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let is_worker = |process: &PathBuf| {
        let folder = fs::read_link(process.join("cwd"));
        folder.is_ok_and(|folder| folder.starts_with(&home) && folder != home)
    };
    processes.filter(is_worker).collect()
}

/// Waits until a program that reads images is at work for this server.
#[track_caller]
pub fn until_an_image_is_read(app: &TestApp) {
    let is_at_work = |process: &PathBuf| {
        let command = fs::read(process.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&command).contains("/tesseract\0file\0")
    };
    until("somebody reads an image", || workers(app).iter().any(is_at_work));
}

/// Waits until none of them is left.
#[track_caller]
pub fn until_no_worker_is_left(app: &TestApp) {
    until("nobody reads a file any more", || workers(app).is_empty());
}
