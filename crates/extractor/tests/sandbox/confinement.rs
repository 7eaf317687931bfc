//! What a worker can't reach.

use std::path::Path;

use crate::stage::Stage;

crate::trials![
    there_is_no_network,
    its_own_folder_is_all_it_can_write,
    files_of_others_can_not_be_read,
    other_processes_can_not_be_reached,
    it_knows_little_of_the_environment,
    programs_of_the_system_can_be_run,
    what_libraries_print_is_no_answer,
    few_files_can_be_open,
];

async fn there_is_no_network() {
    let refused = "unsupported, unsupported, unsupported";
    assert_eq!(Stage::new().play("network").await.unwrap(), refused);
}

async fn its_own_folder_is_all_it_can_write() {
    let stage = Stage::new();
    assert_eq!(stage.play("open own").await.unwrap(), "read: entity not found, write: done");
    if !has_landlock() {
        return;
    }
    let beside = stage.folder.path().join("beside");
    let refused = stage.play(&format!("open {}", beside.display())).await.unwrap();
    assert_eq!(refused, "read: entity not found, write: permission denied");
    assert!(!beside.exists());
}

async fn files_of_others_can_not_be_read() {
    if !has_landlock() {
        return;
    }
    let stage = Stage::new();
    let secrets = tempfile::tempdir().unwrap();
    let secret = secrets.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    for path in [secret.as_path(), secrets.path(), Path::new("/etc/passwd"), Path::new("/")] {
        let found = stage.play(&format!("open {}", path.display())).await.unwrap();
        assert!(found.starts_with("read: permission denied"), "{}: {found}", path.display());
    }
    let own = format!("open /proc/{}/environ", std::process::id());
    assert!(stage.play(&own).await.unwrap().starts_with("read: permission denied"));
}

async fn other_processes_can_not_be_reached() {
    let said = Stage::new().play(&format!("signal {}", std::process::id())).await.unwrap();
    assert!(said.starts_with('1') && said.contains("not implemented"), "{said}");
}

async fn it_knows_little_of_the_environment() {
    let names = Stage::new().play("environment").await.unwrap();
    let names: Vec<_> = names.split_whitespace().collect();
    let known = ["OMP_THREAD_LIMIT", "PATH", "TESSDATA_PREFIX", "TMPDIR"];
    assert!(names.iter().all(|name| known.contains(name)), "{names:?}");
}

async fn programs_of_the_system_can_be_run() {
    assert_eq!(Stage::new().play("run echo $((6 * 7))").await.unwrap(), "42");
}

async fn what_libraries_print_is_no_answer() {
    assert_eq!(Stage::new().play("print").await.unwrap(), "printed");
}

async fn few_files_can_be_open() {
    let said = Stage::new().play("run ulimit -n; ulimit -c; ulimit -t").await.unwrap();
    assert_eq!(said.split_whitespace().collect::<Vec<_>>(), ["32", "0", "60"]);
}

/// Whether this kernel confines files; if not, that is said.
fn has_landlock() -> bool {
    use landlock::{
        ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    };
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(Ruleset::create);
    if rules.is_err() {
        eprintln!("left out: this kernel has no Landlock");
    }
    rules.is_ok()
}
