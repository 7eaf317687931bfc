//! What becomes of a bot with much content that was deleted for good: it goes bit by bit, and whatever
//! happens to the server meanwhile, it goes as a whole in the end.

use std::net::SocketAddr;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Installation, Response, Server, each_database};
use serde_json::{Value, json};

use super::command::botyard;
use super::setup::{BOTS, bot, project, project_token};
use super::wire::Wire;

/// How many rows the bot has in each of the tables: the teardown takes long enough to be met half-way.
const ROWS: i64 = 15_000;
/// Tables, the columns that must be filled there, and with what; `n` is the number of the row.
const CONTENT: [(&str, &str, &str); 4] = [
    (
        "skills",
        "name, skill_id, enabled, answer_mode, size",
        "'skill ' || n, 'skill-' || n, TRUE, 'sequence', 20",
    ),
    ("stages", "title, name, size", "'stage ' || n, 'stage ' || n, 20"),
    ("visual_blocks", "name, content", "'ifthen_skill-' || n, '{}'"),
    ("fusion_views", "type, title, metadata, size", "'links', 'view ' || n, '{}', 20"),
];

/// A project and a bot in it that is to go.
struct Doomed {
    token: String,
    bot: String,
}

impl Doomed {
    /// A bot with thousands of rows.
    fn new(installation: &Installation, address: SocketAddr) -> Self {
        let token = project_token(installation, &project(installation));
        let bot = bot(address, &token, "Bot");
        let number = match installation.database() {
            Database::Sqlite => "printf('%012x', n)",
            Database::Postgres => "lpad(to_hex(n), 12, '0')",
        };
        let id = installation.sql().id_of(&format!("'00000000-0000-7000-8000-' || {number}"));
        for (table, columns, values) in CONTENT {
            installation.sql().execute(&format!(
                "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {ROWS}) \
                 INSERT INTO {table} (id, project_id, bot_id, created_at, updated_at, {columns}) \
                 SELECT {id}, project_id, id, created_at, updated_at, {values} \
                 FROM numbers, bots WHERE id = '{bot}'"
            ));
        }
        Self { token, bot }
    }

    fn ask(&self, address: SocketAddr, method: &str, body: Option<&Value>) -> Response {
        let mut wire = Wire::open(address).expect("the server listens");
        wire.set_project_token(&self.token);
        wire.ask(method, &format!("{BOTS}/{}", self.bot), body).expect("an answer")
    }

    fn delete(&self, address: SocketAddr) -> Response {
        self.ask(address, "DELETE", Some(&json!({"mode": "delete"})))
    }

    /// Deletes the bot, and waits until a part of it is gone.
    fn is_half_gone(&self, installation: &Installation, address: SocketAddr) {
        assert_eq!(self.delete(address).ok()["mode"], "delete");
        self.ask(address, "GET", None).problem(404, "bot_not_found");
        until("a part of the bot is gone", || self.rows(installation) < 4 * ROWS);
    }

    /// How many rows it has left.
    fn rows(&self, installation: &Installation) -> i64 {
        let counts = CONTENT.map(|(table, ..)| {
            format!("(SELECT count(*) FROM {table} WHERE bot_id = '{}')", self.bot)
        });
        installation.sql().number(&format!("SELECT {} AS value", counts.join(" + ")))
    }

    /// Waits until there is no trace of it.
    #[track_caller]
    fn goes(&self, installation: &Installation) {
        until("the bot is gone", || {
            installation.sql().number(&format!(
                "SELECT count(*) AS value FROM jobs WHERE subject = '{}'",
                self.bot
            )) == 0
        });
        assert_eq!(installation.sql().rows_with(&self.bot), [""; 0]);
    }

    /// State, attempt and failures of its job.
    fn job(&self, installation: &Installation) -> (String, i64, i64) {
        let list = botyard(installation, &["job", "list", "--json"]).json();
        let jobs = list.as_array().unwrap();
        let job = jobs.iter().find(|job| job["subject"] == self.bot.as_str()).expect("its job");
        let number = |member: &str| job[member].as_i64().unwrap();
        (job["state"].as_str().unwrap().to_owned(), number("attempt"), number("failures"))
    }
}

