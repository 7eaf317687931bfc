//! What is counted and measured.

use std::time::{Duration, Instant};

use domain::lock::Mode;
use domain::{DomainError, StorageError};
use metrics::{
    Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, describe_histogram,
    gauge, histogram,
};

use crate::engine::gauges;
use crate::engine::queued_unit::UnitAnswer;

const UNITS: &str = "botyard_storage_units_total";
const SECONDS: &str = "botyard_storage_unit_seconds";
const HELD_SECONDS: &str = "botyard_unit_seconds";
const WAITING: &str = "botyard_storage_queue_units";
const BATCH: &str = "botyard_storage_batch_units";
#[cfg(feature = "sqlite")]
const COMMIT_SECONDS: &str = "botyard_commit_seconds";

/// The meters of one mode, looked up once, because a look-up costs more than counting.
struct OfMode {
    ok: Counter,
    refused: Counter,
    overloaded: Counter,
    contended: Counter,
    full: Counter,
    unavailable: Counter,
    panicked: Counter,
    broken: Counter,
    seconds: Histogram,
    held_seconds: Histogram,
    waiting: Gauge,
}

impl OfMode {
    fn new(mode: &'static str) -> Self {
        let outcome = |name: &'static str| counter!(UNITS, "mode" => mode, "outcome" => name);
        Self {
            ok: outcome("ok"),
            refused: outcome("refused"),
            overloaded: outcome("overloaded"),
            contended: outcome("contended"),
            full: outcome("full"),
            unavailable: outcome("unavailable"),
            panicked: outcome("panicked"),
            broken: outcome("broken"),
            seconds: histogram!(SECONDS, "mode" => mode),
            held_seconds: histogram!(HELD_SECONDS, "mode" => mode),
            waiting: gauge!(WAITING, "mode" => mode),
        }
    }

    const fn outcome(&self, answer: &UnitAnswer) -> &Counter {
        let Err(error) = answer else { return &self.ok };
        let DomainError::Storage(error) = error else { return &self.refused };
        match error {
            StorageError::Overloaded => &self.overloaded,
            StorageError::Contended(_) => &self.contended,
            StorageError::Full(_) => &self.full,
            StorageError::Unavailable(_) => &self.unavailable,
            StorageError::Panicked(_) => &self.panicked,
            StorageError::Broken(_) => &self.broken,
        }
    }
}

/// For how long commits hold SQLite's writer.
#[cfg(feature = "sqlite")]
pub fn commit_seconds() -> Histogram {
    describe_histogram!(COMMIT_SECONDS, "Time for which a commit held the writer of SQLite.");
    histogram!(COMMIT_SECONDS)
}

/// All meters of a store.
pub struct Meters {
    read: OfMode,
    write: OfMode,
    batch: Histogram,
}

impl Meters {
    /// Registers the meters with the recorder of this process, which must be there by then.
    pub fn new() -> Self {
        describe_counter!(UNITS, "Units of work, which are transactions, by how they ended.");
        describe_histogram!(SECONDS, "Time of a unit of work, with waiting for its turn.");
        describe_histogram!(
            HELD_SECONDS,
            "Time for which a unit of work held the writer of SQLite, or its connection."
        );
        describe_gauge!(WAITING, "Units of work that wait for a connection.");
        describe_histogram!(BATCH, "Writing units of work that shared a commit.");
        gauges::describe();
        Self { read: OfMode::new("read"), write: OfMode::new("write"), batch: histogram!(BATCH) }
    }

    /// A unit got its answer.
    pub fn unit(&self, mode: Mode, answer: &UnitAnswer, took: Duration) {
        let meters = self.of(mode);
        meters.outcome(answer).increment(1);
        meters.seconds.record(took.as_secs_f64());
    }

    /// A unit has held the writer or a session since then, whatever came of it. What it waited for its turn does
    /// not count.
    pub fn held(&self, mode: Mode, since: Instant) {
        self.of(mode).held_seconds.record(since.elapsed().as_secs_f64());
    }

    /// A batch of units was committed.
    #[expect(clippy::cast_precision_loss, reason = "batches are small")]
    pub fn batch(&self, units: usize) {
        self.batch.record(units as f64);
    }

    /// This many units wait.
    #[expect(clippy::cast_precision_loss, reason = "queues are short")]
    pub fn waiting(&self, mode: Mode, units: usize) {
        self.of(mode).waiting.set(units as f64);
    }

    const fn of(&self, mode: Mode) -> &OfMode {
        match mode {
            Mode::LookUp | Mode::Read => &self.read,
            Mode::Write => &self.write,
        }
    }
}
