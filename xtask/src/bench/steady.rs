//! A client that asks at fixed times, and so seldom that it does not keep the server busy: how long a
//! request takes on a server that has other things to do.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::bench::request::{Connection, Request};
use crate::bench::server::Botyard;

const INTERVAL: Duration = Duration::from_millis(2);

/// Asks over one connection for as long as that is wanted, and returns the time in which 99 of 100
/// requests were answered, in microseconds.
pub fn p99(server: &Botyard, request: &Request, is_wanted: impl Fn() -> bool) -> Result<f64> {
    let mut connection = Connection::open(server.address)?;
    let mut times = Vec::new();
    let mut due = Instant::now();
    while is_wanted() {
        due += INTERVAL;
        let wait = due.saturating_duration_since(Instant::now());
        sleep(wait);
        // One that the answer before has held up took from when it should have gone out. That the
        // system has woken us late is not the server's doing.
        let begin = if wait.is_zero() { due } else { Instant::now() };
        connection.ask(request)?;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    let p99 = times.get((times.len() * 99).div_ceil(100).saturating_sub(1));
    let p99 = p99.ok_or_else(|| anyhow!("nobody had time to ask"))?;
    Ok(p99.as_secs_f64() * 1_000_000.0)
}
