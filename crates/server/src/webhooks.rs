//! Has events delivered to webhooks.

use std::time::Duration;

use domain::event::ChangedProjects;
use domain::webhook::WebhookService;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::operator::OPERATOR;

/// How long new events are collected before it is looked for whom they are: many come at once.
const COLLECTED: Duration = Duration::from_millis(20);
/// After what time all webhooks that are behind are woken, whatever is new.
const WAKE_ALL: Duration = Duration::from_secs(60);
/// How long it is waited after the database has failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Wakes the jobs of webhooks whenever there is something new for them, without an end.
pub async fn dispatch(webhooks: WebhookService) {
    let mut dispatcher = webhooks.dispatcher();
    let mut all = interval(WAKE_ALL);
    all.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let changed = tokio::select! {
            changed = dispatcher.changed_projects() => changed,
            _ = all.tick() => ChangedProjects::All,
        };
        sleep(COLLECTED).await;
        let mut dispatched = dispatcher.dispatch(OPERATOR, changed).await;
        while let Err(error) = dispatched {
            tracing::warn!(%error, "webhooks can't be notified of new events");
            sleep(PAUSE).await;
            dispatched = dispatcher.dispatch(OPERATOR, ChangedProjects::All).await;
        }
    }
}
