//! A project that asks for a little: what is measured is how long that takes.

use std::net::SocketAddr;
use std::path::Path;
use std::thread::scope;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use serde_json::json;

use crate::bench::content::{Bot, id};
use crate::bench::request::{Request, Token};
use crate::bench::samples::Samples;
use crate::bench::server::{Botyard, PROJECT_HEADER};
use crate::bench::steady::{Steady, TIMEOUT};

/// How many bots it has: one for each connection that writes.
const BOTS: usize = 4;
/// Few enough for a list of one piece.
const SKILLS: usize = 10;
/// How many connections probe the server's health.
const PROBES: usize = 2;
/// How often a connection asks.
const READ: Duration = Duration::from_millis(20);
const WRITE: Duration = Duration::from_millis(40);
const PROBE: Duration = Duration::from_millis(20);

/// The project, and what each of its connections asks in turn.
pub struct Neighbour {
    /// A bot with a configuration of 1.5 KB, and the list of its skills.
    reads: Vec<Vec<Request>>,
    /// Changes of a bot.
    writes: Vec<Vec<Request>>,
    /// Whether the server is alive.
    probes: Vec<Vec<Request>>,
}

/// How long each kind of request took.
#[derive(Default)]
pub struct Latencies {
    pub reads: Samples,
    pub writes: Samples,
    pub probes: Samples,
}

impl Neighbour {
    /// Creates the project, as an operator would, and its bots.
    pub fn create(server: &Botyard, binary: &Path) -> Result<Self> {
        let project = server.call(binary, &["project", "create", "--name", "Neighbour"])?;
        let project = id(&project)?;
        let minted = ["token", "mint", "--name", "neighbour", "--scopes", "all", "--project"];
        let minted = server.call(binary, &[&minted[..], &[&project]].concat())?;
        let secret = minted.get("token").and_then(|token| token.as_str());
        let secret = secret.context("the minted token has no text")?.to_owned();
        let token = Token { header: PROJECT_HEADER, secret };
        let body = json!({
            "name": "Neighbour",
            "botInstruction": "Answer in a friendly tone. ".repeat(55),
        });
        let mut neighbour = Self { reads: Vec::new(), writes: Vec::new(), probes: Vec::new() };
        for _ in 0..BOTS {
            let bot = Bot::create_with(server, &token, &body)?;
            bot.add_skills(SKILLS)?;
            neighbour.reads.push(vec![bot.request("GET", ""), bot.request("GET", "/skills")]);
            // Each is a change, because it is another one than the one before.
            let write = |body: &str| {
                let body = Some(body.to_owned());
                Request { body, ..bot.request("PUT", "") }
            };
            let bodies = [r#"{"temperature":0.25}"#, r#"{"temperature":0.75}"#];
            neighbour.writes.push(bodies.map(write).into());
        }
        let paths = vec!["/healthz".to_owned()];
        let probe = Request { method: "GET", paths, token, body: None };
        neighbour.probes.resize(PROBES, vec![probe]);
        Ok(neighbour)
    }

    /// Asks for so many seconds, each connection on a thread of its own.
    pub fn measure(&self, server: SocketAddr, seconds: u32) -> Result<Latencies> {
        let length = Duration::from_secs(seconds.into());
        let begin = Instant::now();
        let all = [(&self.reads, READ), (&self.writes, WRITE), (&self.probes, PROBE)];
        let [reads, writes, probes] = scope(|scope| {
            all.map(|(connections, interval)| {
                let shift = interval / u32::try_from(connections.len()).unwrap_or(1);
                let begins = (1..).map(|number| begin + shift * number);
                let client = |(requests, begin)| {
                    let client = Steady { server, requests, interval };
                    scope.spawn(move || ask(&client, begin, length))
                };
                connections.iter().map(Vec::as_slice).zip(begins).map(client).collect::<Vec<_>>()
            })
            .map(|threads| {
                let mut all = Samples::default();
                for thread in threads {
                    let samples = thread.join();
                    all.extend(samples.map_err(|_| anyhow!("a client came to a sudden end"))?);
                }
                Ok::<_, anyhow::Error>(all)
            })
        });
        Ok(Latencies { reads: reads?, writes: writes?, probes: probes? })
    }
}

/// Asks for so long. What is due meanwhile is asked even if that is late, because a client would, too; what
/// is due and can't be asked within the time that a client waits for an answer has failed.
fn ask(client: &Steady<'_>, begin: Instant, length: Duration) -> Samples {
    let end = begin + length;
    let mut samples = client.ask(begin, |due| due < end && Instant::now() < end + TIMEOUT);
    let due = length.as_nanos().div_ceil(client.interval.as_nanos().max(1));
    let missing = usize::try_from(due).unwrap_or(0).saturating_sub(samples.len());
    samples.fail(missing, || "it could not be sent in time".to_owned());
    samples
}

impl Latencies {
    fn all(&self) -> [&Samples; 3] {
        [&self.reads, &self.writes, &self.probes]
    }

    /// How many requests there were.
    pub fn count(&self) -> usize {
        self.all().iter().map(|samples| samples.len()).sum()
    }

    pub fn failed(&self) -> usize {
        self.all().iter().map(|samples| samples.failed).sum()
    }

    /// What went wrong first.
    pub fn failure(&self) -> Option<&str> {
        self.all().iter().find_map(|samples| samples.failure.as_deref())
    }
}
