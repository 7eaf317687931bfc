//! Readers that go on from event to event.

use std::sync::Arc;

use event_listener::EventListener;

use super::service::{check_bot, check_kept, find_after};
use super::tail::{SharedEvent, SharedTail, Tail};
use super::{EventFilter, EventPage, EventService, EventsFrom};
use crate::access::OwnerClaim;
use crate::error::DomainError;
use crate::unit::ProjectUnit;

/// How many events are read at once. Those who follow a project share so many in memory.
const READ_AT_ONCE: u32 = 100;

/// A reader with its position among the events of a project; see [`EventService::follow`].
pub struct EventFollower {
    claim: OwnerClaim,
    /// What it gets; of a bot's events the bot is in it.
    filter: EventFilter,
    after: u64,
    tail: SharedTail,
    /// Notified when there is something that the last read did not see; nothing once it was.
    listener: Option<EventListener>,
}

impl EventFollower {
    /// The number up to which it has had all events that match.
    #[must_use]
    pub const fn cursor(&self) -> u64 {
        self.after
    }

    /// Waits until there may be events that [`EventService::next`] has not seen, which need not be of those that match.
    /// It can be given up and begun again at any time.
    pub async fn changed(&mut self) {
        if let Some(listener) = &mut self.listener {
            listener.await;
        }
        self.listener = None;
    }
}

/// What a follower gets at once.
#[derive(Debug, Default)]
pub struct Followed {
    /// Events that match, oldest first.
    pub events: Vec<Arc<SharedEvent>>,
    /// Whether there is more already, which may not match.
    pub has_more: bool,
}

impl EventService {
    /// Begins to follow the events of a project, or those with a bot, that match: from there on, or from now on.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the bot is not there, [`DomainError::Invalid`] if the project never
    /// had the bot that the filter names, [`DomainError::CursorExpired`] if not all events from there on are kept.
    pub async fn follow(
        &self,
        claim: impl Into<OwnerClaim>,
        filter: EventFilter,
        from: EventsFrom,
    ) -> Result<EventFollower, DomainError> {
        let claim = claim.into();
        let project = claim.project_id();
        let (listener, _) = self.context.store.new_events().listen(project);
        let (filter, after) = match &claim {
            OwnerClaim::Project(claim) => {
                let begin = move |unit: &mut ProjectUnit<'_>| {
                    check_bot(unit, filter)?;
                    start_number(unit, from)
                };
                (filter, self.context.read_claimed(claim, begin).await?)
            }
            OwnerClaim::Bot(claim) => {
                let begin = self
                    .context
                    .read_claimed(claim, move |unit| start_number(&mut unit.of_project(), from));
                (EventFilter { bot_id: Some(claim.bot_id()), ..filter }, begin.await?)
            }
        };
        Ok(EventFollower {
            claim,
            filter,
            after,
            tail: self.context.event_tails.of(project),
            listener: Some(listener),
        })
    }

    /// The next events of a follower. If there is nothing more, [`EventFollower::changed`] says when to ask again.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there any more, [`DomainError::CursorExpired`] if the follower
    /// was so slow that events went which it has not had.
    pub async fn next(&self, follower: &mut EventFollower) -> Result<Followed, DomainError> {
        // Listened before anything is read, so that nothing is missed between the two.
        let (listener, version) =
            self.context.store.new_events().listen(follower.claim.project_id());
        follower.listener = Some(listener);
        let mut tail = follower.tail.lock().await;
        if tail.starts_after(follower.after) {
            drop(tail);
            return self.catch_up(follower).await;
        }
        let now = self.context.clock.now();
        if tail.is_latest(follower.after, version, now) {
            return Ok(Followed::default());
        }
        if tail.read_through <= follower.after || tail.read_at.is_none() {
            let part = self.read_on(follower, EventFilter::default()).await?;
            *tail = Tail::of(part, follower.after, (version, now));
        }
        let events = tail.after(follower.after, &follower.filter);
        follower.after = tail.read_through;
        Ok(Followed { events, has_more: tail.has_more })
    }

    /// The next events of a follower that is behind others.
    async fn catch_up(&self, follower: &mut EventFollower) -> Result<Followed, DomainError> {
        let EventPage { events, read_through, has_more } =
            self.read_on(follower, follower.filter).await?;
        follower.after = read_through;
        let events = events.into_iter().map(SharedEvent::new).map(Arc::new).collect();
        Ok(Followed { events, has_more })
    }

    /// Looks at some events behind those that a follower has had, in one unit of work.
    async fn read_on(
        &self,
        follower: &EventFollower,
        filter: EventFilter,
    ) -> Result<EventPage, DomainError> {
        let after = follower.after;
        let read = move |unit: &mut ProjectUnit<'_>| find_after(unit, filter, after, READ_AT_ONCE);
        self.context.read_claimed(&follower.claim.project(), read).await
    }

    /// Checks that what is followed is still there.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not.
    pub async fn check_followed(&self, claim: &OwnerClaim) -> Result<(), DomainError> {
        self.context.check_claimed(claim).await
    }
}

/// After which number a follower begins.
fn start_number(unit: &mut ProjectUnit<'_>, from: EventsFrom) -> Result<u64, DomainError> {
    let (oldest, latest) = unit.tx.event_numbers(&unit.scope)?.into_inner();
    match from {
        EventsFrom::Oldest => Ok(oldest - 1),
        EventsFrom::Latest => Ok(latest),
        EventsFrom::After(number) => {
            check_kept(number, &(oldest..=latest))?;
            Ok(number)
        }
    }
}
