//! Streams while transactions stay open: on PostgreSQL one that has written an event, and one of another database of
//! the same server; on SQLite one that reads.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, ensure};
use serde_json::Value;

use super::{BEHIND_MAX, WRITERS, behind, open};
use crate::bench::postgres::{Postgres, client_program};
use crate::bench::report::Amount;
use crate::bench::request::{Connection, Request, Streamed};
use crate::bench::server::{BOT, Botyard, Database};
use crate::debian;

/// How long transactions stay open.
const HELD: Duration = Duration::from_secs(60);
/// How many streams get what happens meanwhile.
const STREAMS: usize = 10;
/// The resource of the event that is committed at the end.
const LATE: &str = "written-a-minute-ago";

/// A transaction that a program of the database has open.
struct Transaction {
    program: Child,
    input: ChildStdin,
}

impl Transaction {
    /// Begins one, and returns when its statements are done, the last of which answers `held`.
    fn begin(mut command: Command, statements: &str) -> Result<Self> {
        let mut program = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = program.stdin.take().context("a program without input")?;
        let output = program.stdout.take().context("a program without output")?;
        writeln!(input, "BEGIN; {statements} SELECT 'held';")?;
        let mut lines = BufReader::new(output).lines();
        let is_held = lines.any(|line| line.is_ok_and(|line| line.trim() == "held"));
        ensure!(is_held, "a transaction has ended at once");
        // The program must be able to write what it does at the end.
        thread::spawn(move || lines.count());
        Ok(Self { program, input })
    }

    fn commit(mut self) -> Result<()> {
        writeln!(self.input, "COMMIT;")?;
        drop(self.input);
        ensure!(self.program.wait()?.success(), "a transaction was not committed");
        Ok(())
    }
}

/// What a stream got until the last event.
struct Got {
    /// How many events of the writers.
    count: usize,
    /// Whether the event of the transaction came.
    late: bool,
    /// The longest that another one was behind its change, in milliseconds.
    longest: u64,
}

/// On a server; with its PostgreSQL, if it has one.
pub fn measure(
    server: &Botyard,
    database: &Database,
    postgres: Option<&Postgres>,
) -> Result<Vec<Amount>> {
    let streams = (0..STREAMS).map(|_| open(server)).collect::<Result<Vec<_>>>()?;
    let skill = make_skill(server, "changed meanwhile")?;
    let change = server.request("PUT", &format!("{BOT}/skills/{skill}"));
    let transactions = match (database, postgres) {
        (Database::Postgres { url, .. }, Some(postgres)) => on_postgres(server, url, postgres)?,
        _ => vec![on_sqlite(server)?],
    };
    let is_done = AtomicBool::new(false);
    let (written, got) = thread::scope(|scope| {
        let readers: Vec<_> =
            streams.into_iter().map(|stream| scope.spawn(move || read(stream))).collect();
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (change, is_done) = (change.clone(), &is_done);
                scope.spawn(move || write(server, change, writer, is_done))
            })
            .collect();
        sleep(HELD);
        is_done.store(true, Ordering::Relaxed);
        let mut written = 0;
        for writer in writers {
            written += writer.join().map_err(|_| anyhow!("a writer has panicked"))??;
        }
        for transaction in transactions {
            transaction.commit()?;
        }
        // Events of different writers have no order but that of their commits; this one is after all.
        make_skill(server, "the last")?;
        let got = readers
            .into_iter()
            .map(|reader| reader.join().map_err(|_| anyhow!("a reader has panicked"))?);
        anyhow::Ok((written, got.collect::<Result<Vec<Got>>>()?))
    })?;
    for got in &got {
        ensure!(got.late == postgres.is_some(), "the event of the transaction was lost");
    }
    let missed = got.iter().map(|got| written.abs_diff(got.count)).sum::<usize>();
    let longest = got.iter().map(|got| got.longest).max().unwrap_or(0);
    let [latest, lost] = names(postgres.is_some());
    Ok(vec![
        Amount::worst(latest, ("ms", 0), vec![longest as f64], BEHIND_MAX),
        Amount::worst(lost, ("", 0), vec![missed as f64], 0.0),
    ])
}

