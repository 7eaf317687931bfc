//! The sandbox of the program as it was built: its allocator must leave the worker the one thread that it began with,
//! because no process with more of them can go into a namespace of users.

use std::process::Command;

use botyard_tests::{Database, TestApp};

use super::{project, upload_text};

#[test]
fn no_namespace_is_refused_that_the_kernel_gives() {
    let unshared = Command::new("unshare").args(["--user", "--net", "true"]).output();
    if !unshared.is_ok_and(|unshared| unshared.status.success()) {
        eprintln!("left out: this kernel gives no namespaces");
        return;
    }
    let app = TestApp::shared(Database::Sqlite);
    let bot = project(app);
    upload_text(&bot, "a.md");
    let log = app.server().log();
    let refused: Vec<_> = log.lines().filter(|line| line.contains(" namespace")).collect();
    assert_eq!(refused, [""; 0]);
}
