//! The streams of events that are open, which are bounded apart from requests: they stay open for hours.

use domain::access::Principal;
use domain::id::{ProjectId, TokenId};
use domain::slots::{Slot, Slots};
use metrics::gauge;
use tokio::sync::Notify;

use crate::options::HttpLimits;
use crate::pipeline::observe::EVENT_STREAMS;
use crate::problem::Problem;

/// The streams that are open on this node.
#[derive(Default)]
pub(crate) struct EventStreams {
    all: Slots<()>,
    of_projects: Slots<ProjectId>,
    of_tokens: Slots<TokenId>,
    woken: Notify,
}

/// One stream, until it is dropped.
pub(crate) struct StreamSlot {
    _counted: (Slot<()>, Slot<ProjectId>, Slot<TokenId>),
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        gauge!(EVENT_STREAMS).decrement(1.0);
    }
}

impl EventStreams {
    /// Counts a stream of this token in.
    ///
    /// # Errors
    /// 429 if the token, its project or the node has as many as it may.
    pub(crate) fn begin(
        &self,
        principal: &Principal,
        limits: &HttpLimits,
    ) -> Result<StreamSlot, Problem> {
        let (token, project) = (principal.token_id(), principal.project_id());
        let of_token = self.of_tokens.begin(token, limits.event_streams_per_token);
        let of_token = of_token.ok_or_else(|| Problem::too_many_streams("The token"))?;
        let of_project = self.of_projects.begin(project, limits.event_streams_per_project);
        let of_project = of_project.ok_or_else(|| Problem::too_many_streams("The project"))?;
        let one = self.all.begin((), limits.event_streams);
        let one = one.ok_or_else(|| Problem::too_many_streams("The service"))?;
        gauge!(EVENT_STREAMS).increment(1.0);
        Ok(StreamSlot { _counted: (one, of_project, of_token) })
    }

    /// Resolves when all streams are to look whether they go on.
    pub(crate) async fn woken(&self) {
        self.woken.notified().await;
    }

    /// Has all streams look whether they go on.
    pub(super) fn wake_all(&self) {
        self.woken.notify_waiters();
    }
}
