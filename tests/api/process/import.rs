//! `botyard import`, beside a running server: what each kind stores is read back over HTTP.
//! [`super::import_violations`] has what is not stored.

use std::fs;
use std::thread;

use botyard_tests::{Database, Installation, Response, Server, each_database};
use serde_json::{Value, json};

use super::command::{Ran, botyard, run_with_input};
use super::setup::{BOT, bot, bot_token, id_of, project, project_token};
use super::wire::Wire;

/// Where the users of a bot are.
pub const USERS: &str = "/api/external/useraccess/users";
/// Where the entries of a bot are.
pub const KEYVAL: &str = "/api/external/keyval";
/// Where those of a project are.
const PROJECT_KEYVAL: &str = "/api/external/projectapi/keyval";
/// The name of every file that is imported, in the working directory of the command.
pub const FILE: &str = "lines.ndjson";

/// A running server with a bot.
pub struct Site {
    // Dropped before what it runs on.
    server: Server,
    pub installation: Installation,
    pub project: String,
    pub bot: String,
    project_token: String,
    bot_token: String,
}

impl Site {
    #[track_caller]
    pub fn new(database: Database) -> Self {
        let installation = Installation::new(database);
        let server = installation.serve(&[]);
        let project = project(&installation);
        let project_token = project_token(&installation, &project);
        let bot = bot(server.address(), &project_token, "Bot");
        let bot_token = bot_token(&installation, &bot);
        Self { server, installation, project, bot, project_token, bot_token }
    }

    /// Imports a file for the bot.
    #[track_caller]
    pub fn import(&self, kind: &str, content: impl AsRef<[u8]>) -> Ran {
        self.import_with(&[kind, "--bot", &self.bot], content)
    }

    /// Imports a file with these arguments.
    #[track_caller]
    pub fn import_with(&self, arguments: &[&str], content: impl AsRef<[u8]>) -> Ran {
        fs::write(self.installation.data_dir().join(FILE), content).unwrap();
        botyard(&self.installation, &[&["import"], arguments, &[FILE]].concat())
    }

    /// Asks with the bot's token.
    #[track_caller]
    pub fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Response {
        let mut wire = Wire::open(self.server.address()).expect("the server listens");
        wire.set_bot_token(&self.bot_token);
        wire.ask(method, path, body).expect("an answer")
    }

    /// What the bot's token reads.
    #[track_caller]
    pub fn get(&self, path: &str) -> Value {
        self.ask("GET", path, None).ok()
    }

    /// The `_id` of a new user.
    #[track_caller]
    pub fn user(&self, guest: &str) -> String {
        let line = json!({"guestId": guest});
        self.import("users", line.to_string()).done();
        id_of(&self.get(&format!("/api/external/useraccess/user/byGuestId/{guest}")))
    }
}

/// Values as the lines of a file.
pub fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

/// What is left of each item of a list when only these members are looked at.
fn picked(list: &Value, names: &[&str]) -> Vec<Value> {
    let items = list.as_array().unwrap_or_else(|| panic!("{list} is no list")).iter();
    items.map(|item| names.iter().map(|name| item[name].clone()).collect()).collect()
}

