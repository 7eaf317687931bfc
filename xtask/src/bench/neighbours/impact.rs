//! A row of the table that shows what a neighbour feels of floods.

use super::flood::{Closed, Ended};
use super::neighbour::Latencies;
use crate::bench::rounds::median;
use crate::bench::samples::Samples;

/// What the p99 of requests may be, compared with that before the flood.
const READS_MAX: f64 = 3.0;
const WRITES_MAX: f64 = 5.0;
/// The same for both beside connections that only stay open.
const BESIDE_CONNECTIONS_MAX: f64 = 1.5;
/// By how much the peak of the server's memory may grow, in MB.
pub const GROWTH_MAX: f64 = 64.0;

/// The columns, with the targets of floods that make requests.
pub const HEAD: [&str; 12] = [
    "flood",
    "reads: median",
    "p99 (≤ 3)",
    "writes: median",
    "p99 (≤ 5)",
    "`/healthz`: median",
    "p99",
    "failed (0)",
    "memory (≤ 64 MB)",
    "closed",
    "targets",
    "requests of the flood",
];

/// What the neighbour feels of a flood, in each round.
pub struct Impact {
    pub name: &'static str,
    pub rounds: Vec<Observed>,
}

/// What it feels in one round.
pub struct Observed {
    pub before: Times,
    pub during: Times,
    /// By how much the peak of the server's memory grew, in MB.
    pub growth: f64,
    pub ended: Ended,
}

/// How long requests of each kind took, and how many failed.
pub struct Times {
    reads: Quantiles,
    writes: Quantiles,
    probes: Quantiles,
    failed: usize,
    count: usize,
}

/// Within how many milliseconds requests were answered.
#[derive(Debug, Clone, Copy)]
struct Quantiles {
    median: f64,
    p99: f64,
}

impl From<&Samples> for Quantiles {
    fn from(samples: &Samples) -> Self {
        Self { median: samples.percentile(50), p99: samples.percentile(99) }
    }
}

impl From<Latencies> for Times {
    fn from(latencies: Latencies) -> Self {
        Self {
            reads: (&latencies.reads).into(),
            writes: (&latencies.writes).into(),
            probes: (&latencies.probes).into(),
            failed: latencies.failed(),
            count: latencies.count(),
        }
    }
}

/// A time before and during a flood, in milliseconds, and the ratio.
struct Ratio {
    before: f64,
    during: f64,
    ratio: f64,
}

impl Ratio {
    fn with_times(&self) -> String {
        let Self { before, during, ratio } = self;
        format!("{ratio:.2} ({before:.1} → {during:.1} ms)")
    }
}

impl Impact {
    pub fn row(&self) -> [String; 12] {
        let median = |of: fn(&Times) -> Quantiles| self.ratio(|times| of(times).median);
        let p99 = |of: fn(&Times) -> Quantiles| self.ratio(|times| of(times).p99);
        let reads: fn(&Times) -> Quantiles = |times| times.reads;
        let writes: fn(&Times) -> Quantiles = |times| times.writes;
        let probes: fn(&Times) -> Quantiles = |times| times.probes;
        let (reads_p99, writes_p99) = (p99(reads), p99(writes));
        let sum = |of: fn(&Times) -> usize| -> usize {
            self.rounds.iter().map(|round| of(&round.before) + of(&round.during)).sum()
        };
        let failed = sum(|times| times.failed);
        let growth = self.rounds.iter().map(|round| round.growth).fold(f64::NAN, f64::max);
        let closed = self.rounds.iter().filter_map(|round| round.ended.closed);
        let closed = closed.reduce(Closed::worse);
        let (reads_max, writes_max) = closed
            .map_or((READS_MAX, WRITES_MAX), |_| (BESIDE_CONNECTIONS_MAX, BESIDE_CONNECTIONS_MAX));
        let missed: Vec<_> = [
            (reads_p99.ratio > reads_max, "reads"),
            (writes_p99.ratio > writes_max, "writes"),
            (failed > 0, "failed"),
            (growth > GROWTH_MAX, "memory"),
            (closed.is_some_and(|closed| !closed.is_in_time()), "closed"),
        ]
        .into_iter()
        .filter_map(|(is_missed, target)| is_missed.then_some(target))
        .collect();
        [
            self.name.to_owned(),
            format!("{:.2}", median(reads).ratio),
            reads_p99.with_times(),
            format!("{:.2}", median(writes).ratio),
            writes_p99.with_times(),
            format!("{:.2}", median(probes).ratio),
            p99(probes).with_times(),
            format!("{failed} of {}", sum(|times| times.count)),
            format!("{growth:.1} MB"),
            closed.map_or_else(String::new, shown),
            if missed.is_empty() { "reached".to_owned() } else { missed_text(&missed) },
            self.rounds.last().map(|round| round.ended.done.clone()).unwrap_or_default(),
        ]
    }

