//! What is done again and again beside requests and jobs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::access::Operator;
use crate::error::DomainError;
use crate::services::Botyard;

/// When a task of the upkeep is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// Once, at the start.
    AtStart,
    /// At the start, and again and again at this interval. A round may be broken off.
    Every(Duration),
    /// The same, and once more at the end, because it writes what is only in memory. No round may be broken off: its
    /// unit of work would go on for a while, and hold the rows that the last round has to write.
    EveryAndAtEnd(Duration),
}

/// A task of the upkeep.
#[derive(Clone)]
pub struct UpkeepTask {
    /// What is done, for logs.
    pub name: &'static str,
    /// When.
    pub schedule: Schedule,
    round: Round,
}

impl UpkeepTask {
    /// Does it once.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails. The next round, if there is one, makes up for it.
    pub async fn run(&self) -> Result<(), DomainError> {
        (self.round.0)().await
    }
}

impl fmt::Debug for UpkeepTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, schedule, round: _ } = self;
        f.debug_struct("UpkeepTask").field("name", name).field("schedule", schedule).finish()
    }
}

/// What a task does each time.
#[derive(Clone)]
struct Round(Arc<dyn Fn() -> BoxFuture<'static, Result<(), DomainError>> + Send + Sync>);

fn round<S, F, T>(service: &S, work: impl Fn(S) -> F + Send + Sync + 'static) -> Round
where
    S: Clone + Send + Sync + 'static,
    F: Future<Output = Result<T, DomainError>> + Send + 'static,
{
    let service = service.clone();
    Round(Arc::new(move || {
        let done = work(service.clone());
        Box::pin(async move { done.await.map(drop) })
    }))
}

impl Round {
    const fn at_start(self, name: &'static str) -> UpkeepTask {
        UpkeepTask { name, schedule: Schedule::AtStart, round: self }
    }

    const fn every(self, interval: Duration, name: &'static str) -> UpkeepTask {
        UpkeepTask { name, schedule: Schedule::Every(interval), round: self }
    }

    const fn every_and_at_end(self, interval: Duration, name: &'static str) -> UpkeepTask {
        UpkeepTask { name, schedule: Schedule::EveryAndAtEnd(interval), round: self }
    }
}

impl Botyard {
    /// The upkeep: what a server does again and again, beside removing bots from the trash
    /// ([`BotService::purge_trash`](crate::bot::BotService::purge_trash)) and waking the jobs of webhooks
    /// ([`WebhookService::dispatcher`](crate::webhook::WebhookService::dispatcher)). Several servers of a database may
    /// do it at once.
    #[must_use]
    pub fn upkeep(&self, operator: Operator) -> Vec<UpkeepTask> {
        let half_a_second = Duration::from_millis(500);
        let [second, five_seconds, minute, hour] = [1, 5, 60, 60 * 60].map(Duration::from_secs);
        let Self { access, bots, changelog, events, idempotency, jobs, keyval, .. } = self;
        vec![
            round(access, move |access| async move { access.flush_uses(operator).await })
                .every_and_at_end(second, "token uses"),
            // Clean-ups allow for two seconds between an access and the moment from which all nodes know of it.
            round(keyval, move |keyval| async move { keyval.flush_accesses(operator).await })
                .every_and_at_end(half_a_second, "accesses"),
            round(changelog, move |log| async move { log.mark_overgrown_for_trim(operator).await })
                .at_start("changelogs that are too long"),
            round(changelog, move |changelog| async move { changelog.trim(operator).await })
                .every(five_seconds, "changelog"),
            round(idempotency, move |of| async move { of.mark_overgrown_for_trim(operator).await })
                .at_start("projects with too many answers"),
            round(idempotency, move |requests| async move { requests.trim(operator).await })
                .every(five_seconds, "answers of projects"),
            round(idempotency, move |requests| async move { requests.remove_old(operator).await })
                .every(minute, "old answers"),
            round(events, move |events| async move { events.mark_all_for_trim(operator).await })
                .every(hour, "projects with old events"),
            round(events, move |events| async move { events.trim(operator).await })
                .every(five_seconds, "old events"),
            round(access, move |access| async move { access.remove_old_tickets(operator).await })
                .every(hour, "old tickets"),
            round(bots, move |bots| async move { bots.remove_unfinished(operator).await })
                .every(second, "unfinished copies and configurations"),
            round(jobs, move |jobs| async move { jobs.bring_forward_repeating(operator).await })
                .every(minute, "repeating jobs"),
        ]
    }
}
