//! What runs beside requests and jobs: written-behind token uses and accesses of key-value entries, trimmed changelogs,
//! stored answers and events, the emptied trash, duplicates that were broken off, jobs that a wrong clock has delayed.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use crate::operator::OPERATOR;
use actix_web::rt;
use domain::{Botyard, DomainError};
use http_actix::AppState;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};

/// How often uses of tokens are written.
const FLUSH_USES: Duration = Duration::from_secs(1);
/// How often accesses of key-value entries are written. Clean-ups allow for two seconds between an
/// access and the moment from which all nodes know of it.
const FLUSH_ACCESSES: Duration = Duration::from_millis(500);

/// The upkeep of one server.
pub struct Upkeep {
    /// Those that may be broken off.
    tasks: Vec<JoinHandle<()>>,
    /// Those that write what is remembered. A round is never broken off: its unit would go on for a while and hold
    /// the rows that the last round has to write.
    flushes: Vec<JoinHandle<()>>,
    stopping: watch::Sender<bool>,
}

impl Upkeep {
    /// Starts them.
    pub fn start(
        botyard: &Botyard,
        state: &Arc<AppState>,
        purge_trash_after: Duration,
        upkeep: impl Fn() + 'static,
    ) -> Self {
        let operator = OPERATOR;
        let (stopping, stop) = watch::channel(false);
        let access = botyard.access.clone();
        let uses = every_until(stop.clone(), FLUSH_USES, "token uses", move || {
            let access = access.clone();
            async move { access.flush_uses(operator).await }
        });
        let keyval = botyard.keyval.clone();
        let accesses = every_until(stop, FLUSH_ACCESSES, "accesses", move || {
            let keyval = keyval.clone();
            async move { keyval.flush_accesses(operator).await }
        });
        let mut tasks = Vec::new();
        let changelog = botyard.changelog.clone();
        tasks.push(rt::spawn({
            let changelog = changelog.clone();
            async move {
                if let Err(error) = changelog.mark_overgrown_for_trim(operator).await {
                    tracing::warn!(%error, "changelogs that are too long could not be looked for");
                }
            }
        }));
        tasks.push(rt::spawn({
            let idempotency = botyard.idempotency.clone();
            async move {
                if let Err(error) = idempotency.mark_overgrown_for_trim(operator).await {
                    tracing::warn!(%error, "projects with too many answers could not be looked for");
                }
            }
        }));
        tasks.push(every(Duration::from_secs(5), "changelog", move || {
            let changelog = changelog.clone();
            async move { changelog.trim(operator).await.map(|_| ()) }
        }));
        let idempotency = botyard.idempotency.clone();
        tasks.push(every(Duration::from_secs(5), "answers of projects", {
            let idempotency = idempotency.clone();
            move || {
                let idempotency = idempotency.clone();
                async move { idempotency.trim(operator).await.map(|_| ()) }
            }
        }));
        tasks.push(every(Duration::from_secs(60), "old answers", move || {
            let idempotency = idempotency.clone();
            async move { idempotency.remove_old(operator).await.map(|_| ()) }
        }));
        let events = botyard.events.clone();
        tasks.push(every(Duration::from_secs(5), "old events", {
            let events = events.clone();
            move || {
                let events = events.clone();
                async move { events.trim(operator).await.map(|_| ()) }
            }
        }));
        tasks.push(every(Duration::from_secs(60 * 60), "projects with old events", move || {
            let events = events.clone();
            async move { events.mark_all_for_trim(operator).await }
        }));
        let access = botyard.access.clone();
        tasks.push(every(Duration::from_secs(60 * 60), "old tickets", move || {
            let access = access.clone();
            async move { access.remove_old_tickets(operator).await.map(|_| ()) }
        }));
        if !purge_trash_after.is_zero() {
            // Often enough that a short time in the trash is kept to, too.
            let pause = purge_trash_after.clamp(Duration::from_secs(1), Duration::from_secs(60));
            let bots = botyard.bots.clone();
            tasks.push(every(pause, "trash", move || {
                let bots = bots.clone();
                async move {
                    let purged = bots.purge_trash(operator, purge_trash_after).await?;
                    if purged > 0 {
                        tracing::info!(purged, "bots were removed from the trash");
                    }
                    Ok(())
                }
            }));
        }
        let bots = botyard.bots.clone();
        tasks.push(every(
            Duration::from_secs(1),
            "unfinished copies and configurations",
            move || {
                let bots = bots.clone();
                async move { bots.remove_unfinished(operator).await }
            },
        ));
        let jobs = botyard.jobs.clone();
        tasks.push(every(Duration::from_secs(60), "repeating jobs", move || {
            let jobs = jobs.clone();
            async move { jobs.bring_forward_repeating(operator).await }
        }));
        let state = state.clone();
        tasks.push(every(Duration::from_secs(10), "upkeep", move || {
            state.tidy();
            upkeep();
            async { Ok(()) }
        }));
        Self { tasks, flushes: vec![uses, accesses], stopping }
    }

    /// Does something else as well, again and again, which may be broken off at any time.
    pub fn add_task<F>(
        &mut self,
        pause: Duration,
        name: &'static str,
        work: impl FnMut() -> F + 'static,
    ) where
        F: Future<Output = Result<(), DomainError>> + 'static,
    {
        self.tasks.push(every(pause, name, work));
    }

    /// Does something else beside them that has no end and may be broken off at any time.
    pub fn beside(&mut self, work: impl Future<Output = ()> + 'static) {
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

/// Runs a piece of work again and again; a failure is logged, and the next round tries again.
fn every<F>(
    pause: Duration,
    name: &'static str,
    mut work: impl FnMut() -> F + 'static,
) -> JoinHandle<()>
where
    F: Future<Output = Result<(), DomainError>>,
{
    rt::spawn(async move {
        let mut ticks = ticks(pause);
        loop {
            ticks.tick().await;
            log_failure(name, work().await);
        }
    })
}

/// The same until `stop` is true, and then once more.
fn every_until<F>(
    mut stop: watch::Receiver<bool>,
    pause: Duration,
    name: &'static str,
    mut work: impl FnMut() -> F + 'static,
) -> JoinHandle<()>
where
    F: Future<Output = Result<(), DomainError>>,
{
    rt::spawn(async move {
        let mut ticks = ticks(pause);
        loop {
            let last = tokio::select! {
                _ = ticks.tick() => false,
                // The sender is gone only when the server is.
                _ = stop.wait_for(|stop| *stop) => true,
            };
            log_failure(name, work().await);
            if last {
                break;
            }
        }
    })
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
