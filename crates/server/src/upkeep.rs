//! Runs what is done again and again beside requests and jobs (`domain::upkeep`).

use std::future::Future;
use std::time::Duration;

use actix_web::rt;
use domain::DomainError;
use domain::upkeep::{Schedule, UpkeepTask};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// The upkeep of one server.
pub struct Upkeep {
    /// Those that may be broken off.
    tasks: Vec<JoinHandle<()>>,
    /// Those of which a round may not be broken off, and which are done once more at the end.
    flushes: Vec<JoinHandle<()>>,
    stopping: watch::Sender<bool>,
}

impl Upkeep {
    /// Starts these tasks.
    pub fn start(tasks: Vec<UpkeepTask>) -> Self {
        let (stopping, stop) = watch::channel(false);
        let mut upkeep = Self { tasks: Vec::new(), flushes: Vec::new(), stopping };
        for task in tasks {
            let (name, schedule) = (task.name, task.schedule);
            let round = async move || task.run().await;
            match schedule {
                Schedule::AtStart => {
                    upkeep.add(async move { log_failure(name, round().await) });
                }
                Schedule::Every(pause) => upkeep.add_repeating(pause, name, round),
                Schedule::EveryAndAtEnd(pause) => {
                    upkeep.flushes.push(rt::spawn(every_until(stop.clone(), pause, name, round)));
                }
            }
        }
        upkeep
    }

    /// Does something else as well, again and again, which may be broken off at any time.
    pub fn add_repeating(
        &mut self,
        pause: Duration,
        name: &'static str,
        round: impl AsyncFn() -> Result<(), DomainError> + 'static,
    ) {
        self.add(every(pause, name, round));
    }

    /// Does something else beside them that may be broken off at any time.
    pub fn add(&mut self, work: impl Future<Output = ()> + 'static) {
        self.tasks.push(rt::spawn(work));
    }

    /// Stops them and writes what they had still to write.
    pub async fn stop(self) {
        for task in self.tasks {
            task.abort();
            drop(task.await);
        }
        self.stopping.send_replace(true);
        for flush in self.flushes {
            drop(flush.await);
        }
    }
}

/// Does something again and again; a failure is logged, and the next round tries again.
async fn every(
    pause: Duration,
    name: &'static str,
    round: impl AsyncFn() -> Result<(), DomainError>,
) {
    let mut ticks = ticks(pause);
    loop {
        ticks.tick().await;
        log_failure(name, round().await);
    }
}

/// The same until `stop` is true, and then once more.
async fn every_until(
    mut stop: watch::Receiver<bool>,
    pause: Duration,
    name: &'static str,
    round: impl AsyncFn() -> Result<(), DomainError>,
) {
    let mut ticks = ticks(pause);
    loop {
        let is_last = tokio::select! {
            _ = ticks.tick() => false,
            // The sender is gone only when the server is.
            _ = stop.wait_for(|stop| *stop) => true,
        };
        log_failure(name, round().await);
        if is_last {
            break;
        }
    }
}

fn ticks(pause: Duration) -> Interval {
    let mut ticks = interval(pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

fn log_failure(name: &'static str, result: Result<(), DomainError>) {
    if let Err(error) = result {
        tracing::warn!(worker = name, %error, "a round of background work failed");
    }
}
