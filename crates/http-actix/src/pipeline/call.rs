//! The way of a request to its handler, written once: token, scope, parent, query and body, in this
//! order (docs/api.md, "Order of checks").

use std::sync::Arc;

use actix_web::HttpRequest;
use domain::Botyard;
use domain::access::Principal;
use domain::idempotency::IdempotentRequest;

use super::app::App;
use crate::body::stream::BodyStream;
use crate::body::take::{FromBody, NoBody, UnreadBody};
use crate::pipeline::preconditions::Preconditions;
use crate::pipeline::query::{NoQuery, Query, QueryParams};
use crate::pipeline::router::PathParams;
use crate::pipeline::target::Target;
use crate::problem::Problem;
use crate::reply::RequestHead;

/// A request whose token and scope were checked, on its way to a handler.
pub struct Incoming {
    pub(crate) app: Arc<App>,
    pub(crate) request: HttpRequest,
    pub(crate) body: BodyStream,
    pub(crate) path: PathParams,
    pub(crate) principal: Arc<Principal>,
    pub(crate) preconditions: Preconditions,
    pub(crate) awaits_extraction: bool,
}

/// What a handler gets: everything checked, nothing left to parse.
pub struct Call<A, Q = NoQuery, B = NoBody> {
    /// What all handlers share.
    pub app: Arc<App>,
    /// The services.
    pub botyard: Arc<Botyard>,
    /// What the operation works on.
    pub target: A,
    /// The query parameters.
    pub query: Q,
    /// The body: read and checked, or a form that the handler reads.
    pub body: B,
    /// Where the request came to.
    pub head: RequestHead,
}

impl Incoming {
    /// Its body, not read yet.
    pub(crate) fn unread(&self, idempotent: Option<Arc<IdempotentRequest>>) -> UnreadBody {
        let Self { app, request, body, principal, .. } = self;
        let (app, request, stream) = (app.clone(), request.clone(), body.clone());
        UnreadBody { app, project: principal.project_id(), request, stream, idempotent }
    }

    /// Looks the parent up and reads query and body. Nothing of the body is read before the parent
    /// was found; an operation without a body leaves finding it to its own unit of work, unless its
    /// path or its query is wrong, because violations are reported only on what the caller may reach.
    pub(crate) async fn into_call<A, Q, B>(
        self,
        idempotent: Option<Arc<IdempotentRequest>>,
    ) -> Result<Call<A, Q, B>, Problem>
    where
        A: Target,
        Q: Query,
        B: FromBody,
    {
        let unread = self.unread(idempotent.clone());
        let Self { app, request, path, principal, preconditions, .. } = self;
        let mut params = QueryParams::of(request.query_string());
        let target = A::claim(&principal, &path)?;
        target.allow(request.method(), &params)?;
        let query = Q::read(&mut params);
        let mut violations = target.violations();
        violations.extend(params.finish());
        let precondition = preconditions.read(request.method(), request.headers());
        if B::spec().is_some() || !violations.is_empty() || precondition.is_err() {
            target.check(&app.botyard).await?;
        }
        let target = match precondition? {
            Some(precondition) => target.only_if(precondition),
            None => target,
        };
        let target = match idempotent {
            Some(idempotent) => target.once(idempotent),
            None => target,
        };
        match B::take(unread).await? {
            Ok(body) if violations.is_empty() => {
                let botyard = app.botyard.clone();
                let head = RequestHead::of(request);
                Ok(Call { app, botyard, target, query, body, head })
            }
            Ok(_) => Err(violations.into()),
            Err(others) => {
                violations.extend(others);
                Err(violations.into())
            }
        }
    }
}
