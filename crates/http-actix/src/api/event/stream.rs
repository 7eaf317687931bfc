//! What happens, as it happens: `projectapi/events/stream` and `bot/events/stream`.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use actix_web::http::Method;
use actix_web::http::header::HeaderMap;
use bytes::Bytes;
use domain::Botyard;
use domain::access::{OwnerClaim, Principal, Scheme};
use domain::error::DomainError;
use domain::event::{EventFilter, EventFollower, EventsFrom, Followed, NumberedEvent, SharedEvent};
use domain::violation::Violations;
use futures_util::stream;
use tokio::time::{Instant, sleep_until};

use super::{EventView, OfProject, Selection, from_cursor};
use crate::pipeline::app::App;
use crate::pipeline::call::Call;
use crate::pipeline::event_streams::StreamSlot;
use crate::pipeline::handler::reads;
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::query::{Query, QueryParams};
use crate::pipeline::scopes::EventsRead;
use crate::pipeline::target::{OnBot, OnProject, WithPrincipal};
use crate::pipeline::ticket;
use crate::problem::Problem;
use crate::reply::EventStream;

/// The cursor of the last event that a client has had, which browsers send when they connect again.
const LAST_EVENT_ID: &str = "last-event-id";
/// How many milliseconds a client waits until it connects again.
const RETRY: &str = "retry: 2000\n";
/// How long nothing is sent at most. Proxies close connections on which nothing moves.
const SILENCE: Duration = Duration::from_secs(15);
/// The shortest time between two pieces while not more happens than they hold. Where much happens, each has many
/// events, and most of the work is for a piece and not for an event.
const PACE: Duration = Duration::from_millis(50);
/// How often a stream looks whether its token is still valid.
const LOOK: Duration = Duration::from_secs(1);

/// The operations that stream events.
pub(super) fn operations() -> [Operation; 2] {
    [
        operation(
            Scheme::Bot,
            Method::GET,
            "/api/external/bot/events/stream",
            ("streamEventsOfBot", "Sends what happens to the bot, as it happens"),
            reads(stream_of_bot),
        )
        .takes_ticket(),
        operation(
            Scheme::Project,
            Method::GET,
            "/api/external/projectapi/events/stream",
            ("streamEvents", "Sends what happens in the project, as it happens"),
            reads(stream_of_project),
        )
        .takes_ticket(),
    ]
}

/// Which events are sent.
struct StreamQuery(Selection);

impl Query for StreamQuery {
    fn read(params: &mut QueryParams) -> Self {
        let after = "Only events after this cursor; 0 begins with the oldest. Without it, and without \
                     `Last-Event-ID`, which goes before it, what happens from now on.";
        let selection = Selection::read(params, after);
        ticket::check(params);
        Self(selection)
    }
}

async fn stream_of_project(
    call: Call<WithPrincipal<OnProject<EventsRead>>, OfProject<StreamQuery>>,
) -> Result<EventStream, Problem> {
    let OfProject { query: StreamQuery(Selection { types, from }), bot_id } = call.query;
    let WithPrincipal { target, principal } = call.target;
    let filter = EventFilter { types, bot_id };
    open(call.app, (principal, target.claim), filter, (from, call.head.request().headers())).await
}

async fn stream_of_bot(
    call: Call<WithPrincipal<OnBot<EventsRead>>, StreamQuery>,
) -> Result<EventStream, Problem> {
    let StreamQuery(Selection { types, from }) = call.query;
    let WithPrincipal { target, principal } = call.target;
    let filter = EventFilter { types, bot_id: None };
    open(call.app, (principal, target.claim), filter, (from, call.head.request().headers())).await
}

async fn open(
    app: Arc<App>,
    (principal, claim): (Arc<Principal>, impl Into<OwnerClaim>),
    filter: EventFilter,
    (from, headers): (Option<EventsFrom>, &HeaderMap),
) -> Result<EventStream, Problem> {
    let claim = claim.into();
    let last = match last_event(headers) {
        Ok(last) => last,
        // Violations are reported only on what the caller may reach.
        Err(violations) => {
            app.botyard.events.check_followed(&claim).await?;
            return Err(violations.into());
        }
    };
    let from = last.or(from).unwrap_or(EventsFrom::Latest);
    let slot = app.event_streams.begin(&principal, &app.options.limits)?;
    let follower = app.botyard.events.follow(claim.clone(), filter, from).await?;
    let bearer = Bearer { app, principal, claim, version: None };
    let open =
        OpenStream { bearer, follower, silent_since: None, collects_until: None, _slot: slot };
    Ok(EventStream::of(stream::unfold(open, OpenStream::next)))
}

/// Where a client goes on that was connected before.
fn last_event(headers: &HeaderMap) -> Result<Option<EventsFrom>, DomainError> {
    let Some(value) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    match value.to_str().ok().and_then(from_cursor) {
        Some(from) => Ok(Some(from)),
        None => {
            let mut violations = Violations::none();
            let detail = "The header `Last-Event-ID` is not a cursor of events.";
            violations.query("Last-Event-ID", detail);
            Err(violations.into())
        }
    }
}

/// A stream that is open.
struct OpenStream {
    bearer: Bearer,
    follower: EventFollower,
    /// When something was sent last.
    silent_since: Option<Instant>,
    /// Until when events are collected, after all that there were have been sent.
    collects_until: Option<Instant>,
    _slot: StreamSlot,
}

