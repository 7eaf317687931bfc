//! The processes that a server starts to read files.

use std::fs;
use std::path::PathBuf;

use botyard_tests::TestApp;
use botyard_tests::waiting::until;

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
