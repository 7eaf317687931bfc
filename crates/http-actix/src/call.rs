//! The way of a request to its handler, written once: token, scope, parent, query and body, in this
//! order (docs/api.md, "Order of checks").

use std::sync::Arc;

use actix_web::HttpRequest;
use domain::Botyard;
use domain::access::Principal;

use crate::body_stream::BodyStream;
use crate::problem::Problem;
use crate::query::{NoQuery, Query, QueryParams};
use crate::request_body::{NoBody, TakesBody, Unread};
use crate::router::PathParams;
use crate::state::AppState;
use crate::target::Target;

/// A request whose token and scope were checked, on its way to a handler.
pub struct Incoming {
    pub(crate) state: Arc<AppState>,
    pub(crate) request: HttpRequest,
    pub(crate) body: BodyStream,
    pub(crate) path: PathParams,
    pub(crate) principal: Arc<Principal>,
}

/// What a handler gets: everything checked, nothing left to parse.
pub struct Call<A, Q = NoQuery, B = NoBody> {
    /// What all requests share.
    pub state: Arc<AppState>,
    /// The services.
    pub botyard: Arc<Botyard>,
    /// What the operation works on.
    pub on: A,
    /// The query parameters.
    pub query: Q,
    /// The body: read and checked, or a form that the handler reads.
    pub body: B,
    /// Where the request came to.
    pub at: Location,
}

/// The head of a request: path and query as they came, for links to itself, and the headers that say
/// which part of a file is wanted.
#[derive(Debug, Clone)]
pub struct Location(HttpRequest);

impl Location {
    #[cfg(test)]
    pub(crate) fn of(request: HttpRequest) -> Self {
        Self(request)
    }

    /// The path, not decoded.
    #[must_use]
    pub fn path(&self) -> &str {
        self.0.uri().path()
    }

    /// The query string, not decoded.
    #[must_use]
    pub fn query(&self) -> &str {
        self.0.query_string()
    }

    /// The whole head.
    #[must_use]
    pub const fn request(&self) -> &HttpRequest {
        &self.0
    }
}

impl Incoming {
    /// Looks the parent up and reads query and body. Nothing of the body is read before the parent
    /// was found; an operation without a body leaves finding it to its own unit of work, unless its
    /// path or its query is wrong, because a caller learns of faults only on what it may reach.
    pub(crate) async fn check<A, Q, B>(self) -> Result<Call<A, Q, B>, Problem>
    where
        A: Target,
        Q: Query,
        B: TakesBody,
    {
        let Self { state, request, body, path, principal } = self;
        let mut params = QueryParams::of(request.query_string());
        let on = A::claim(&principal, &path)?;
        on.allow(request.method(), &params)?;
        let query = Q::read(&mut params);
        let mut faults = on.faults();
        faults.extend(params.finish());
        if B::spec().is_some() || !faults.is_empty() {
            on.check(&state.botyard).await?;
        }
        let unread = Unread { state: &state, request: &request, stream: body };
        match B::take(unread).await? {
            Ok(body) if faults.is_empty() => {
                let botyard = state.botyard.clone();
                Ok(Call { state, botyard, on, query, body, at: Location(request) })
            }
            Ok(_) => Err(faults.into()),
            Err(others) => {
                faults.extend(others);
                Err(faults.into())
            }
        }
    }
}
