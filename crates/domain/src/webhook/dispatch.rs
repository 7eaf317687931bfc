//! Has events delivered to webhooks as soon as they can be read.

use std::collections::HashMap;

use super::{StoredWebhook, WebhookService};
use crate::access::Operator;
use crate::error::{DomainError, StorageError};
use crate::event::{ChangedProjects, End, EventFilter};
use crate::id::{JobId, ProjectId};
use crate::unit::Unit;

/// How many new events of a project are looked at one by one. If there are more, all of its webhooks are woken that are
/// behind.
const LOOKED_AT: u32 = 1_000;

/// Up to which number the events of projects with webhooks were looked at.
type LookedAt = HashMap<ProjectId, u64>;

/// Wakes the jobs of webhooks when there are new events for them. One a process is enough; more do no harm.
pub struct WebhookDispatcher {
    service: WebhookService,
    looked_at: LookedAt,
}

impl WebhookService {
    /// Begins to look for events to deliver.
    #[must_use]
    pub fn dispatcher(&self) -> WebhookDispatcher {
        WebhookDispatcher { service: self.clone(), looked_at: LookedAt::new() }
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
        let projects = match changed {
            ChangedProjects::All => None,
            ChangedProjects::These(projects) => Some(projects),
        };
        if projects.is_none() {
            self.looked_at.clear();
        }
        let context = &self.service.context;
        let before = self.looked_at.clone();
        let look = move |unit: &mut Unit<'_>| look(unit, operator, projects.as_deref(), &before);
        let (woken, looked_at) = context.read(None, look).await?;
        if !woken.is_empty() {
            context.write(None, move |unit| unit.wake_jobs(&woken)).await?;
        }
        self.looked_at.extend(looked_at);
        Ok(())
    }
}

/// The jobs to be woken, and up to which number events were looked at for that.
fn look(
    unit: &mut Unit<'_>,
    operator: Operator,
    projects: Option<&[ProjectId]>,
    looked_at: &LookedAt,
) -> Result<(Vec<JobId>, LookedAt), DomainError> {
    let mut by_project = HashMap::<ProjectId, Vec<StoredWebhook>>::new();
    for stored in unit.tx.webhooks_behind(operator, projects)? {
        by_project.entry(stored.webhook.project_id).or_default().push(stored);
    }
    let (mut woken, mut latest) = (Vec::new(), LookedAt::new());
    for (project, mut webhooks) in by_project {
        latest.insert(project, keep_woken(unit, &mut webhooks, looked_at.get(&project))?);
        woken.extend(webhooks.iter().map(|stored| JobId::from_uuid(stored.webhook.id.uuid())));
    }
    Ok((woken, latest))
}

/// Keeps those webhooks of a project for which there is an event after this number; returns the latest number.
fn keep_woken(
    unit: &mut Unit<'_>,
    webhooks: &mut Vec<StoredWebhook>,
    after: Option<&u64>,
) -> Result<u64, StorageError> {
    let Some(scope) = webhooks.first().map(StoredWebhook::scope) else { return Ok(0) };
    let latest = *unit.tx.event_numbers(&scope)?.end();
    let Some(after) = after else { return Ok(latest) };
    let (numbers, all) = (after + 1..=latest, EventFilter::default());
    let events = unit.tx.events(&scope, &all, numbers, End::First, LOOKED_AT)?;
    if events.len() < LOOKED_AT as usize {
        webhooks.retain(|stored| events.iter().any(|new| stored.webhook.wants(&new.event)));
    }
    Ok(latest)
}
