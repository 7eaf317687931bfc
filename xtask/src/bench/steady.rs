//! A client that asks at fixed times, and so seldom that it does not keep the server busy: how long a
//! request takes on a server that has other things to do.

use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::bench::request::{Connection, Request};
use crate::bench::samples::Samples;
use crate::bench::server::Botyard;

const INTERVAL: Duration = Duration::from_millis(2);
/// How long a client waits for an answer.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// A client with one connection.
pub struct Steady<'a> {
    pub server: SocketAddr,
    /// What it asks, in turn.
    pub requests: &'a [Request],
    pub interval: Duration,
}

impl Steady<'_> {
    /// Asks from then on, for as long as that is wanted at the time when the next request is due.
    pub fn ask(&self, begin: Instant, is_wanted: impl Fn(Instant) -> bool) -> Samples {
        let mut connection = self.open().ok();
        let mut samples = Samples::default();
        let mut due = begin;
        for request in self.requests.iter().cycle() {
            if !is_wanted(due) {
                break;
            }
            let wait = due.saturating_duration_since(Instant::now());
            sleep(wait);
            // One that the answer before has held up took from when it should have gone out. That the
            // system has woken us late is not the server's doing.
            let begin = if wait.is_zero() { due } else { Instant::now() };
            let outcome = self.exchange(&mut connection, request);
            samples.add(begin.elapsed(), outcome);
            due += self.interval;
        }
        samples
    }

    fn open(&self) -> Result<Connection> {
        Connection::with_timeout(self.server, TIMEOUT)
    }

    /// Asks once; after a failure the next request goes over a new connection.
    fn exchange(&self, connection: &mut Option<Connection>, request: &Request) -> Result<()> {
        let mut open = connection.take().map_or_else(|| self.open(), Ok)?;
        open.ask(request)?;
        *connection = Some(open);
        Ok(())
    }
}

/// Asks for as long as that is wanted, and returns the time in which 99 of 100 requests were answered, in
/// microseconds.
pub fn p99(server: &Botyard, request: &Request, is_wanted: impl Fn() -> bool) -> Result<f64> {
    let requests = std::slice::from_ref(request);
    let client = Steady { server: server.address, requests, interval: INTERVAL };
    let samples = client.ask(Instant::now() + INTERVAL, |_| is_wanted());
    if let Some(failure) = &samples.failure {
        bail!("the figure is void, because {} requests failed: {failure}", samples.failed);
    }
    if samples.len() == 0 {
        bail!("there was no time to ask");
    }
    Ok(samples.percentile(99) * 1_000.0)
}
