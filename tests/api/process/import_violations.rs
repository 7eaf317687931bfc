//! `botyard import` of what can't be stored: every invalid line is named, and nothing of the file is
//! stored.

use std::fs;
use std::io::Write as _;
use std::iter;
use std::process::Stdio;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Installation, each_database};
use serde_json::{Value, json};

use super::command::botyard;
use super::import::{FILE, KEYVAL, Site, USERS, lines};
use super::setup::{NOBODY, members, migrated};

const NOTHING: &str = "nothing of the file was stored";

/// The invalid lines that are named, and what is said of each.
#[track_caller]
fn invalid(reasons: &[&str]) -> Vec<(usize, String)> {
    let (last, named) = reasons.split_last().expect("reasons");
    assert_eq!(*last, NOTHING, "{reasons:?}");
    let named = named.iter().map(|reason| {
        let (number, what) = reason.strip_prefix("line ")?.split_once(": ")?;
        Some((number.parse().ok()?, what.to_owned()))
    });
    named.collect::<Option<_>>().unwrap_or_else(|| panic!("{reasons:?}"))
}

/// A line of each kind that can be stored.
fn good(kind: &str, user: &str) -> Value {
    match kind {
        "history" => json!({"userId": user, "role": "user", "kind": "message", "text": "hello"}),
        "usage" => json!({"day": "2026-01-31", "kind": "avatarVideo", "model": "m"}),
        "feedback" => json!({"messageId": "m", "rating": "none"}),
        "keyval" => json!({"userId": "u", "type": "t", "key": "k", "value": 1}),
        "users" => json!({"guestId": "another"}),
        "visual-blocks" => json!({"name": "a", "content": {}}),
        _ => panic!("{kind}"),
    }
}

/// The table in which lines of this kind end.
fn table(kind: &str) -> &'static str {
    match kind {
        "history" => "history_items",
        "usage" => "usage_statistics",
        "feedback" => "feedback_entries",
        "keyval" => "keyval_entries",
        "users" => "users",
        "visual-blocks" => "visual_blocks",
        _ => panic!("{kind}"),
    }
}

fn count(installation: &Installation, kind: &str) -> i64 {
    installation.sql().number(&format!("SELECT count(*) AS value FROM {}", table(kind)))
}

const KINDS: [&str; 6] = ["history", "usage", "feedback", "keyval", "users", "visual-blocks"];