const fn names(with_postgres: bool) -> [&'static str; 2] {
    if with_postgres {
        [
            "a transaction with an event is open for a minute, and one of another database: the latest event of others behind its change",
            "the same: events that were missed or came twice, that of the transaction among them",
        ]
    } else {
        [
            "a transaction that reads is open for a minute: the latest event behind its change",
            "the same: events that were missed or came twice",
        ]
    }
}

fn make_skill(server: &Botyard, name: &str) -> Result<String> {
    let mut skill = server.request("POST", &format!("{BOT}/skills"));
    skill.body = Some(format!(r#"{{"name": "{name}"}}"#));
    let skill: Value = serde_json::from_str(&server.ask(&skill)?.body)?;
    let id = skill.get("_id").and_then(Value::as_str);
    Ok(id.context("a skill without an _id")?.to_owned())
}

/// One that has written an event, and one of another database.
fn on_postgres(server: &Botyard, url: &str, postgres: &Postgres) -> Result<Vec<Transaction>> {
    let program = client_program(&postgres.programs, "psql")?;
    let psql = |database: &str| {
        let mut psql = Command::new(&program);
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--set=ON_ERROR_STOP=1", database]);
        psql
    };
    let list = server.project_request("GET", vec![format!("{}?limit=1", super::LIST)]);
    let events: Value = serde_json::from_str(&server.ask(&list)?.body)?;
    let project = events.pointer("/0/projectId").and_then(Value::as_str).context("no event")?;
    let event = format!(
        "INSERT INTO events (project_id, id, at, type, resource_id, data) VALUES \
         ('{project}', gen_random_uuid(), extract(epoch FROM now()) * 1000, 'skill.deleted', '{LATE}', '{{}}');"
    );
    let (base, _) = url.rsplit_once('/').context("an address without a database")?;
    let elsewhere = "CREATE TABLE open_for_a_minute (number INT);";
    Ok(vec![
        Transaction::begin(psql(url), &event)?,
        Transaction::begin(psql(&format!("{base}/template1")), elsewhere)?,
    ])
}

/// One that reads: SQLite has one writer, which waits for no reader.
fn on_sqlite(server: &Botyard) -> Result<Transaction> {
    debian::find_or_install("sqlite3")?;
    let mut sqlite3 = Command::new("sqlite3");
    sqlite3
        .args(["-init", "/dev/null", "-batch", "-readonly"])
        .arg(server.folder.join("data/botyard.db"));
    Transaction::begin(sqlite3, "SELECT count(*) FROM events;")
}

/// Changes the skill until it is done; returns how often.
fn write(
    server: &Botyard,
    mut change: Request,
    writer: usize,
    is_done: &AtomicBool,
) -> Result<usize> {
    let mut connection = Connection::open(server.address)?;
    let mut count = 0;
    while !is_done.load(Ordering::Relaxed) {
        change.body = Some(format!(r#"{{"content": "{writer} {count}"}}"#));
        connection.ask(&change)?;
        count += 1;
    }
    Ok(count)
}

/// Reads until the last event.
fn read(mut stream: Streamed) -> Result<Got> {
    let (mut line, mut last) = (String::new(), None);
    let mut got = Got { count: 0, late: false, longest: 0 };
    let mut is_first = true;
    loop {
        line.clear();
        ensure!(stream.read_line(&mut line)? > 0, "a stream has ended");
        if let Some(cursor) = line.trim_end().strip_prefix("id: ") {
            let cursor: u64 = cursor.parse()?;
            // A message without an event repeats where the stream is.
            ensure!(
                last.is_none_or(|last| cursor == last + 1 || cursor == last),
                "{cursor} came after {last:?}"
            );
            last = Some(cursor);
        } else if let Some(data) = line.strip_prefix("data: ") {
            if data.contains(r#""skill.created""#) {
                // The skill that is changed is made before the writers begin, the last one at the end.
                if !std::mem::take(&mut is_first) {
                    return Ok(got);
                }
            } else if data.contains(LATE) {
                got.late = true;
            } else {
                got.longest = got.longest.max(behind(data).context("an event without a time")?);
                got.count += 1;
            }
        }
    }
}
