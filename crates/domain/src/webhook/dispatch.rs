//! Has events delivered to webhooks as soon as they can be read.

use std::collections::HashMap;
use std::sync::Arc;

use super::{WaitingWebhook, WebhookService};
use crate::access::Operator;
use crate::error::DomainError;
use crate::event::{ChangedProjects, EventFilter, RangeEnd};
use crate::id::{JobId, ProjectId, WebhookId};
use crate::unit::Unit;

/// How many projects one unit of work looks at.
const PROJECTS_MAX: usize = 100;
/// How many new events it reads. If there are more, all webhooks of the other projects are woken that are behind.
const EVENTS_MAX: u32 = 1_000;
/// How many webhooks one unit of work looks at.
const WEBHOOKS_MAX: u32 = 500;
/// A webhook whose cursor is so many events behind is woken although none of them may be for it, to move its cursor.
const BEHIND_MAX: u64 = 1_000;

/// Wakes the jobs of webhooks when there are new events for them. One a process is enough; more do no harm.
pub struct WebhookDispatcher {
    service: WebhookService,
    /// Up to which number the events of projects with webhooks were read.
    read: HashMap<ProjectId, u64>,
}

/// Projects of which something is new, with the number up to which the events of each were read before.
type LastRead = HashMap<ProjectId, Option<u64>>;

/// Some webhooks that are behind.
struct Behind {
    /// The jobs of those for which there is something new.
    jobs: Vec<JobId>,
    /// The number of the latest event of each project that has webhooks behind it.
    latest: HashMap<ProjectId, u64>,
    /// After which webhook to go on, if there are more.
    next: Option<WebhookId>,
}

impl WebhookService {
    /// Begins to look for events to deliver.
    #[must_use]
    pub fn dispatcher(&self) -> WebhookDispatcher {
        WebhookDispatcher { service: self.clone(), read: HashMap::new() }
    }
}

impl WebhookDispatcher {
    /// Waits until there may be new events, and returns of which projects; of all when it is called first.
    pub async fn changed_projects(&self) -> ChangedProjects {
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
                self.read.clear();
                self.wake(operator, None).await?;
            }
            ChangedProjects::These(projects) => {
                for projects in projects.chunks(PROJECTS_MAX) {
                    let with_read = |project| (project, self.read.get(&project).copied());
                    let changed = projects.iter().copied().map(with_read).collect();
                    let latest = self.wake(operator, Some(changed)).await?;
                    self.read.extend(latest);
                }
            }
        }
        Ok(())
    }

    /// Returns up to which number events were read, of each of these projects that has webhooks behind it.
    async fn wake(
        &self,
        operator: Operator,
        changed: Option<LastRead>,
    ) -> Result<HashMap<ProjectId, u64>, DomainError> {
        let context = &self.service.context;
        let changed = changed.map(Arc::new);
        let (mut after, mut latest) = (None, HashMap::new());
        loop {
            let of = changed.clone();
            let work = move |unit: &mut Unit<'_>| find_behind(unit, operator, of.as_deref(), after);
            let behind = context.read(None, work).await?;
            for (project, number) in behind.latest {
                // The smallest number: events since then were not read for the first webhooks of the project.
                latest.entry(project).or_insert(number);
            }
            let jobs = behind.jobs;
            if !jobs.is_empty() {
                context.write(None, move |unit| unit.wake_jobs(&jobs)).await?;
            }
            after = behind.next;
            if after.is_none() {
                return Ok(latest);
            }
        }
    }
}

/// Finds webhooks that are behind, of these projects or of all. For each of the projects it reads the events that were
/// not read before, and leaves out webhooks that are sent none of them.
fn find_behind(
    unit: &mut Unit<'_>,
    operator: Operator,
    changed: Option<&LastRead>,
    after: Option<WebhookId>,
) -> Result<Behind, DomainError> {
    let projects = changed.map(|changed| changed.keys().copied().collect::<Vec<_>>());
    let behind = unit.tx.webhooks_behind(operator, projects.as_deref(), after, WEBHOOKS_MAX)?;
    let next = behind.last().map(|webhook| webhook.id);
    let next = next.filter(|_| behind.len() >= WEBHOOKS_MAX as usize);
    let mut latest = HashMap::new();
    let Some(changed) = changed else {
        let jobs = behind.iter().map(|webhook| webhook.filter.job()).collect();
        return Ok(Behind { jobs, latest, next });
    };
    let mut of_projects: HashMap<ProjectId, Vec<WaitingWebhook>> = HashMap::new();
    for webhook in behind {
        of_projects.entry(webhook.project_id).or_default().push(webhook);
    }
    let (mut jobs, mut left) = (Vec::new(), EVENTS_MAX);
    for (project, mut behind) in of_projects {
        let Some(scope) = behind.first().map(WaitingWebhook::scope) else { continue };
        let number = *unit.tx.event_numbers(&scope)?.end();
        latest.insert(project, number);
        if let Some(&Some(before)) = changed.get(&project) {
            let (numbers, all) = (before + 1..=number, EventFilter::default());
            let events = unit.tx.events(&scope, &all, numbers, RangeEnd::First, left)?;
            let read = u32::try_from(events.len()).unwrap_or(left);
            if read < left {
                behind.retain(|webhook| {
                    number.saturating_sub(webhook.cursor) >= BEHIND_MAX
                        || events.iter().any(|new| webhook.filter.wants(&new.event))
                });
            }
            left -= read.min(left);
        }
        jobs.extend(behind.iter().map(|webhook| webhook.filter.job()));
    }
    Ok(Behind { jobs, latest, next })
}
