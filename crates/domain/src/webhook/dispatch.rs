//! Has events delivered to webhooks as soon as they can be read.

use std::collections::HashMap;

use super::{WaitingWebhook, WebhookService};
use crate::access::Operator;
use crate::error::DomainError;
use crate::event::{ChangedProjects, End, EventFilter};
use crate::id::{JobId, ProjectId, WebhookId};
use crate::unit::Unit;

/// How many new events of a project are looked at one by one. If there are more, all of its webhooks are woken that are
/// behind.
const LOOKED_AT: u32 = 1_000;
/// How many webhooks one unit of work wakes.
const WOKEN: u32 = 500;
/// How far behind a webhook may be that is sent nothing of what happens. To move its cursor it is woken.
const BEHIND: u64 = 1_000;

/// Wakes the jobs of webhooks when there are new events for them. One a process is enough; more do no harm.
pub struct WebhookDispatcher {
    service: WebhookService,
    /// Up to which number the events of projects with webhooks were looked at.
    looked_at: HashMap<ProjectId, u64>,
}

/// What there is to do for some webhooks.
struct Looked {
    /// Jobs to be woken.
    woken: Vec<JobId>,
    /// The number of the latest event.
    latest: Option<u64>,
    /// After which webhook to go on, if there are more.
    next: Option<WebhookId>,
}

impl WebhookService {
    /// Begins to look for events to deliver.
    #[must_use]
    pub fn dispatcher(&self) -> WebhookDispatcher {
        WebhookDispatcher { service: self.clone(), looked_at: HashMap::new() }
    }
}

impl WebhookDispatcher {
    /// Waits until there may be new events, and returns of which projects; of all when it is called first.
    pub async fn news(&self) -> ChangedProjects {
        self.service.context.store.new_events().changed().await
    }

    /// Wakes those webhooks of these projects for which there is something new. If they are all projects, it wakes all
    /// webhooks that are behind, whatever is new.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails. What was to be woken is then found by a call with all projects.
    pub async fn dispatch(
        &mut self,
        operator: Operator,
        changed: ChangedProjects,
    ) -> Result<(), DomainError> {
        match changed {
            ChangedProjects::All => {
                self.looked_at.clear();
                self.wake(operator, None).await?;
            }
            // One after the other, so that a project with much to look at holds up the others by one unit of work.
            ChangedProjects::These(projects) => {
                for project in projects {
                    if let Some(latest) = self.wake(operator, Some(project)).await? {
                        self.looked_at.insert(project, latest);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the number of the latest event that was looked at, if it is of one project and there is a webhook.
    async fn wake(
        &self,
        operator: Operator,
        project: Option<ProjectId>,
    ) -> Result<Option<u64>, DomainError> {
        let context = &self.service.context;
        let looked_at = project.and_then(|project| self.looked_at.get(&project)).copied();
        let (mut after, mut latest) = (None, None);
        loop {
            let work = move |unit: &mut Unit<'_>| look(unit, operator, (project, after), looked_at);
            let Looked { woken, latest: number, next } = context.read(None, work).await?;
            latest = latest.or(number);
            if !woken.is_empty() {
                context.write(None, move |unit| unit.wake_jobs(&woken)).await?;
            }
            after = next;
            if after.is_none() {
                return Ok(latest);
            }
        }
    }
}

/// Looks at some webhooks, and at the events of their project after the number up to which it was looked before.
fn look(
    unit: &mut Unit<'_>,
    operator: Operator,
    (project, after): (Option<ProjectId>, Option<WebhookId>),
    looked_at: Option<u64>,
) -> Result<Looked, DomainError> {
    let mut behind = unit.tx.webhooks_behind(operator, project, after, WOKEN)?;
    let last = behind.last().map(|webhook| webhook.id);
    let next = last.filter(|_| behind.len() >= WOKEN as usize);
    let mut latest = None;
    if let (Some(_), Some(scope)) = (project, behind.first().map(WaitingWebhook::scope)) {
        let number = *unit.tx.event_numbers(&scope)?.end();
        latest = Some(number);
        if let Some(looked_at) = looked_at {
            let (numbers, all) = (looked_at + 1..=number, EventFilter::default());
            let events = unit.tx.events(&scope, &all, numbers, End::First, LOOKED_AT)?;
            if events.len() < LOOKED_AT as usize {
                behind.retain(|webhook| {
                    number.saturating_sub(webhook.cursor) >= BEHIND
                        || events.iter().any(|new| webhook.filter.wants(&new.event))
                });
            }
        }
    }
    let woken = behind.iter().map(|webhook| webhook.filter.job()).collect();
    Ok(Looked { woken, latest, next })
}
