//! When a check must stop before it is through.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use domain::archive::ArchiveRule;

/// Stops a check when its caller does not wait for it any more.
#[derive(Debug, Default)]
pub(crate) struct StopOnDrop(Arc<AtomicBool>);

impl StopOnDrop {
    /// Becomes true when this is dropped.
    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs beside a check; looked at before every block and every record.
#[derive(Debug)]
pub(crate) struct Watch {
    started: Instant,
    time: Duration,
    stopped: Arc<AtomicBool>,
}

impl Watch {
    /// Allows this much time from now on, until the flag is set.
    pub(crate) fn start(time: Duration, stopped: Arc<AtomicBool>) -> Self {
        Self { started: Instant::now(), time, stopped }
    }

    /// Fails once the time is over. A stopped check ends the same way, and its answer is not read.
    pub(crate) fn check(&self) -> Result<(), ArchiveRule> {
        if self.stopped.load(Ordering::Relaxed) || self.started.elapsed() >= self.time {
            return Err(ArchiveRule::TookTooLong);
        }
        Ok(())
    }
}