    /// The median of the rounds.
    fn ratio(&self, of: impl Fn(&Times) -> f64) -> Ratio {
        let of_rounds = |value: &dyn Fn(&Observed) -> f64| {
            median(&self.rounds.iter().map(value).collect::<Vec<_>>())
        };
        Ratio {
            before: of_rounds(&|round| of(&round.before)),
            during: of_rounds(&|round| of(&round.during)),
            ratio: of_rounds(&|round| of(&round.during) / of(&round.before)),
        }
    }
}

fn missed_text(targets: &[&str]) -> String {
    format!("missed: {}", targets.join(", "))
}

fn shown(Closed { after, target }: Closed) -> String {
    let target = target.as_secs();
    let after = after
        .map_or_else(|| "not seen".to_owned(), |after| format!("{:.1} s", after.as_secs_f64()));
    format!("{after}, ≤ {target} s")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn times(median: f64, p99: f64, failed: usize) -> Times {
        let quantiles = Quantiles { median, p99 };
        Times { reads: quantiles, writes: quantiles, probes: quantiles, failed, count: 100 }
    }

    fn observed(p99: f64, growth: f64, closed: Option<Option<u64>>) -> Observed {
        let closed = closed.map(|after| Closed {
            after: after.map(Duration::from_secs),
            target: Duration::from_secs(20),
        });
        let ended = Ended { done: "7 answered".to_owned(), closed };
        Observed { before: times(1.0, 2.0, 0), during: times(2.0, p99, 0), growth, ended }
    }

    #[test]
    fn a_flood_that_is_hardly_felt_has_reached_its_targets() {
        let rounds = [2.0, 900.0, 3.0].map(|p99| observed(p99, 1.0, Some(Some(12)))).into();
        let row = Impact { name: "x", rounds }.row();
        let expected = [
            "x",
            "2.00",
            "1.50 (2.0 → 3.0 ms)",
            "2.00",
            "1.50 (2.0 → 3.0 ms)",
            "2.00",
            "1.50 (2.0 → 3.0 ms)",
            "0 of 600",
            "1.0 MB",
            "12.0 s, ≤ 20 s",
            "reached",
            "7 answered",
        ];
        assert_eq!(row, expected);
    }

    #[test]
    fn each_target_that_is_missed_is_named() {
        let verdict = |observed: Observed| {
            let rounds = vec![observed];
            Impact { name: "x", rounds }.row().get(10).cloned().unwrap_or_default()
        };
        assert_eq!(verdict(observed(6.0, 64.0, None)), "reached");
        assert_eq!(verdict(observed(7.0, 64.5, None)), "missed: reads, memory");
        assert_eq!(verdict(observed(11.0, 0.0, None)), "missed: reads, writes");
        assert_eq!(verdict(observed(3.1, 0.0, Some(Some(20)))), "missed: reads, writes");
        assert_eq!(verdict(observed(2.0, 0.0, Some(Some(21)))), "missed: closed");
        assert_eq!(verdict(observed(2.0, 0.0, Some(None))), "missed: closed");
        let failed = Observed { during: times(1.0, 2.0, 1), ..observed(2.0, 0.0, None) };
        assert_eq!(verdict(failed), "missed: failed");
    }
}
