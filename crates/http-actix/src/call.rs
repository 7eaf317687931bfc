//! The way of a request to its handler, written once: token, scope, parent, query and body, in this
//! order (docs/api.md, "Order of checks").

use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use domain::Botyard;
use domain::access::Principal;
use futures_util::StreamExt;

use crate::problem::Problem;
use crate::query::{NoQuery, Query, QueryParams};
use crate::request_body::{self, NoBody, TakesBody};
use crate::router::PathParams;
use crate::state::AppState;
use crate::target::Target;

/// A request whose token and scope were checked, on its way to a handler.
pub struct Incoming {
    pub(crate) state: Arc<AppState>,
    pub(crate) request: HttpRequest,
    pub(crate) payload: Payload,
    pub(crate) path: PathParams,
    pub(crate) principal: Arc<Principal>,
}

/// What a handler gets: everything checked, nothing left to parse.
pub struct Call<A, Q = NoQuery, B = NoBody> {
    /// The services.
    pub botyard: Botyard,
    /// What the operation works on.
    pub on: A,
    /// The query parameters.
    pub query: Q,
    /// The body.
    pub body: B,
    /// Where the request came to.
    pub at: Location,
}

/// The path and query of a request as they came, for links to itself.
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
}

impl Incoming {
    /// Looks the parent up and reads query and body. Nothing of the body is read before the parent
    /// was found; an operation without a body leaves finding it to its own unit of work, unless its
    /// query is wrong, because a caller learns of a wrong query only on what it may reach.
    pub(crate) async fn check<A, Q, B>(self) -> Result<Call<A, Q, B>, Problem>
    where
        A: Target,
        Q: Query,
        B: TakesBody,
    {
        let Self { state, request, mut payload, path, principal } = self;
        let has_body = request_body::is_announced(request.headers());
        let mut params = QueryParams::of(request.query_string());
        let query = Q::read(&mut params);
        let mut faults = params.finish();
        let spec = B::spec();
        let on = match A::claim(&principal, &path) {
            Ok(on) if spec.is_some() || !faults.is_empty() => {
                on.check(&state.botyard).await.map(|()| on)
            }
            claimed => claimed,
        };
        let on = match on {
            Ok(on) => on,
            Err(error) if has_body => return Err(drain(payload, error.into())),
            Err(error) => return Err(error.into()),
        };
        let body = match spec {
            None => B::parse(&[], state.botyard.rules()),
            Some(spec) => {
                let limit = spec.size.bytes(&state.options.limits);
                match request_body::read(request.headers(), &mut payload, limit).await {
                    Ok(bytes) => state.parse(bytes).await?,
                    Err(problem) => return Err(drain(payload, problem)),
                }
            }
        };
        match body {
            Ok(body) if faults.is_empty() => {
                let botyard = state.botyard.clone();
                Ok(Call { botyard, on, query, body, at: Location(request) })
            }
            Ok(_) => Err(faults.into()),
            Err(others) => {
                faults.extend(others);
                Err(faults.into())
            }
        }
    }
}

/// A refusal of a request whose body nobody reads. The connection ends with the answer.
pub(crate) fn drain(payload: Payload, problem: Problem) -> Problem {
    discard(payload);
    problem.with_body_unread()
}

/// Reads on for a little while beside the answer, so that a client that is still sending reads it
/// instead of a reset connection (RFC 9112, section 9.6).
pub(crate) fn discard(mut payload: Payload) {
    const AT_MOST: usize = 1 << 20;
    const AT_LONGEST: Duration = Duration::from_secs(2);

    actix_web::rt::spawn(async move {
        let reading = async {
            let mut seen = 0;
            while let Some(Ok(chunk)) = payload.next().await {
                seen += chunk.len();
                if seen > AT_MOST {
                    break;
                }
            }
        };
        // Running out of time is as good an end as any.
        let _ = tokio::time::timeout(AT_LONGEST, reading).await;
    });
}
