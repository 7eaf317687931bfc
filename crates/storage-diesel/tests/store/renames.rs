//! What the rename of a skill writes, measured in bytes of SQLite's write-ahead log.

use std::fs;
use std::path::PathBuf;

use domain::list::{ListPosition, ListQuery};
use domain::stage::Stage;
use serde_json::json;
use store_suite::wait;

use crate::databases::Database;
use crate::rows::{Setting, body};

const STAGES: usize = 10;
const SCRIPT: usize = 1 << 20;

fn stages(setting: &Setting) -> Vec<Stage> {
    let (every, mut all) = (ListQuery::default(), Vec::<Stage>::new());
    loop {
        let after = all.last().map(|stage| ListPosition::of(stage.id));
        let page = setting.botyard.stages.page(&setting.claim, &every, after, 100);
        let (stages, next) = wait(page).unwrap();
        all.extend(stages);
        if next.is_none() {
            return all;
        }
    }
}

/// All other changes wait for it.
#[test]
fn a_rename_leaves_the_scripts_of_stages_alone() {
    let setting = Setting::on(Database::sqlite());
    let (botyard, claim) = (&setting.botyard, &setting.claim);
    wait(botyard.skills.create(claim, body(r#"{"name":"a","skillId":"old"}"#))).unwrap();
    let stage = json!({"name": "s", "skills": ["old"], "enterJS": "x".repeat(SCRIPT)}).to_string();
    for _ in 0..STAGES {
        wait(botyard.stages.create(claim, body(&stage))).unwrap();
    }
    let before = stages(&setting);
    let log = PathBuf::from(format!("{}-wal", setting.database.path().display()));
    // As long as it is copied by the store, others can't empty it.
    while fs::metadata(&log).unwrap().len() > 0 {
        setting.database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    }

    let rename = body(r#"{"skillId":"new"}"#);
    wait(botyard.skills.update(claim, "old".to_owned(), rename)).unwrap();
    let written = fs::metadata(&log).unwrap().len();
    assert!(0 < written && written < SCRIPT as u64 / 2, "{written} bytes");

    let renamed = stages(&setting);
    assert_eq!(renamed.len(), STAGES);
    for (mut stage, renamed) in before.into_iter().zip(renamed) {
        stage.fields.skills = Some(vec!["new".to_owned()]);
        stage.updated_at = renamed.updated_at;
        assert!(stage == renamed, "{}", stage.id);
    }
}
