//! Has events delivered to webhooks as soon as they can be read.

use std::collections::HashMap;
use std::sync::Arc;

use super::{WaitingWebhook, WebhookService};
use crate::access::Operator;
use crate::error::DomainError;
use crate::event::{ChangedProjects, End, EventFilter};
use crate::id::{JobId, ProjectId, WebhookId};
use crate::unit::Unit;

/// How many projects one unit of work looks at.
const PROJECTS: usize = 100;
/// How many new events it looks at one by one. If there are more, all webhooks of the other projects are woken that are
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

/// Projects of which something is new, with the number of the event up to which each was looked at before.
type News = HashMap<ProjectId, Option<u64>>;

/// What there is to do for some webhooks.
struct Looked {
    /// Jobs to be woken.
    woken: Vec<JobId>,
    /// The number of the latest event of each project that has webhooks behind it.
    latest: HashMap<ProjectId, u64>,
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
            ChangedProjects::These(projects) => {
                for projects in projects.chunks(PROJECTS) {
                    let looked_at = |project| (project, self.looked_at.get(&project).copied());
                    let news = projects.iter().copied().map(looked_at).collect();
                    let latest = self.wake(operator, Some(news)).await?;
                    self.looked_at.extend(latest);
                }
            }
        }
        Ok(())
    }

    /// Returns the number of the latest event that was looked at, of each of these projects that has webhooks behind it.
    async fn wake(
        &self,
        operator: Operator,
        news: Option<News>,
    ) -> Result<HashMap<ProjectId, u64>, DomainError> {
        let context = &self.service.context;
        let news = news.map(Arc::new);
        let (mut after, mut latest) = (None, HashMap::new());
        loop {
            let of = news.clone();
            let work = move |unit: &mut Unit<'_>| look(unit, operator, of.as_deref(), after);
            let looked = context.read(None, work).await?;
            for (project, number) in looked.latest {
                // What came while webhooks were looked at was not looked at for all of them.
                latest.entry(project).or_insert(number);
            }
            let woken = looked.woken;
            if !woken.is_empty() {
                context.write(None, move |unit| unit.wake_jobs(&woken)).await?;
            }
            after = looked.next;
            if after.is_none() {
                return Ok(latest);
            }
        }
    }
}

/// Looks at some webhooks, and at the events of their projects after the number up to which it was looked before.
fn look(
    unit: &mut Unit<'_>,
    operator: Operator,
    news: Option<&News>,
    after: Option<WebhookId>,
) -> Result<Looked, DomainError> {
    let projects = news.map(|news| news.keys().copied().collect::<Vec<_>>());
    let behind = unit.tx.webhooks_behind(operator, projects.as_deref(), after, WOKEN)?;
    let next = behind.last().map(|webhook| webhook.id);
    let next = next.filter(|_| behind.len() >= WOKEN as usize);
    let mut latest = HashMap::new();
    let Some(news) = news else {
        let woken = behind.iter().map(|webhook| webhook.filter.job()).collect();
        return Ok(Looked { woken, latest, next });
    };
    let mut of_projects: HashMap<ProjectId, Vec<WaitingWebhook>> = HashMap::new();
    for webhook in behind {
        of_projects.entry(webhook.project_id).or_default().push(webhook);
    }
    let (mut woken, mut left) = (Vec::new(), LOOKED_AT);
    for (project, mut behind) in of_projects {
        let Some(scope) = behind.first().map(WaitingWebhook::scope) else { continue };
        let number = *unit.tx.event_numbers(&scope)?.end();
        latest.insert(project, number);
        if let Some(&Some(looked_at)) = news.get(&project) {
            let (numbers, all) = (looked_at + 1..=number, EventFilter::default());
            let events = unit.tx.events(&scope, &all, numbers, End::First, left)?;
            let read = u32::try_from(events.len()).unwrap_or(left);
            if read < left {
                behind.retain(|webhook| {
                    number.saturating_sub(webhook.cursor) >= BEHIND
                        || events.iter().any(|new| webhook.filter.wants(&new.event))
                });
            }
            left -= read.min(left);
        }
        woken.extend(behind.iter().map(|webhook| webhook.filter.job()));
    }
    Ok(Looked { woken, latest, next })
}
