//! What handlers take as their bodies.

use std::sync::Arc;

use actix_web::HttpRequest;
use domain::blob::Sha256;
use domain::id::ProjectId;
use domain::idempotency::IdempotentRequest;
use domain::violation::Violations;

use super::spec::BodySpec;
use super::stream::BodyStream;
use crate::pipeline::app::App;
use crate::problem::Problem;

/// What a handler takes as its body.
pub trait FromBody: Sized + 'static {
    /// What the table of operations says of it; `None` for an operation without a body.
    fn spec() -> Option<BodySpec>;

    /// Reads the body and makes of it what the handler gets, or leaves reading it to the handler.
    ///
    /// # Errors
    /// A problem if it can't be read; all that is wrong with it if it can.
    fn take(unread: UnreadBody) -> impl Future<Output = Result<Result<Self, Violations>, Problem>>;

    /// Reads the body only to know whether it is the same as another one.
    ///
    /// # Errors
    /// A problem if it can't be read.
    fn hash(unread: UnreadBody) -> impl Future<Output = Result<Sha256, Problem>>;
}

/// A body that was not read yet, and what is needed to read it.
pub struct UnreadBody {
    pub(crate) app: Arc<App>,
    /// Whose body it is.
    pub(crate) project: ProjectId,
    pub(crate) request: HttpRequest,
    pub(crate) stream: BodyStream,
    /// The request, if it has a key. It learns what its body was.
    pub(crate) idempotent: Option<Arc<IdempotentRequest>>,
}

/// Says of a request with a key what its body was.
pub(crate) fn record_body(request: Option<&Arc<IdempotentRequest>>, hash: impl FnOnce() -> Sha256) {
    if let Some(request) = request {
        request.set_body(hash());
    }
}

/// No body: what comes is not read.
pub struct NoBody;

impl FromBody for NoBody {
    fn spec() -> Option<BodySpec> {
        None
    }

    async fn take(unread: UnreadBody) -> Result<Result<Self, Violations>, Problem> {
        record_body(unread.idempotent.as_ref(), || Sha256::of(&[]));
        Ok(Ok(Self))
    }

    async fn hash(_: UnreadBody) -> Result<Sha256, Problem> {
        Ok(Sha256::of(&[]))
    }
}
