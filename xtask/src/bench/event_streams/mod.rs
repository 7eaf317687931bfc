//! Streams of events: the memory for those on which nothing happens, and how far behind those are on which much does,
//! also while a transaction stays open.

mod held;

use std::io::BufRead as _;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde_json::Value;

use crate::bench::postgres::Postgres;
use crate::bench::report::{Amount, Results, Section, megabytes};
use crate::bench::request::{Connection, Request, Streamed};
use crate::bench::server::{BOT, Botyard, Database};
use crate::bench::setting::{Setting, folder};

/// How many streams are open on which nothing happens.
const IDLE: usize = 1_000;
/// What all of them may take, in MB.
const IDLE_MAX: f64 = 32.0;
/// How many streams get what happens.
const LIVE: usize = 100;
/// How many events they get.
const EVENTS: usize = 10_000;
/// How many clients at once make these happen.
const WRITERS: usize = 8;
/// How long after its change an event may arrive, in ms.
const BEHIND_MAX: f64 = 1_000.0;

const OPTIONS: [&str; 6] = [
    "--events-streams-per-token",
    "1000",
    "--events-streams-per-project",
    "1000",
    "--limits-connections-per-address",
    "2000",
];
const LIST: &str = "/api/external/projectapi/events";
const STREAM: &str = "/api/external/projectapi/events/stream";
const DAY: u128 = 24 * 60 * 60 * 1_000;

/// On each database.
pub fn measure(setting: &Setting, postgres: impl Fn() -> Result<Postgres>) -> Result<Vec<Section>> {
    let database = Database::Sqlite(folder(&setting.folder, "event-streams")?);
    let on_sqlite = on(setting, &database, None)?;
    let measured = match postgres() {
        Ok(postgres) => {
            let folder = folder(&setting.folder, "event-streams-postgres")?;
            let database = Database::Postgres { url: postgres.cluster.url(), folder };
            Ok(on(setting, &database, Some(&postgres))?)
        }
        Err(reason) => Err(format!("{reason:#}")),
    };
    Ok(vec![
        Section { title: "Streams of events, SQLite", measured: Ok(on_sqlite) },
        Section { title: "Streams of events, PostgreSQL on the same machine", measured },
    ])
}

fn on(setting: &Setting, database: &Database, postgres: Option<&Postgres>) -> Result<Results> {
    let server = Botyard::start(&setting.programs.botyard, database, &OPTIONS)?;
    server.process.settle()?;
    let before = server.process.memory()?;
    let idle = (0..IDLE).map(|_| open(&server)).collect::<Result<Vec<_>>>()?;
    server.process.settle()?;
    let grown = server.process.memory()?.saturating_sub(before);
    let idle_memory = Amount::worst(
        "1 000 streams on which nothing happens",
        ("MB", 1),
        vec![megabytes(grown)],
        IDLE_MAX,
    );
    drop(idle);
    let (mut slowest, mut rates) = (Vec::new(), Vec::new());
    for round in 0..setting.rounds {
        let (behind, rate) = live(&server, round)?;
        slowest.push(behind);
        rates.push(rate);
    }
    let name =
        "10 000 events to 100 streams, none missed, none twice: the latest behind its change";
    let slowest = Amount::worst(name, ("ms", 0), slowest, BEHIND_MAX);
    let rates = Amount::unbounded("changes in a second meanwhile", ("", 0), rates);
    let mut amounts = vec![idle_memory, slowest, rates];
    amounts.extend(held::measure(&server, database, postgres)?);
    Ok(Results { amounts, ..Results::default() })
}

/// Opens a stream of the project, from now on.
fn open(server: &Botyard) -> Result<Streamed> {
    let request = server.project_request("GET", vec![STREAM.to_owned()]);
    let mut stream = request.open(server.address)?;
    let mut line = String::new();
    while !line.starts_with("retry:") {
        line.clear();
        ensure!(stream.read_line(&mut line)? > 0, "a stream has ended");
    }
    Ok(stream)
}

/// Has events happen while streams are read. Returns the longest that one was behind its change in milliseconds, and
/// how many changes were made in a second.
fn live(server: &Botyard, round: u32) -> Result<(f64, f64)> {
    let mut skill = server.request("POST", &format!("{BOT}/skills"));
    skill.body = Some(format!(r#"{{"name": "streamed {round}"}}"#));
    let skill: Value = serde_json::from_str(&server.ask(&skill)?.body)?;
    let id = skill.get("_id").and_then(Value::as_str).context("a skill without an _id")?;
    let mut change = server.request("PUT", &format!("{BOT}/skills/{id}"));
    // The event of the skill itself must not come in between.
    server.process.settle()?;
    let streams = (0..LIVE).map(|_| open(server)).collect::<Result<Vec<_>>>()?;
    let started = Instant::now();
    thread::scope(|scope| {
        let readers: Vec<_> =
            streams.into_iter().map(|stream| scope.spawn(move || read(stream))).collect();
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                change.body = None;
                let change = change.clone();
                scope.spawn(move || write(server, change, writer))
            })
            .collect();
        for writer in writers {
            writer.join().map_err(|_| anyhow!("a writer has panicked"))??;
        }
        let took = started.elapsed();
        let mut longest = Duration::ZERO;
        for reader in readers {
            longest = longest.max(reader.join().map_err(|_| anyhow!("a reader has panicked"))??);
        }
        Ok((longest.as_secs_f64() * 1_000.0, EVENTS as f64 / took.as_secs_f64()))
    })
}

/// Changes the skill so often that all writers together make all events.
fn write(server: &Botyard, mut change: Request, writer: usize) -> Result<()> {
    let mut connection = Connection::open(server.address)?;
    for number in 0..EVENTS / WRITERS {
        change.body = Some(format!(r#"{{"content": "{writer} {number}"}}"#));
        connection.ask(&change)?;
    }
    Ok(())
}

/// Reads all events, and returns the longest that one was behind.
fn read(mut stream: Streamed) -> Result<Duration> {
    let (mut line, mut last, mut longest) = (String::new(), None, 0);
    let mut count = 0;
    while count < EVENTS {
        line.clear();
        ensure!(stream.read_line(&mut line)? > 0, "a stream has ended");
        if let Some(cursor) = line.trim_end().strip_prefix("id: ") {
            let cursor: u64 = cursor.parse()?;
            if last.is_some_and(|last| cursor != last + 1) {
                bail!("{cursor} came after {last:?}");
            }
            last = Some(cursor);
        } else if let Some(data) = line.strip_prefix("data: ") {
            longest = longest.max(behind(data).context("an event without a time")?);
            count += 1;
        }
    }
    Ok(Duration::from_millis(longest))
}

/// How many milliseconds ago an event happened, by the clock that server and reader share.
#[expect(clippy::disallowed_methods, reason = "what a server says is compared with the clock")]
pub fn behind(event: &str) -> Option<u64> {
    let (_, time) = event.split_once(r#""at":""#)?;
    let number = |from: usize, to: usize| time.get(from..to)?.parse::<u128>().ok();
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    let at = ((hour * 60 + minute) * 60 + number(17, 19)?) * 1_000 + number(20, 23)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_millis() % DAY;
    u64::try_from((now + DAY - at) % DAY).ok()
}
