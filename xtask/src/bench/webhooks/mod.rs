//! Webhooks: how far deliveries are behind what happened, and whether all arrive although servers are killed.

mod receiver;
mod writers;

use std::collections::HashMap;
use std::path::Path;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::Value;

use self::receiver::Receiver;
use self::writers::Writers;
use crate::bench::postgres::Postgres;
use crate::bench::report::{Amount, Results, Section};
use crate::bench::server::{Botyard, Database};
use crate::bench::setting::{Setting, folder};

/// How many webhooks get each event.
const WEBHOOKS: usize = 10;
/// How many events are delivered to each at a quiet pace.
const PACED: usize = 400;
/// The pause of each of four clients after a change: 20 changes a second at most.
const PAUSE: Duration = Duration::from_millis(200);
/// How many are delivered to each as fast as it goes.
const FAST: usize = 2_000;
/// How many while servers are killed: 100 000 deliveries in all.
const KILLED: usize = 10_000;
/// How often each server is killed.
const KILLS: usize = 20;
/// How long after a change a delivery may come at a quiet pace, in ms.
const BEHIND_MAX: f64 = 1_000.0;
/// How long it is waited for the last deliveries.
const TIMEOUT: Duration = Duration::from_secs(300);

/// Jobs of a killed server are taken over soon.
const OPTIONS: [&str; 4] = ["--webhooks-allow-networks", "127.0.0.0/8", "--jobs-lease", "5s"];
const LIST: &str = "/api/external/projectapi/events";

/// On each database.
pub fn measure(setting: &Setting, postgres: impl Fn() -> Result<Postgres>) -> Result<Vec<Section>> {
    let database = Database::Sqlite(folder(&setting.folder, "webhooks")?);
    let on_sqlite = on(setting, &database, None)?;
    let measured = match postgres() {
        Ok(postgres) => {
            let folder = folder(&setting.folder, "webhooks-postgres")?;
            let database = Database::Postgres { url: postgres.cluster.url(), folder };
            Ok(on(setting, &database, Some(&postgres))?)
        }
        Err(reason) => Err(format!("{reason:#}")),
    };
    Ok(vec![
        Section { title: "Webhooks, SQLite", measured: Ok(on_sqlite) },
        Section { title: "Webhooks, PostgreSQL on the same machine", measured },
    ])
}

fn on(setting: &Setting, database: &Database, postgres: Option<&Postgres>) -> Result<Results> {
    let binary = &setting.programs.botyard;
    let server = Botyard::start(binary, database, &OPTIONS)?;
    let receiver = Receiver::start(WEBHOOKS)?;
    for number in 0..WEBHOOKS {
        let mut create =
            server.project_request("POST", vec!["/api/external/projectapi/webhooks".to_owned()]);
        let url = receiver.url(number);
        create.body = Some(format!(r#"{{"url": "{url}", "types": ["skill.updated"]}}"#));
        let made: Value = serde_json::from_str(&server.ask(&create)?.body)?;
        let secret =
            made.get("secret").and_then(Value::as_str).context("a webhook without a secret")?;
        receiver.set_secret(number, secret)?;
    }
    let writers = Writers::new(&server)?;
    server.process.settle()?;

    writers.write(PACED, PAUSE)?;
    receiver.wait_for(PACED * WEBHOOKS, TIMEOUT)?;
    let (median, longest) = receiver.behind();
    let (started, calm) = (Instant::now(), (PACED + FAST) * WEBHOOKS);
    writers.write(FAST, Duration::ZERO)?;
    receiver.wait_for(calm, TIMEOUT)?;
    let rate = (FAST * WEBHOOKS) as f64 / started.elapsed().as_secs_f64();

    let killed = KILLED * WEBHOOKS;
    let server = thread::scope(|scope| {
        let writing = scope.spawn(|| writers.write(KILLED, Duration::ZERO));
        let kill = |server: Botyard, kill: usize| -> Result<Botyard> {
            receiver.wait_for(calm + kill * killed / (KILLS + 1), TIMEOUT)?;
            if let Some(postgres) = postgres {
                postgres.cluster.control(&["restart", "-m", "immediate"])?;
            }
            let server = kill_and_start(server, binary)?;
            writers.set_server(server.address);
            Ok(server)
        };
        // Without a server, the writers would try again without an end.
        let server = (1..=KILLS).try_fold(server, kill).inspect_err(|_| writers.stop())?;
        writing.join().map_err(|_| anyhow!("a writer has panicked"))??;
        anyhow::Ok(server)
    })?;
    let events = all_events(&server)?;
    let waited = Instant::now();
    let (lost, again) = loop {
        let (lost, again) = receiver.compare(&events);
        if lost == 0 || waited.elapsed() > TIMEOUT {
            break (lost, again);
        }
        sleep(Duration::from_millis(100));
    };
    if receiver.refused() > 0 {
        bail!("{} messages were not signed as they should be", receiver.refused());
    }
    Ok(Results {
        amounts: vec![
            Amount::unbounded(
                "20 changes a second to 10 webhooks: a delivery behind its change, median",
                ("ms", 0),
                vec![median],
            ),
            Amount::worst("the same, the latest", ("ms", 0), vec![longest], BEHIND_MAX),
            Amount::unbounded(
                "changes without a pause: deliveries in a second",
                ("", 0),
                vec![rate],
            ),
            Amount::worst(kills(postgres.is_some()), ("", 0), vec![lost as f64], 0.0),
            Amount::unbounded("of these sent more than once", ("", 0), vec![again as f64]),
        ],
        ..Results::default()
    })
}

const fn kills(with_postgres: bool) -> &'static str {
    if with_postgres {
        "of 100 000 deliveries lost over 20 x kill -9, each with a restart of PostgreSQL"
    } else {
        "of 100 000 deliveries lost over 20 x kill -9"
    }
}

fn kill_and_start(server: Botyard, binary: &Path) -> Result<Botyard> {
    server.process.kill()?;
    let stopped = server.stop();
    let began = Instant::now();
    loop {
        match stopped.start(binary) {
            Ok(server) => return Ok(server),
            // PostgreSQL may not be back yet.
            Err(error) if began.elapsed() > TIMEOUT => return Err(error),
            Err(_) => sleep(Duration::from_millis(200)),
        }
    }
}

/// The identifiers of all events that are sent to the webhooks.
fn all_events(server: &Botyard) -> Result<Vec<String>> {
    let (mut events, mut after) = (Vec::new(), "0".to_owned());
    loop {
        let path = format!("{LIST}?types=skill.updated&limit=1000&after={after}");
        let page = server.ask(&server.project_request("GET", vec![path]))?;
        let page: Vec<HashMap<String, Value>> = serde_json::from_str(&page.body)?;
        let text = |event: &HashMap<String, Value>, name: &str| {
            event.get(name).and_then(Value::as_str).map(str::to_owned).context("an odd event")
        };
        let Some(last) = page.last() else { return Ok(events) };
        after = text(last, "cursor")?;
        for event in &page {
            events.push(text(event, "_id")?);
        }
    }
}