/// Others take a job over soon after its worker has died.
const SOON: [(&str, &str); 1] = [("JOBS__LEASE", "1s")];
/// With this lease a server takes a job over only if it was released, or if no other server can run.
const NEVER: [(&str, &str); 1] = [("JOBS__LEASE", "1d")];

fn is_alive(server: &Server) {
    let answer = Wire::open(server.address()).unwrap().ask("GET", "/readyz", None);
    assert_eq!(answer.expect("an answer").status(), 200);
}

each_database! {
    fn a_teardown_goes_on_after_its_server_was_killed(database: Database) {
        let installation = Installation::new(database);
        // On SQLite a server that starts is the only one, so it does not wait until a lease ends.
        let lease = match database {
            Database::Sqlite => NEVER,
            Database::Postgres => SOON,
        };
        let mut server = installation.serve(&lease);
        let doomed = Doomed::new(&installation, server.address());
        doomed.is_half_gone(&installation, server.address());
        server.kill();
        assert!(doomed.rows(&installation) > 0, "the server was killed half-way");
        let (state, attempt, _) = doomed.job(&installation);
        assert_eq!((state.as_str(), attempt), ("running", 1));
        let mut server = installation.serve(&lease);
        doomed.goes(&installation);
        assert_eq!(server.stop(), 0);
    }

    fn a_teardown_is_given_back_at_the_end_and_goes_on_at_once(database: Database) {
        let installation = Installation::new(database);
        let mut server = installation.serve(&NEVER);
        let doomed = Doomed::new(&installation, server.address());
        doomed.is_half_gone(&installation, server.address());
        assert_eq!(server.stop(), 0);
        assert!(server.log().contains("a job was released"), "{}", server.log());
        assert!(doomed.rows(&installation) > 0, "the server was stopped half-way");
        assert_eq!(doomed.job(&installation), ("queued".to_owned(), 1, 0));
        let mut server = installation.serve(&NEVER);
        doomed.goes(&installation);
        assert_eq!(server.stop(), 0);
        let log = server.log();
        let done = log.lines().filter(|line| line.contains("a job is done") && line.contains("teardown_bot"));
        assert_eq!(done.count(), 1, "{log}");
    }
}

/// Ends the transactions of a stopped server at once, which PostgreSQL would do after half a minute. Until then they
/// hold locks, and behind a pooler also sessions that the next server needs to start.
fn end_open_transactions(installation: &Installation) {
    let end = "SELECT count(pg_terminate_backend(pid)) AS value FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'";
    until("no transaction is open", || installation.sql().number(end) == 0);
}

#[test]
fn another_server_takes_over_from_one_that_was_killed_postgres() {
    let installation = Installation::new(Database::Postgres);
    let mut first = installation.serve(&SOON);
    let doomed = Doomed::new(&installation, first.address());
    doomed.is_half_gone(&installation, first.address());
    // It must not come to an end while the other one starts.
    first.signal("STOP");
    assert!(doomed.rows(&installation) > 0, "the server was stopped half-way");
    end_open_transactions(&installation);
    let mut second = installation.serve(&SOON);
    first.kill();
    doomed.goes(&installation);
    is_alive(&second);
    assert_eq!(second.stop(), 0);
}

#[test]
fn a_server_that_slept_does_no_harm_when_it_wakes_up_postgres() {
    let installation = Installation::new(Database::Postgres);
    let mut first = installation.serve(&SOON);
    let [doomed, next] = [(); 2].map(|()| Doomed::new(&installation, first.address()));
    doomed.is_half_gone(&installation, first.address());
    first.signal("STOP");
    assert!(doomed.rows(&installation) > 0, "the server was stopped half-way");
    end_open_transactions(&installation);
    let mut second = installation.serve(&SOON);
    doomed.goes(&installation);
    assert_eq!(second.stop(), 0);
    first.signal("CONT");
    // It finds out which of its sessions are gone as it uses them.
    until("the sleeper is awake", || {
        let status = next.delete(first.address()).status();
        assert!(matches!(status, 200 | 404 | 503), "{status}");
        status != 503
    });
    // Its workers go on, with the next one, and have done nothing to the one before.
    next.goes(&installation);
    doomed.goes(&installation);
    assert_eq!(first.stop(), 0);
}