each_database! {
    fn users_come_with_their_stats_and_free_fields(database: Database) {
        let site = Site::new(database);
        let stats = json!({
            "messages": 12,
            "tokens": 3400,
            "lastActiveAt": "2026-02-01T10:00:00.000Z",
            "resetAt": null,
        });
        let content = lines([
            json!({"guestId": "grüße/1", "createdAt": "2026-01-31T12:00:00.000Z", "stats": stats,
                   "name": "Ada", "tags": ["a", {"b": 1}]}),
            json!({"guestId": "2"}),
        ]);
        let ran = site.import("users", &content);
        assert_eq!(ran.done(), "stored 2 lines\n");
        let users = site.get(USERS);
        let [ada, other] = &users.as_array().unwrap()[..] else { panic!("two users: {users}") };
        assert_eq!(ada["guestId"], "grüße/1");
        assert_eq!((&ada["name"], &ada["tags"]), (&json!("Ada"), &json!(["a", {"b": 1}])));
        assert_eq!((&ada["stats"], &ada["createdAt"]), (&stats, &json!("2026-01-31T12:00:00.000Z")));
        assert_eq!(ada["botId"], json!(site.bot));
        assert_eq!((&other["guestId"], &other["stats"]["messages"]), (&json!("2"), &json!(0)));
        let changelog = site.get(&format!("{BOT}/changelog"));
        let entries = picked(&changelog, &["action", "resource", "actor", "changes"]);
        let change = json!({"field": "count", "from": null, "to": 2});
        assert_eq!(entries[0], json!(["create", "user", null, [change]]));
    }

    fn history_is_what_a_supervisor_reads(database: Database) {
        let site = Site::new(database);
        let user = site.user("g");
        let item = |role: &str, text: &str, at: &str| {
            json!({"userId": user, "role": role, "kind": "message", "supervisorEnabled": true,
                   "text": text, "createdAt": format!("2026-01-31T12:00:{at}Z")})
        };
        let mut hidden = item("user", "secret", "03.000");
        hidden["supervisorEnabled"] = json!(false);
        let mut event = item("system", "joined", "04.000");
        event["kind"] = json!("socketEvent");
        let content = lines([
            item("assistant", "later", "02.000"),
            item("user", "first", "01.500"),
            hidden,
            event,
        ]);
        assert_eq!(site.import("history", &content).done(), "stored 4 lines\n");
        let chats = site.get("/api/external/supervisor/chats");
        assert_eq!(
            picked(&chats, &["userId", "guestId", "lastAt"]),
            [json!([user, "g", "2026-01-31T12:00:02.000Z"])]
        );
        let expected = [
            json!(["user", "first", "2026-01-31T12:00:01.500Z"]),
            json!(["assistant", "later", "2026-01-31T12:00:02.000Z"]),
        ];
        assert_eq!(picked(&chats[0]["items"], &["role", "text", "createdAt"]), expected);
        let users = site.get("/api/external/supervisor/users");
        assert_eq!(picked(&users, &["_id"]), [json!([user])]);
    }

    fn usage_is_added_into_the_row_of_its_day(database: Database) {
        let site = Site::new(database);
        let line = |day: &str, requests: u64, cost: f64| {
            json!({"day": day, "kind": "chatCompletion", "model": "m", "requests": requests,
                   "inputTokens": 10, "cost": cost})
        };
        let voice = json!({"day": "2026-01-30", "kind": "speechSynthesis", "model": "v",
                           "characters": 99, "seconds": 1.5});
        let first = lines([line("2026-01-31", 1, 0.25), voice, line("2026-01-31", 2, 0.5)]);
        assert_eq!(site.import("usage", &first).done(), "stored 3 lines\n");
        site.import("usage", lines([line("2026-01-31", 4, 1.0)])).done();
        let usage = site.get(&format!("{BOT}/usage"));
        let names = ["day", "kind", "model", "requests", "inputTokens", "outputTokens",
                     "characters", "seconds", "cost"];
        let expected = [
            json!(["2026-01-30", "speechSynthesis", "v", 0, 0, 0, 99, 1.5, 0.0]),
            json!(["2026-01-31", "chatCompletion", "m", 7, 30, 0, 0, 0.0, 1.75]),
        ];
        let found = picked(&usage, &names);
        assert_eq!(found.len(), expected.len(), "{usage}");
        for (found, expected) in found.iter().zip(&expected) {
            for at in 0..names.len() {
                // On the wire 0.0 may be written as 0.
                let same = found[at] == expected[at] || found[at].as_f64() == expected[at].as_f64();
                assert!(same, "{}: {found} instead of {expected}", names[at]);
            }
        }
    }

    fn feedback_is_listed(database: Database) {
        let site = Site::new(database);
        let user = site.user("g");
        let content = lines([
            json!({"messageId": "m-2", "userId": user, "rating": "down", "comment": "No!",
                   "question": "Why?", "answer": "Because.",
                   "createdAt": "2026-01-31T12:00:01.000Z"}),
            json!({"messageId": "m-1", "rating": "up", "createdAt": "2026-01-31T12:00:00.000Z"}),
        ]);
        assert_eq!(site.import("feedback", &content).done(), "stored 2 lines\n");
        let feedback = site.get(&format!("{BOT}/feedback"));
        let names = ["messageId", "userId", "rating", "comment", "question", "answer", "createdAt"];
        let expected = [
            json!(["m-1", null, "up", null, null, null, "2026-01-31T12:00:00.000Z"]),
            json!(["m-2", user, "down", "No!", "Why?", "Because.", "2026-01-31T12:00:01.000Z"]),
        ];
        assert_eq!(picked(&feedback, &names), expected);
    }

    fn entries_are_those_of_a_bot_or_of_a_project(database: Database) {
        let site = Site::new(database);
        let content = "{\"userId\":\"u\",\"type\":\"t\",\"key\":\"!fixed\",\"value\":{\"b\":1.10,\"a\":[]}}\n\
                       {\"userId\":\"u\",\"type\":\"t\",\"key\":\"k/1\",\"value\":null}\n";
        assert_eq!(site.import("keyval", content).done(), "stored 2 lines\n");
        let answer = site.ask("GET", &format!("{KEYVAL}/u/t/%21fixed"), None);
        assert!(answer.text().contains("{\"b\":1.10,\"a\":[]}"), "{}", answer.text());
        let list = site.get(KEYVAL);
        let expected = [json!(["!fixed", true]), json!(["k/1", false])];
        assert_eq!(picked(&list, &["key", "permanent"]), expected);
        // The client can't change what is permanent; a second import can.
        let put = site.ask("PUT", &format!("{KEYVAL}/u/t/%21fixed"), Some(&json!({"value": 1})));
        put.problem(403, "permanent_key");
        let again = json!({"userId": "u", "type": "t", "key": "!fixed", "value": "new"});
        site.import("keyval", again.to_string()).done();
        assert_eq!(site.get(&format!("{KEYVAL}/u/t/%21fixed"))["value"], "new");

        let own = json!({"userId": "u", "type": "t", "key": "own", "value": 1}).to_string();
        site.import_with(&["keyval", "--project", &site.project], own).done();
        let mut wire = Wire::open(site.server.address()).unwrap();
        wire.set_project_token(&site.project_token);
        let list = wire.ask("GET", PROJECT_KEYVAL, None).unwrap().ok();
        assert_eq!(picked(&list, &["key", "value"]), [json!(["own", 1])]);
        assert_eq!(site.get(KEYVAL).as_array().map(Vec::len), Some(2));
    }

    fn visual_blocks_are_stored_by_name(database: Database) {
        let site = Site::new(database);
        let block = |name: &str, text: &str| json!({"name": name, "content": {"text": text}});
        let content = lines([block("ifthen_a", "1"), block("ifthen_b", "2"), block("ifthen_a", "3")]);
        assert_eq!(site.import("visual-blocks", content).done(), "stored 3 lines\n");
        let rows = site.installation.sql().texts(
            "SELECT name || ' ' || content AS value FROM visual_blocks ORDER BY name",
        );
        assert_eq!(rows, ["ifthen_a {\"text\":\"3\"}", "ifthen_b {\"text\":\"2\"}"]);
    }

    fn a_dash_stands_for_standard_input(database: Database) {
        let site = Site::new(database);
        let mut command = site.installation.command(&[]);
        command.args(["import", "users", "--bot", &site.bot, "-", "--json"]);
        let ran = run_with_input(&mut command, b"{\"guestId\": \"a\"}\r\n\r\n{\"guestId\": \"b\"}");
        assert_eq!(ran.json(), json!({"kind": "users", "stored": 2, "storedBefore": 0}));
        assert_eq!(picked(&site.get(USERS), &["guestId"]).len(), 2);
    }

    fn what_a_program_reads_of_it(database: Database) {
        let site = Site::new(database);
        for (kind, content, stored) in [
            ("users", "", 0),
            ("history", "\n\r\n\n", 0),
            ("users", "{\"guestId\": \"a\"}", 1),
            ("visual-blocks", "\n{\"name\": \"a\", \"content\": 1}\r\n", 1),
        ] {
            let ran = site.import_with(&[kind, "--json", "--bot", &site.bot], content);
            let expected = json!({"kind": kind, "stored": stored, "storedBefore": 0});
            assert_eq!(ran.json(), expected, "{content:?}");
        }
        assert_eq!(site.import("usage", "").done(), "stored 0 lines\n");
        assert_eq!(site.import("users", "{\"guestId\": \"b\"}\n").done(), "stored 1 line\n");
    }

    fn thousands_of_lines_come_while_clients_write(database: Database) {
        const LINES: usize = 5_000;
        let site = Site::new(database);
        let entry = |at: usize| {
            json!({"userId": "imported", "type": "t", "key": format!("k{at:05}"), "value": at})
        };
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for at in 0..100 {
                    let path = format!("{KEYVAL}/written/t/{at}");
                    let _ = site.ask("PUT", &path, Some(&json!({"value": at}))).ok();
                }
            });
            let ran = site.import("keyval", lines((0..LINES).map(entry)));
            assert_eq!(ran.done(), format!("stored {LINES} lines\n"));
            writer.join().unwrap();
        });
        let imported = site.get(&format!("{KEYVAL}/imported"));
        let keys = picked(&imported, &["key", "value"]);
        assert_eq!(keys.len(), LINES);
        for (at, found) in keys.iter().enumerate() {
            assert_eq!(*found, json!([format!("k{at:05}"), at]));
        }
        assert_eq!(site.get(&format!("{KEYVAL}/written")).as_array().map(Vec::len), Some(100));
    }
}
