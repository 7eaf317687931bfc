//! What the server does by itself beside the requests.

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Database, Installation, Mint, TestApp, each_database};
use domain::bot::DeleteMode;
use domain::id::BotId;
use serde_json::{Value, json};

use super::command::botyard;
use super::setup::BOT;

const CHECKAUTH: &str = "/api/external/checkauth";
/// How many entries a changelog keeps.
const KEPT: i64 = 5_000;

/// How many rows of a table belong to a bot.
fn rows_of(app: &TestApp, table: &str, bot: BotId) -> i64 {
    let column = if table == "bots" { "id" } else { "bot_id" };
    let query = format!("SELECT count(*) AS value FROM {table} WHERE {column} = '{bot}'");
    app.sql().number(&query)
}

/// The token of that name, as the command shows it.
fn listed(installation: &Installation, bot: BotId) -> Value {
    let list = ["token", "list", "--json", "--bot", &bot.to_string()];
    let list = botyard(installation, &list).json();
    assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
    list[0].clone()
}

/// One entry more than are kept, or many, older than all that the service has written.
fn fill_changelog(app: &TestApp, bot: BotId, entries: i64) {
    let number = match app.database() {
        Database::Sqlite => "printf('%012x', n)",
        Database::Postgres => "lpad(to_hex(n), 12, '0')",
    };
    let id = app.sql().id_of(&format!("'00000000-0000-7000-8000-' || {number}"));
    app.sql().execute(&format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {entries}) \
         INSERT INTO changelog_entries (id, project_id, bot_id, at, action, resource, resource_id, changes) \
         SELECT {id}, project_id, bot_id, at, 'update', resource, resource_id, changes \
         FROM numbers, (SELECT * FROM changelog_entries WHERE bot_id = '{bot}' LIMIT 1) AS one"
    ));
}

each_database! {
    fn the_trash_is_emptied_but_the_archive_is_not(database: Database) {
        let app = TestApp::start(database, &[("BOTS__PURGE_TRASH_AFTER", "1s")]);
        let tenant = app.tenant();
        let [archived, trashed] = ["archived", "trashed"].map(|name| tenant.new_bot(name));
        let [in_archive, in_trash] = [archived, trashed].map(|bot| tenant.as_bot(bot));
        tenant.delete_bot(archived, DeleteMode::Archive);
        let done = in_trash.delete_with(BOT, &json!({"mode": "trash"}));
        assert_eq!(done.ok()["mode"], "trash");

        until("the token of the bot in the trash is gone", || {
            in_trash.get(CHECKAUTH).status() == 401
        });
        for table in ["bots", "tokens", "changelog_entries"] {
            until("its rows go in the background", || rows_of(&app, table, trashed) == 0);
            assert!(rows_of(&app, table, archived) > 0, "{table}");
        }
        let _ = in_archive.get(CHECKAUTH).ok();
        tenant.restore_bot(archived);
        let _ = in_archive.get(BOT).ok();
    }

    fn what_has_not_been_in_the_trash_for_long_stays(database: Database) {
        let mut app = TestApp::start(database, &[]);
        let (old, new) = {
            let tenant = app.tenant();
            let [old, new] = ["old", "new"].map(|name| tenant.new_bot(name));
            for bot in [old, new] {
                tenant.delete_bot(bot, DeleteMode::Trash);
            }
            (old, new)
        };
        app.sql().execute(&format!("UPDATE bots SET updated_at = updated_at - 7200000 WHERE id = '{old}'"));
        assert_eq!(app.server_mut().stop(), 0);
        let _server = app.installation().serve(&[("BOTS__PURGE_TRASH_AFTER", "1h")]);
        until("the old one is gone", || rows_of(&app, "bots", old) == 0);
        assert_eq!(rows_of(&app, "bots", new), 1);
    }

    fn the_last_use_of_a_token_appears_in_the_list(database: Database) {
        let app = TestApp::start(database, &[]);
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        assert_eq!(listed(app.installation(), tenant.bot())["lastUsedAt"], Value::Null);
        let _ = client.get(CHECKAUTH).ok();
        let used = eventually("the use of the token is written", || {
            listed(app.installation(), tenant.bot())["lastUsedAt"].as_str().map(str::to_owned)
        });
        let ran = botyard(app.installation(), &["token", "list", "--bot", &tenant.bot().to_string()]);
        assert!(ran.done().contains(&format!("  used {used}  ")), "{ran:?}");
    }

    fn the_last_use_of_a_token_is_written_before_the_end(database: Database) {
        let mut app = TestApp::start(database, &[]);
        let bot = {
            let tenant = app.tenant();
            let token = tenant.bot_token(tenant.bot(), Mint::default());
            let client = tenant.client(botyard_tests::Caller::Bot(token));
            let _ = client.get(CHECKAUTH).ok();
            tenant.bot()
        };
        assert_eq!(app.server_mut().stop(), 0);
        assert!(listed(app.installation(), bot)["lastUsedAt"].is_string());
    }

    fn a_changelog_is_trimmed_beside_the_requests(database: Database) {
        let app = TestApp::start(database, &[]);
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let other = tenant.new_bot("other");
        fill_changelog(&app, tenant.bot(), KEPT + 700);
        fill_changelog(&app, other, 10);
        assert_eq!(rows_of(&app, "changelog_entries", tenant.bot()), KEPT + 701);
        let _ = client.put(BOT, &json!({"model": tenant.text("newest")})).ok();
        until("the oldest entries are gone", || {
            rows_of(&app, "changelog_entries", tenant.bot()) <= KEPT
        });
        assert_eq!(rows_of(&app, "changelog_entries", tenant.bot()), KEPT);
        assert_eq!(rows_of(&app, "changelog_entries", other), 11);
        let kept = format!(
            "SELECT {} AS value FROM changelog_entries WHERE bot_id = '{}' ORDER BY id",
            app.sql().text_of("id"),
            tenant.bot()
        );
        let kept = app.sql().texts(&kept);
        // 702 too many of the numbered ones, which are the oldest.
        assert_eq!(kept[0], format!("00000000-0000-7000-8000-{:012x}", 703));
        let newest = client.get(&format!("{BOT}/changelog?limit=1")).items();
        assert_eq!(newest[0]["changes"][0]["field"], "model");
    }
}
