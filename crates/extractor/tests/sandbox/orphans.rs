//! What is left when a parent is killed.

use std::env;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use extractor::{Extractor, Limits};

use crate::stage::{Stage, gone, pids, program};

crate::trials![
    a_worker_and_its_programs_die_with_its_parent_and_its_folder_goes_later,
    who_leads_no_group_guards_none,
    what_another_parent_uses_is_left_alone,
];

/// A parent that waits for a worker without an end, below this folder.
pub fn wait(folder: &str) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let path = env::var_os("PATH").unwrap_or_default();
        let program = program(&["extract-worker"], path);
        let extractor = Extractor::new(program, folder.into(), Limits::default()).unwrap();
        let stage = Stage { extractor, ..Stage::new() };
        let mut reader = stage.begin("text/html", "hang").await.unwrap();
        let _ = reader.next().await;
    });
    ExitCode::SUCCESS
}

async fn a_worker_and_its_programs_die_with_its_parent_and_its_folder_goes_later() {
    let folder = tempfile::tempdir().unwrap();
    let mut parent =
        Command::new(env::current_exe().unwrap()).arg("wait").arg(folder.path()).spawn().unwrap();
    let pids = pids(folder.path()).await;
    let guard = group(&pids[0]);
    parent.kill().unwrap();
    parent.wait().unwrap();
    for pid in pids.iter().chain([&guard]) {
        gone(pid).await;
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let program = program(&["extract-worker"], "".into());
    Extractor::new(program, folder.path().to_owned(), Limits::default()).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The number of the group of a process.
fn group(pid: &str) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let (_, numbers) = stat.rsplit_once(')').unwrap();
    numbers.split_whitespace().nth(2).unwrap().to_owned()
}

/// A shell that starts a guard by mistake, whose input is over at once.
async fn who_leads_no_group_guards_none() {
    let own = env::current_exe().unwrap();
    let script = r#"true | "$0" extract-guard; echo "$?""#;
    let said = Command::new("sh").args(["-c", script]).arg(own).process_group(0).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "69\n", "{said:?}");
}

async fn what_another_parent_uses_is_left_alone() {
    let stage = Stage::new();
    let other = stage.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let reader = stage.begin("text/html", "hang").await.unwrap();
    stage.pids().await;
    let program = program(&["extract-worker"], "".into());
    Extractor::new(program, stage.folder.path().to_owned(), Limits::default()).unwrap();
    assert_eq!(fs::read_dir(stage.folder.path()).unwrap().count(), 2);
    fs::remove_dir(other).unwrap();
    drop(reader);
    stage.is_empty().await;
}
