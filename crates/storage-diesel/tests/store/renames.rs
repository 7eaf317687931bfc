//! What the rename of a skill writes, measured in bytes of SQLite's write-ahead log and of PostgreSQL's table.

use std::fs;
use std::path::PathBuf;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::list::{ListPosition, ListQuery};
use domain::stage::Stage;
use serde_json::json;
use storage_diesel::DatabaseUrl;
use store_suite::wait;

use crate::databases::{Database, each_database};
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

fn log_of(database: &Database) -> PathBuf {
    PathBuf::from(format!("{}-wal", database.path().display()))
}

/// Empties SQLite's log. As long as the store copies it, others can't.
fn begin_log(database: &Database) {
    while fs::metadata(log_of(database)).unwrap().len() > 0 {
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    }
}

/// A number that grows by what is written for stages.
fn written(database: &Database) -> i64 {
    #[derive(QueryableByName)]
    struct Size {
        #[diesel(sql_type = BigInt)]
        size: i64,
    }
    match database.url() {
        DatabaseUrl::Sqlite(_) => fs::metadata(log_of(database)).unwrap().len().cast_signed(),
        DatabaseUrl::Postgres(_) => {
            let query = diesel::sql_query("SELECT pg_table_size('stages') AS size");
            query.get_result::<Size>(&mut database.connect()).unwrap().size
        }
    }
}

/// A text that a database can't store as a short one.
fn script() -> String {
    let pieces = (0..SCRIPT as u64 / 16).map(|number| number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    pieces.map(|piece| format!("{piece:016x}")).collect()
}

/// All other changes wait for it.
fn a_rename_leaves_the_scripts_of_stages_alone(database: Database) {
    let setting = Setting::on(database);
    let (botyard, claim) = (&setting.botyard, &setting.claim);
    wait(botyard.skills.create(claim, body(r#"{"name":"a","skillId":"old"}"#))).unwrap();
    let stage = json!({"name": "s", "skills": ["old"], "enterJS": script()}).to_string();
    for _ in 0..STAGES {
        wait(botyard.stages.create(claim, body(&stage))).unwrap();
    }
    let before = stages(&setting);
    if matches!(setting.database.url(), DatabaseUrl::Sqlite(_)) {
        begin_log(&setting.database);
    }
    let size = written(&setting.database);

    let rename = body(r#"{"skillId":"new"}"#);
    wait(botyard.skills.update(claim, "old".to_owned(), rename)).unwrap();
    let written = written(&setting.database) - size;
    assert!((0..SCRIPT as i64 / 2).contains(&written), "{written} bytes");

    let renamed = stages(&setting);
    assert_eq!(renamed.len(), STAGES);
    for (mut stage, renamed) in before.into_iter().zip(renamed) {
        stage.fields.skills = Some(vec!["new".to_owned()]);
        stage.updated_at = renamed.updated_at;
        assert!(stage == renamed, "{}", stage.id);
    }
}

each_database! {
    a_rename_leaves_the_scripts_of_stages_alone,
}