each_database! {
    fn every_invalid_line_is_named_by_its_number(database: Database) {
        let site = Site::new(database);
        let user = site.user("g");
        for kind in KINDS {
            let before = count(&site.installation, kind);
            let good = good(kind, &user);
            let mut unknown = good.clone();
            unknown["colour"] = json!("red");
            if kind == "users" {
                // Any other name is a free field.
                unknown["botId"] = json!(site.bot);
            }
            let mut missing = good.clone();
            let required = missing.as_object().unwrap().keys().next().unwrap().clone();
            missing.as_object_mut().unwrap().remove(&required);
            let twice = format!("{{\"a\": 1, \"a\": 2, {}", good.to_string().trim_start_matches('{'));
            let content = [
                good.to_string(),
                "{\"half\": ".to_owned(),
                String::new(),
                unknown.to_string(),
                "[]".to_owned(),
                missing.to_string(),
                twice,
                "null \u{0}".to_owned(),
                good.to_string(),
            ]
            .join("\n");
            let ran = site.import(kind, content);
            let named = invalid(&ran.reasons());
            let numbers: Vec<_> = named.iter().map(|(number, _)| *number).collect();
            assert_eq!(numbers, [2, 4, 5, 6, 7, 8], "{kind}: {named:?}");
            assert!(named[1].1.contains("colour") || named[1].1.contains("botId"), "{named:?}");
            assert!(named[3].1.contains(&required), "{kind}: {named:?}");
            for (_, what) in &named {
                assert!(!what.to_lowercase().contains("body"), "{kind}: {named:?}");
            }
            assert_eq!(count(&site.installation, kind), before, "{kind}");
            // The same file without its invalid lines is fine.
            site.import(kind, good.to_string()).done();
        }
    }

    fn a_long_list_of_invalid_lines_ends_with_their_numbers(database: Database) {
        let site = Site::new(database);
        let ran = site.import("usage", "{}\n".repeat(500));
        let reasons = ran.reasons();
        let (last, rest) = reasons.split_last().unwrap();
        let (more, named) = rest.split_last().unwrap();
        assert_eq!((named.len(), *last), (100, NOTHING));
        assert_eq!(*more, "lines 101-500 are invalid as well");
        for (at, reason) in named.iter().enumerate() {
            assert!(reason.starts_with(&format!("line {}: ", at + 1)), "{reason}");
        }
    }

    fn what_only_the_database_knows_is_named_as_well(database: Database) {
        let site = Site::new(database);
        let user = site.user("taken");
        let guests = ["new", "taken", "twice", "twice"].map(|guest| json!({"guestId": guest}));
        let ran = site.import("users", lines(guests));
        let named = invalid(&ran.reasons());
        let taken = |number| (number, "another user of the bot has this guestId".to_owned());
        let repeated = |number| (number, "an earlier record has this guestId".to_owned());
        assert_eq!(named, [taken(2), repeated(4)]);
        let ran = site.import("users", lines(["new", "a", "a"].map(|guest| json!({"guestId": guest}))));
        let named = invalid(&ran.reasons());
        assert_eq!(named, [repeated(3)]);
        let all = site.import("users", lines(vec![json!({"guestId": "taken"}); 102]));
        let reasons = all.reasons();
        assert_eq!(reasons.len(), 102);
        assert_eq!(reasons[100], "lines 101-102 are invalid as well");
        assert_eq!(site.get(USERS).as_array().map(Vec::len), Some(1));

        let item = |user: &str| good("history", user);
        let content = format!("{}\n\n{}\n", item(&user), lines([item(NOBODY), item(&user)]));
        let named = invalid(&site.import("history", content).reasons());
        assert_eq!(named, [(3, "user not found".to_owned())]);
        assert_eq!(count(&site.installation, "history"), 0);
    }

    fn a_file_that_is_no_such_file_stores_nothing(database: Database) {
        let site = Site::new(database);
        let good = json!({"guestId": "a"}).to_string();
        let marked = format!("\u{feff}{good}\n{good}");
        let named = invalid(&site.import("users", marked).reasons());
        assert!(named.len() == 1 && named[0].0 == 1 && named[0].1.contains("byte order mark"), "{named:?}");
        let latin = [good.as_bytes(), b"\n{\"guestId\": \"\xfc\"}\n"].concat();
        let named = invalid(&site.import("users", latin).reasons());
        assert!(named.len() == 1 && named[0].0 == 2 && named[0].1.contains("UTF-8"), "{named:?}");
        let long = format!("{good}\n{{\"guestId\": \"b\", \"x\": \"{}\"}}\n{{}}", "x".repeat(20 << 20));
        let named = invalid(&site.import("users", long).reasons());
        let numbers: Vec<_> = named.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [2, 3]);
        assert!(named[0].1.contains("bytes"), "{named:?}");
        assert_eq!(site.get(USERS), json!([]));

        fs::remove_file(site.installation.data_dir().join(FILE)).unwrap();
        for (file, word) in [(FILE, "No such file"), (".", "directory")] {
            let ran = botyard(&site.installation, &["import", "users", "--bot", &site.bot, file]);
            assert!(ran.failed().starts_with(&format!("{file}: ")), "{ran:?}");
            assert!(ran.failed().contains(word), "{ran:?}");
        }
    }

    fn a_program_reads_what_is_wrong_as_json(database: Database) {
        let site = Site::new(database);
        let import = |content| {
            site.import_with(&["users", "--json", "--bot", &site.bot], content).failed_as_json()
        };
        let required = "`guestId` is required.";
        let expected = json!([{"line": 2, "message": required}, {"message": NOTHING}]);
        assert_eq!(import("{\"guestId\": \"a\"}\n{}\n".to_owned()), expected);
        let many = import("{}\n".repeat(102));
        assert_eq!(many[99], json!({"line": 100, "message": required}));
        assert_eq!(many[100], json!({"message": "lines 101-102 are invalid as well"}));
        let twice = import(lines(["a", "a"].map(|guest| json!({"guestId": guest}))));
        assert_eq!(twice[0], json!({"line": 2, "message": "an earlier record has this guestId"}));
        let file = site.installation.data_dir().join(FILE);
        fs::remove_file(file).unwrap();
        let ran = botyard(&site.installation, &["import", "users", "--json", "--bot", &site.bot, FILE]);
        let reasons = ran.failed_as_json();
        assert_eq!(reasons.as_array().map(Vec::len), Some(1), "{reasons}");
        assert_eq!(members(&reasons[0]), ["message"]);
    }

    fn what_is_not_there_is_named(database: Database) {
        let installation = migrated(database);
        fs::write(installation.data_dir().join(FILE), "").unwrap();
        for kind in KINDS {
            let ran = botyard(&installation, &["import", kind, "--bot", NOBODY, FILE]);
            assert_eq!(ran.failed(), "bot not found", "{kind}");
        }
        let ran = botyard(&installation, &["import", "keyval", "--project", NOBODY, FILE]);
        assert_eq!(ran.failed(), "project not found");
    }

    fn an_archived_bot_takes_nothing(database: Database) {
        let site = Site::new(database);
        let archive = json!({"mode": "archive"});
        let _ = site.ask("DELETE", "/api/external/bot", Some(&archive)).ok();
        for kind in KINDS {
            let ran = site.import(kind, good(kind, NOBODY).to_string());
            assert_eq!(ran.failed(), "the bot is archived: restore it first", "{kind}");
        }
    }

    fn a_command_that_is_killed_half_way_has_stored_nothing(database: Database) {
        let site = Site::new(database);
        let mut command = site.installation.command(&[]);
        command.args(["import", "keyval", "--bot", &site.bot, "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary can be started");
        let mut input = child.stdin.take().unwrap();
        let entry = |at| json!({"userId": "u", "type": "t", "key": format!("k{at}"), "value": at});
        // More than a pipe holds, so the command has read some of it when all is written.
        input.write_all(lines((0..5_000).map(entry)).as_bytes()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        drop(input);
        assert_eq!(site.get(KEYVAL), json!([]));
        until("nothing holds the database", || {
            let put = site.ask("PUT", &format!("{KEYVAL}/u/t/k"), Some(&json!({"value": 1})));
            put.status() == 200
        });
    }
}

#[test]
fn a_command_that_is_killed_while_it_stores_goes_on_where_it_stopped_postgres() {
    let site = Site::new(Database::Postgres);
    site.import("usage", usage(["held"])).done();
    // The row of the last line is held, so the command waits when it has stored all that one unit of work stores.
    let sql = site.installation.sql();
    sql.execute("BEGIN");
    sql.execute("UPDATE usage_statistics SET requests = 1 WHERE model = 'held'");
    let content = usage(iter::repeat_n("m", 1_000).chain(["held"]));
    fs::write(site.installation.data_dir().join(FILE), &content).unwrap();
    let mut command = site.installation.command(&[]);
    command.args(["import", "usage", "--bot", &site.bot, FILE]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary can be started");
    until("the command waits for this connection", || {
        let waiting = "SELECT count(*) AS value FROM pg_locks WHERE NOT granted \
                       AND pg_backend_pid() = ANY (pg_blocking_pids(pid))";
        sql.number(waiting) > 0
    });
    child.kill().unwrap();
    child.wait().unwrap();
    sql.execute("COMMIT");
    until("nothing is being stored any more", || {
        let open = "SELECT count(*) AS value FROM pg_stat_activity \
                    WHERE datname = current_database() AND state LIKE '%in transaction%'";
        sql.number(open) == 0
    });
    let ran = site.import("usage", &content);
    assert_eq!(ran.done(), "stored 1 line, after 1000 lines of an earlier attempt\n");
    let requests = "SELECT model || ' ' || requests AS value FROM usage_statistics ORDER BY model";
    assert_eq!(sql.texts(requests), ["held 2", "m 1000"]);
    let again = site.import("usage", &content);
    assert!(again.failed().starts_with("the same file was imported at 20"), "{again:?}");
    let ran = site.import_with(&["usage", "--again", "--json", "--bot", &site.bot], &content);
    assert_eq!(ran.json(), json!({"kind": "usage", "stored": 1001, "storedBefore": 0}));
}

/// Lines of usage with these models, a request each.
fn usage<'a>(models: impl IntoIterator<Item = &'a str>) -> String {
    lines(models.into_iter().map(
        |model| json!({"day": "2026-01-31", "kind": "avatarVideo", "model": model, "requests": 1}),
    ))
}

#[test]
fn what_is_typed_wrongly_is_explained() {
    let installation = Installation::new(Database::Sqlite);
    for (arguments, word) in [
        (&["import"][..], "Usage"),
        (&["import", "skills", "--bot", NOBODY, FILE], "skills"),
        (&["import", "usage", FILE], "--bot"),
        (&["import", "usage", "--bot", NOBODY], "<FILE>"),
        (&["import", "usage", "--bot", "x", FILE], "--bot"),
        (&["import", "usage", "--project", NOBODY, FILE], "--project"),
        (&["import", "users", "--bot", NOBODY, "--project", NOBODY, FILE], "--project"),
        (&["import", "keyval", FILE], "--bot <ID>|--project <ID>"),
        (&["import", "keyval", "--bot", NOBODY, "--project", NOBODY, FILE], "--project"),
        (&["import", "keyval", "--bot", NOBODY, FILE, FILE], FILE),
    ] {
        let ran = botyard(&installation, arguments);
        assert!(ran.misused().contains(word), "{arguments:?}: {ran:?}");
    }
}
