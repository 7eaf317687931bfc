//! Sides in turn: A B A B …, so that other work of the machine affects both alike.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::net::SocketAddr;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::bench::cost::{self, Cost};
use crate::bench::load::Outcome;
use crate::bench::noise::Watch;
use crate::bench::process::Process;
use crate::bench::request::Request;
use crate::bench::setting::Setting;

/// A load that warms up a side and does not count.
const WARM_UP_SECONDS: u32 = 1;
/// What a server that was frozen gets to catch up with its timers.
const CATCH_UP: Duration = Duration::from_millis(500);

/// One side of a figure.
pub struct Side<'a> {
    /// While it is not measured, it is frozen: what it has still to do for its own load, it does in
    /// its own time. `None` where nothing runs beyond the load.
    pub server: Option<&'a Process>,
    pub load: Load<'a>,
    /// Counts the calls of the system that a request takes, in a load of its own.
    pub calls: Option<CountCalls<'a>>,
}

/// See [`Side::calls`].
pub type CountCalls<'a> = Box<dyn Fn(&Rounds<'_>) -> Result<f64> + 'a>;

/// Puts a side under load for so many seconds.
pub type Load<'a> = Box<dyn Fn(&Rounds<'_>, u32) -> Result<Measured> + 'a>;

/// How one load went.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// In the unit of the figure; mostly requests a second.
    pub value: f64,
    /// The share of the processors that other programs took meanwhile, if that is known. What a
    /// server has others do for it, such as a database, counts as theirs.
    pub others: Option<f64>,
    /// What a request cost the server, if that was measured.
    pub cost: Option<Cost>,
    /// How many times as long 99 of 100 requests took at most as half of them, of requests.
    pub tail: Option<f64>,
}

impl<'a> Side<'a> {
    /// A server that is asked as often as it answers.
    pub fn asked(server: &'a Process, address: SocketAddr, request: Request) -> Self {
        let counted = request.clone();
        let load = move |rounds: &Rounds<'_>, seconds| {
            let (mut cost, mut tail) = (None, None);
            let measured = Measured::watched(Some(server), || {
                let mut rate = 0.0;
                cost = Some(Cost::of(server, || {
                    let outcome = rounds.wrk(address, &request, seconds)?;
                    rate = outcome.requests_per_second();
                    tail = Some(outcome.tail());
                    Ok(outcome.requests())
                })?);
                Ok(rate)
            })?;
            Ok(Measured { cost, tail, ..measured })
        };
        let calls = move |rounds: &Rounds<'_>| {
            let load = || Ok(rounds.wrk(address, &counted, WARM_UP_SECONDS)?.requests());
            cost::calls(server, rounds.folder, load)
        };
        Self { server: Some(server), load: Box::new(load), calls: Some(Box::new(calls)) }
    }
}

impl Measured {
    /// What is measured while only this server, this process and its children work for it.
    pub fn watched(
        server: Option<&Process>,
        measure: impl FnOnce() -> Result<f64>,
    ) -> Result<Self> {
        let watch = Watch::begin(server)?;
        let value = measure()?;
        Ok(Self { value, others: Some(watch.end()?), cost: None, tail: None })
    }
}

/// How the sides of a figure are put under load.
pub struct Rounds<'a> {
    pub setting: &'a Setting,
    pub folder: &'a Path,
    /// What is measured, for the one who waits.
    pub name: &'a str,
    pub connections: u32,
}

impl Rounds<'_> {
    /// What was measured: for each side that of each round.
    pub fn run<const N: usize>(&self, sides: &[Side<'_>; N]) -> Result<[Vec<Measured>; N]> {
        let servers = || sides.iter().filter_map(|side| side.server);
        servers().try_for_each(Process::freeze)?;
        let measured = self.measure(sides);
        servers().try_for_each(Process::thaw)?;
        self.progress("");
        measured.with_context(|| self.name.to_owned())
    }

    fn measure<const N: usize>(&self, sides: &[Side<'_>; N]) -> Result<[Vec<Measured>; N]> {
        let Setting { seconds, rounds, .. } = *self.setting;
        self.progress("warming up");
        if !stderr().is_terminal() {
            eprintln!("{}: {rounds} rounds of {seconds} s a side", self.name);
        }
        for side in sides {
            self.load(side, WARM_UP_SECONDS)?;
        }
        let mut measured = [const { Vec::new() }; N];
        for round in 1..=rounds {
            self.progress(&format!("round {round} of {rounds}"));
            for (side, measured) in sides.iter().zip(&mut measured) {
                measured.push(self.load(side, seconds)?);
            }
        }
        self.progress("counting system calls");
        for (side, measured) in sides.iter().zip(&mut measured) {
            let Some(count) = &side.calls else { continue };
            match self.awake(side, || count(self)) {
                Ok(calls) => {
                    let costs = measured.iter_mut().filter_map(|one| one.cost.as_mut());
                    costs.for_each(|cost| cost.calls = Some(calls));
                }
                // Not every system lets a program trace another.
                Err(error) => eprintln!("{}: system calls were not counted: {error:#}", self.name),
            }
        }
        Ok(measured)
    }

    fn load(&self, side: &Side<'_>, seconds: u32) -> Result<Measured> {
        self.awake(side, || (side.load)(self, seconds))
    }

    /// Does something while the server of a side runs.
    fn awake<T>(&self, side: &Side<'_>, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if let Some(server) = side.server {
            server.thaw()?;
            sleep(CATCH_UP);
        }
        let done = work();
        side.server.map_or(Ok(()), Process::freeze)?;
        done
    }

    /// Asks a server with all connections, as often as it answers.
    pub fn wrk(&self, server: SocketAddr, request: &Request, seconds: u32) -> Result<Outcome> {
        self.setting.programs.wrk.run(server, request, self.connections, seconds, self.folder)
    }

    fn progress(&self, text: &str) {
        let mut terminal = stderr();
        if terminal.is_terminal() {
            let line =
                if text.is_empty() { String::new() } else { format!("{}: {text}", self.name) };
            // Progress that can't be written, because the terminal has gone, is no error.
            drop(write!(terminal, "\r\x1b[K{line}"));
        }
    }
}

/// The value in the middle; of an even number of values the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN);
    let lower = sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN);
    f64::midpoint(lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_not_moved_by_one_odd_round() {
        let same = |values: &[f64], expected: f64| (median(values) - expected).abs() < 1e-9;
        assert!(same(&[3.0, 1.0, 900.0, 2.0, 2.5], 2.5));
        assert!(same(&[1.0, 4.0, 2.0, 3.0], 2.5));
        assert!(same(&[7.0], 7.0));
        assert!(median(&[]).is_nan());
    }
}
