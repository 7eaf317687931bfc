//! Disks that are soon full. Each is in memory, and one program alone sees it; where the system lets no test mount
//! such a disk, the tests on them are left out.

use std::env;
use std::path::Path;
use std::process::Command;

use botyard_tests::wrapped;
use test_postgres::not_run;

/// Mounts a small disk in the place of a folder, and becomes the program behind it.
const MOUNT: &str = r#"
mkdir -p "$1" && mount -t tmpfs -o "size=$2,mode=700" tmpfs "$1" || exit 1
shift 2
exec "$@""#;

/// A command in a view of the system in which this folder is on a disk of this size.
pub fn on_small_disk(folder: &Path, size: &str, command: &Command) -> Command {
    let mut unshare = Command::new("unshare");
    unshare.args(["-rm", "sh", "-c", MOUNT, "sh"]).arg(folder).arg(size);
    wrapped(unshare, command)
}

/// Whether there can be such a disk.
pub fn can_be_had() -> bool {
    let folder = tempfile::tempdir().unwrap();
    let attempt = on_small_disk(folder.path(), "256k", &Command::new("true")).output();
    let can_be_had = attempt.is_ok_and(|output| output.status.success());
    if !can_be_had {
        not_run("no disk can be mounted here");
    }
    can_be_had
}

/// Says where the data folder is to be, to a test that was started again on a small disk.
const ELSEWHERE: &str = "BOTYARD_TEST_ELSEWHERE";

/// Runs the test of this name again in a program of its own, with all databases of SQLite on a disk of this size;
/// `test` gets a folder on another disk.
#[track_caller]
pub fn with_database_on(name: &str, size: &str, test: impl FnOnce(&Path)) {
    if let Some(elsewhere) = env::var_os(ELSEWHERE) {
        return test(Path::new(&elsewhere));
    }
    if !can_be_had() {
        return;
    }
    let [small, elsewhere] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut again = Command::new(env::current_exe().unwrap());
    again.args(["--exact", name, "--nocapture"]);
    again.env(ELSEWHERE, elsewhere.path()).env("TMPDIR", small.path());
    again.env("BOTYARD_TEST_LOGS", elsewhere.path());
    let output = on_small_disk(small.path(), size, &again).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
