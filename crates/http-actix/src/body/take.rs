//! What handlers take as their bodies.

use std::sync::Arc;

use actix_web::HttpRequest;
use domain::id::ProjectId;
use domain::violation::Violations;

use super::spec::BodySpec;
use super::stream::BodyStream;
use crate::pipeline::app::App;
use crate::problem::Problem;

/// What a handler takes as its body.
pub trait TakesBody: Sized + 'static {
    /// What the table of operations says of it; `None` for an operation without a body.
    fn spec() -> Option<BodySpec>;

    /// Reads the body and makes of it what the handler gets, or leaves reading it to the handler.
    ///
    /// # Errors
    /// A problem if it can't be read; all that is wrong with it if it can.
    fn take(unread: Unread<'_>) -> impl Future<Output = Result<Result<Self, Violations>, Problem>>;
}

/// A body that was not read yet, and what is needed to read it.
pub struct Unread<'a> {
    pub(crate) app: &'a Arc<App>,
    /// Whose body it is.
    pub(crate) project: ProjectId,
    pub(crate) request: &'a HttpRequest,
    pub(crate) stream: BodyStream,
}

/// No body: what comes is not read.
pub struct NoBody;

impl TakesBody for NoBody {
    fn spec() -> Option<BodySpec> {
        None
    }

    async fn take(_: Unread<'_>) -> Result<Result<Self, Violations>, Problem> {
        Ok(Ok(Self))
    }
}
