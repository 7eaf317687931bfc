//! What runs beside requests and jobs: written-behind token uses and accesses of key-value entries, trimmed
//! changelogs, the emptied trash, duplicates that were broken off, jobs that a wrong clock has put off.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use crate::operator::OPERATOR;
use actix_web::rt;
use domain::access::Operator;
use domain::{Botyard, DomainError};
use http_actix::AppState;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

/// How often accesses of key-value entries are written. Clean-ups allow for two seconds between an
/// access and the moment from which all nodes know of it.
const FLUSH_ACCESSES: Duration = Duration::from_millis(500);

/// The upkeep of one server.
pub struct Upkeep {
    tasks: Vec<JoinHandle<()>>,
    botyard: Botyard,
    operator: Operator,
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
        let mut tasks = Vec::new();
        let access = botyard.access.clone();
        tasks.push(every(Duration::from_secs(1), "token uses", move || {
            let access = access.clone();
            async move { access.flush_uses(operator).await }
        }));
        let keyval = botyard.keyval.clone();
        tasks.push(every(FLUSH_ACCESSES, "accesses", move || {
            let keyval = keyval.clone();
            async move { keyval.flush_accesses(operator).await }
        }));
        let changelog = botyard.changelog.clone();
        tasks.push(rt::spawn({
            let changelog = changelog.clone();
            async move {
                if let Err(error) = changelog.find_overgrown(operator).await {
                    tracing::warn!(%error, "changelogs that are too long could not be looked for");
                }
            }
        }));
        tasks.push(every(Duration::from_secs(5), "changelog", move || {
            let changelog = changelog.clone();
            async move { changelog.trim(operator).await.map(|_| ()) }
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
        tasks.push(every(Duration::from_secs(1), "unfinished copies", move || {
            let bots = bots.clone();
            async move { bots.remove_unfinished_copies(operator).await }
        }));
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
        Self { tasks, botyard: botyard.clone(), operator }
    }

    /// Stops them and writes what they had still to write.
    pub async fn stop(self) {
        for task in self.tasks {
            task.abort();
            // Whatever it was about to write is left to the lines below once it is gone.
            drop(task.await);
        }
        if let Err(error) = self.botyard.access.flush_uses(self.operator).await {
            tracing::warn!(%error, "the latest uses of tokens could not be written");
        }
        if let Err(error) = self.botyard.keyval.flush_accesses(self.operator).await {
            tracing::warn!(%error, "the latest accesses of key-value entries could not be written");
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
        let mut ticks = interval(pause);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = work().await {
                tracing::warn!(worker = name, %error, "a round of background work failed");
            }
        }
    })
}
