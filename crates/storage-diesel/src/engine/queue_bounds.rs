//! How much a queue of units takes, and how much of it one tenant may use.

use std::time::Duration;

/// When a unit that reads is long, and one that writes on PostgreSQL.
pub const LONG_READ: Duration = Duration::from_millis(3);
pub const LONG_WRITE: Duration = Duration::from_millis(15);

/// How long a short unit takes at most that reads.
const SHORT: Duration = Duration::from_millis(1);
/// The part of a batch's time that a short unit takes at most that writes to SQLite.
const SHORT_OF_BATCH: u32 = 5;
/// How long one that writes on PostgreSQL does: each of its statements waits for another process.
const SHORT_ON_POSTGRES: Duration = Duration::from_millis(5);

/// What a queue holds at most. A bound of 0 counts as 1.
#[derive(Debug, Clone, Copy)]
pub struct QueueBounds {
    /// Units that wait.
    pub waiting: usize,
    /// Units of one queue that wait.
    pub waiting_per_queue: usize,
    /// Units of one queue that run at once. Its others wait, even if threads are idle.
    pub running_per_queue: usize,
    /// The same of the queue of a project's clients.
    pub running_per_project: usize,
    /// Units that do not take longer than this are short. Queues with short units take turns with all others, and
    /// only short units join others in one transaction.
    pub short: Duration,
    /// Units that take longer than this are long.
    pub long: Duration,
    /// Units of one queue that run at once while its units are long. They keep a core of the database busy, or of
    /// this machine, which others then miss.
    pub running_long: usize,
}

impl QueueBounds {
    /// The bounds of a queue for `waiting` units in front of `threads` threads: a queue has a quarter of the
    /// one and half of the others, an eighth while its units are long.
    pub const fn of(waiting: usize, threads: usize, long: Duration) -> Self {
        Self {
            short: SHORT,
            waiting,
            waiting_per_queue: waiting.div_ceil(4),
            running_per_queue: threads.div_ceil(2),
            running_per_project: threads.div_ceil(2),
            long,
            running_long: threads / 8,
        }
    }

    /// The bounds of the queue for writing on PostgreSQL, in front of so many threads.
    pub const fn of_postgres_writers(waiting: usize, threads: usize) -> Self {
        Self { short: SHORT_ON_POSTGRES, ..Self::of(waiting, threads, LONG_WRITE) }
    }

    /// The bounds of the queue of SQLite's writer, which collects units for so long. One thread runs all of them, one
    /// after the other.
    pub fn of_sqlite_writer(waiting: usize, batch_time: Duration) -> Self {
        let short = batch_time / SHORT_OF_BATCH;
        Self { short, ..Self::of(waiting, usize::MAX, Duration::MAX) }
    }

    /// The bounds of the queue for reading from SQLite, in front of so many threads on so many cores. Reading takes
    /// the time of a core, so a project uses half of these at once: with more, the threads that answer requests would
    /// wait for a core.
    pub fn of_sqlite_readers(waiting: usize, threads: usize, cores: usize) -> Self {
        let bounds = Self::of(waiting, threads, LONG_READ);
        let half = cores.div_ceil(2);
        Self {
            running_per_project: bounds.running_per_project.min(half),
            running_long: bounds.running_long.min(half),
            ..bounds
        }
    }

    /// The same bounds, each at least 1.
    pub fn at_least_one(self) -> Self {
        Self {
            waiting: self.waiting.max(1),
            waiting_per_queue: self.waiting_per_queue.max(1),
            running_per_queue: self.running_per_queue.max(1),
            running_per_project: self.running_per_project.max(1),
            running_long: self.running_long.max(1),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_reads_from_sqlite_on_half_of_the_cores_and_of_the_threads() {
        for (threads, cores, running) in
            [(8, 1, 1), (8, 2, 1), (32, 2, 1), (8, 4, 2), (16, 16, 8), (4, 16, 2)]
        {
            let bounds = QueueBounds::of_sqlite_readers(100, threads, cores);
            assert_eq!(bounds.running_per_project, running, "{threads} threads, {cores} cores");
            assert!(bounds.running_long <= running, "{threads} threads, {cores} cores");
            // Look-ups for the service itself are those of all projects.
            assert_eq!(bounds.running_per_queue, threads / 2);
        }
    }
}
