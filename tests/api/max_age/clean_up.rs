//! Entries that go by themselves.

use botyard_tests::waiting::until;
use botyard_tests::{Client, Database, Tenant, TestApp, each_database};
use serde_json::{Value, json};

use super::{ENTRIES, RULES, make, path};

/// Clean-ups come one soon after the other.
const OFTEN: [(&str, &str); 1] = [("CLEANUP__INTERVAL", "1s")];
/// Entries of the bot of a bot token.
const OF_BOT: &str = "/api/external/keyval";

fn put(client: &Client<'_>, base: &str, key: &str) {
    let entry = client.put(&format!("{base}/u/t/{key}"), &json!({"value": 1})).ok();
    assert_eq!(entry["key"], key);
}

fn is_there(client: &Client<'_>, base: &str, key: &str) -> bool {
    client.get(&format!("{base}/u/t/{key}")).status() == 200
}

/// The keys of all entries; a list is no access.
fn keys(client: &Client<'_>, base: &str) -> Vec<String> {
    let entries = client.get(base).items();
    entries.iter().map(|entry| entry["key"].as_str().unwrap().to_owned()).collect()
}

/// Stores an entry of the project past the service, as old as the world.
fn store_old(tenant: &Tenant<'_>, id: &str, key: &str) {
    let sql = tenant.app().sql();
    let [project, id] = [sql.id(tenant.project().id), sql.id(id)];
    sql.execute(&format!(
        "INSERT INTO keyval_entries (owner_id, user_id, type, key, id, project_id, created_at, \
         updated_at, accessed_at, value) VALUES ({project}, 'u', 't', '{key}', {id}, \
         {project}, 1, 1, 1, '1')"
    ));
}

/// How many entries the server says have gone.
fn counted(app: &TestApp) -> Option<u32> {
    let metrics = app.anonymous().get("/metrics").text();
    let line = metrics
        .lines()
        .find(|line| line.starts_with("botyard_keyval_entries_cleaned_up_total "))?;
    line.split(' ').nth(1)?.parse().ok()
}

each_database! {
    fn entries_go_when_they_were_not_read_for_so_long(database: Database) {
        let app = TestApp::start(database, &OFTEN);
        let (tenant, other) = (app.tenant(), app.tenant());
        let (client, bot, foreign) =
            (tenant.as_project(), tenant.as_bot(tenant.bot()), other.as_project());
        assert_eq!(counted(&app), Some(0));
        for key in ["s:gone", "s:read", "s:gone_too", "kept"] {
            put(&client, ENTRIES, key);
        }
        put(&bot, OF_BOT, "s:gone");
        put(&foreign, ENTRIES, "s:gone");
        store_old(&tenant, "0190c7a0-1111-7222-8333-444455556666", "!s:permanent");
        for pattern in ["s:*", "!*", "s:g?ne*"] {
            let _ = make(&client, pattern, 1);
        }
        until("what nobody reads is gone", || {
            assert!(is_there(&client, ENTRIES, "s:read"), "it is read again and again");
            keys(&client, ENTRIES) == ["!s:permanent", "kept", "s:read"]
        });
        until("they are counted", || counted(&app) == Some(2));
        until("what is read no more is gone as well", || {
            keys(&client, ENTRIES) == ["!s:permanent", "kept"]
        });
        until("it is counted", || counted(&app) == Some(3));
        // The server looks at all of them many times meanwhile.
        assert_eq!(keys(&bot, OF_BOT), ["s:gone"]);
        assert_eq!(keys(&foreign, ENTRIES), ["s:gone"]);
        let logged = |line: &str| -> Option<u64> {
            let is_logged = line.contains("key-value entries went by MaxAge rules");
            is_logged.then(|| serde_json::from_str::<Value>(line).unwrap()["entries"].as_u64())?
        };
        until("the log tells of all three", || {
            app.server().log().lines().filter_map(logged).sum::<u64>() == 3
        });
        let log = app.server().log();
        assert!(!log.contains("s:gone"), "{log}");
    }

    fn a_rule_that_was_deleted_or_changed_does_nothing_more(database: Database) {
        let app = TestApp::start(database, &OFTEN);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let [deleted, changed] = ["a*", "b*"].map(|pattern| make(&client, pattern, 86_400));
        assert_eq!(client.delete(&path(&deleted)).ok()["deleted"], true);
        let _ = client.put(&path(&changed), &json!({"keyPattern": "c*"})).ok();
        for (number, key) in ["a1", "b1", "c1"].into_iter().enumerate() {
            store_old(&tenant, &format!("0190c7a0-1111-7222-8333-44445555666{number}"), key);
        }
        until("the rule as it is now is gone by", || keys(&client, ENTRIES) == ["a1", "b1"]);
        assert_eq!(client.get(RULES).items().len(), 1);
    }

    fn more_entries_than_a_batch_go_and_the_others_stay(database: Database) {
        let app = TestApp::start(database, &OFTEN);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let project = app.sql().id(tenant.project().id);
        let number = match database {
            Database::Sqlite => "printf('%012x', n)",
            Database::Postgres => "lpad(to_hex(n), 12, '0')",
        };
        let id = app.sql().id_of(&format!("'00000000-0000-7000-8000-' || {number}"));
        app.sql().execute(&format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2600) \
             INSERT INTO keyval_entries (owner_id, user_id, type, key, id, project_id, created_at, \
             updated_at, accessed_at, value) SELECT {project}, 'u', 't', (n % 2) || ':' || {number}, \
             {id}, {project}, 1, 1, 1, '1' FROM numbers"
        ));
        let _ = make(&client, "1:*", 86_400);
        until("half of them are gone", || counted(&app) == Some(1_300));
        let left = keys(&client, ENTRIES);
        assert!(left.len() == 1_300 && left.iter().all(|key| key.starts_with("0:")), "{left:?}");
    }
}