impl OpenStream {
    /// The next piece; `None` if the stream has ended.
    async fn next(mut self) -> Option<(Bytes, Self)> {
        let Some(since) = self.silent_since else {
            // With the cursor, a client that loses its connection before the first event misses nothing.
            let beginning = format!("{RETRY}id: {}\n\n", self.follower.cursor());
            return Some(self.piece(beginning.into()));
        };
        let silence_ends = since + SILENCE;
        if let Some(until) = self.collects_until.take() {
            sleep_until(until).await;
        }
        loop {
            let followed = match self.read().await? {
                Ok(followed) => followed,
                // The client connects again, and is answered what is wrong.
                Err(error) => {
                    tracing::debug!("a stream of events ends: {error}");
                    return None;
                }
            };
            if !self.bearer.may_go_on().await {
                return None;
            }
            if !followed.events.is_empty() {
                self.collects_until = (!followed.has_more).then(|| Instant::now() + PACE);
                return Some(self.piece(frames(&followed.events)));
            }
            if Instant::now() >= silence_ends {
                // A cursor without data moves `Last-Event-ID` on, past events that were not asked for.
                let piece = format!(":\nid: {}\n\n", self.follower.cursor());
                return Some(self.piece(piece.into()));
            }
            if followed.has_more {
                continue;
            }
            tokio::select! {
                () = self.follower.changed() => {}
                () = self.bearer.app.event_streams.woken() => {}
                () = sleep_until(silence_ends.min(Instant::now() + LOOK)) => {}
            }
        }
    }

    /// Reads on, as long as the bearer may; `None` if not.
    async fn read(&mut self) -> Option<Result<Followed, DomainError>> {
        let botyard = self.bearer.app.botyard.clone();
        // On its own, so that an idle stream does not keep room for it.
        let mut reading = Box::pin(botyard.events.next(&mut self.follower));
        loop {
            if !self.bearer.may_go_on().await {
                return None;
            }
            tokio::select! {
                biased;
                followed = &mut reading => return Some(followed),
                () = self.bearer.app.event_streams.woken() => {}
                () = sleep_until(Instant::now() + LOOK) => {}
            }
        }
    }

    fn piece(mut self, piece: Bytes) -> (Bytes, Self) {
        self.silent_since = Some(Instant::now());
        (piece, self)
    }
}

/// Who has opened a stream.
struct Bearer {
    app: Arc<App>,
    principal: Arc<Principal>,
    claim: OwnerClaim,
    /// The version of access under which the token was found to be valid.
    version: Option<u64>,
}

impl Bearer {
    /// Whether the token is still valid, what it follows still there, and the server not going down. It is looked up
    /// when something has changed on which that depends, and each time while that can't be known. As long as the
    /// database does not say so, it is waited for: nothing may be sent, and the client could do no better elsewhere.
    async fn may_go_on(&mut self) -> bool {
        let Botyard { access, events, .. } = &*self.app.botyard;
        loop {
            if self.app.is_going_down() || !access.has_not_expired(&self.principal) {
                return false;
            }
            if access.is_unchanged(self.principal.project_id(), self.version) {
                return true;
            }
            let version = access.version();
            let looked_up = Box::pin(async {
                access.check(&self.principal).await?;
                events.check_followed(&self.claim).await
            });
            match looked_up.await {
                Ok(()) => {
                    self.version = version;
                    return true;
                }
                Err(DomainError::Storage(_)) => {}
                Err(_) => return false,
            }
            tokio::select! {
                () = self.app.event_streams.woken() => {}
                () = sleep_until(Instant::now() + LOOK) => {}
            }
        }
    }
}

/// Events as they are sent.
fn frames(events: &[Arc<SharedEvent>]) -> Bytes {
    let frames: Vec<_> = events.iter().map(|event| event.rendered(frame)).collect();
    frames.concat().into()
}

/// One event as it is sent.
fn frame(numbered: &NumberedEvent) -> Vec<u8> {
    let mut frame = String::new();
    let event_type = numbered.event.event_type.as_str();
    // Writing to a text and writing JSON of such a value can't fail.
    let _ = write!(frame, "id: {}\nevent: {event_type}\ndata: ", numbered.number);
    let mut frame = frame.into_bytes();
    let written = serde_json::to_writer(&mut frame, &EventView::from(numbered.clone()));
    debug_assert!(written.is_ok());
    frame.extend_from_slice(b"\n\n");
    frame
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn a_client_goes_on_where_it_was() {
        let of = |value: &[u8]| {
            let mut headers = HeaderMap::new();
            let value = HeaderValue::from_bytes(value).unwrap();
            headers.insert(HeaderName::from_static(LAST_EVENT_ID), value);
            last_event(&headers)
        };
        assert_eq!(last_event(&HeaderMap::new()), Ok(None));
        assert_eq!(of(b"0"), Ok(Some(EventsFrom::Oldest)));
        assert_eq!(of(b"7"), Ok(Some(EventsFrom::After(7))));
        for bad in [&b""[..], b"x", b"-1", b"\xff"] {
            assert!(matches!(of(bad), Err(DomainError::Invalid(_))), "{bad:?}");
        }
    }
}
