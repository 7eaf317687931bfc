//! What lies beside the API: health, metrics, the API document and its reader.

use std::borrow::Cow;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_web::HttpResponse;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use actix_web::web::Bytes;
use domain::DomainError;
use domain::blob::BlobError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::route::ServiceRoute;
use super::router::PathParams;
use super::state::AppState;
use crate::problem::{Problem, ProblemKind};

/// The reader of the API document is a page with scripts and styles of its own; it loads nothing
/// from elsewhere.
const DOCS_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

impl ServiceRoute {
    pub(crate) async fn answer(
        self,
        state: &AppState,
        path: &PathParams,
    ) -> Result<HttpResponse, Problem> {
        match self {
            Self::Alive => Ok(json(Bytes::from_static(br#"{"status":"alive"}"#))),
            Self::Ready => ready(state).await,
            Self::Metrics => {
                let render = state.app.options.metrics.as_ref().ok_or_else(unknown)?;
                let permit = permit(&state.metrics_texts)?;
                Ok(metrics(Counted { bytes: render().into(), _permit: permit }))
            }
            Self::OpenApi => {
                let permit = permit(&state.documents)?;
                Ok(json(Counted { bytes: state.openapi(), _permit: permit }))
            }
            Self::Root => Ok(to("/docs")),
            Self::Docs => Ok(to("/docs/index.html")),
            Self::DocsFile => docs_file(state, path.get("file").unwrap_or_default()),
        }
    }
}

async fn ready(state: &AppState) -> Result<HttpResponse, Problem> {
    if state.is_going_down() {
        return Err(Problem::new(ProblemKind::NotReady, "The service is going down."));
    }
    state.readiness.make(check(state)).await?;
    Ok(json(Bytes::from_static(br#"{"status":"ready"}"#)))
}

async fn check(state: &AppState) -> Result<(), Problem> {
    let Err(error) = state.app.botyard.check().await else { return Ok(()) };
    // A load balancer turns to other nodes for a while, whatever it is that does not answer.
    if let DomainError::Blob(error @ (BlobError::Failed(_) | BlobError::Missing(_))) = &error {
        tracing::warn!(%error, "the blob store is not ready");
        let detail = "The blob store does not answer.";
        return Err(Problem::new(ProblemKind::NotReady, detail));
    }
    Err(error.into())
}

/// Metrics in Prometheus' text format.
fn metrics(text: Counted) -> HttpResponse {
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    HttpResponse::Ok().insert_header((CONTENT_TYPE, content_type)).body(BoxBody::new(text))
}

/// What is on its way to somebody who may not read it. It counts as one such thing until it was sent.
struct Counted {
    bytes: Bytes,
    _permit: OwnedSemaphorePermit,
}

/// One of the permits for what is on its way at once.
fn permit(permits: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    let detail = "Too many are reading this at the moment.";
    let busy = |_| Problem::new(ProblemKind::Overloaded, detail);
    permits.clone().try_acquire_owned().map_err(busy)
}

impl MessageBody for Counted {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.bytes.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        Pin::new(&mut self.bytes).poll_next(context)
    }
}

fn docs_file(state: &AppState, file: &str) -> Result<HttpResponse, Problem> {
    let found = utoipa_swagger_ui::serve(file, state.swagger.clone())
        .map_err(|error| Problem::internal(error.to_string()))?
        .ok_or_else(unknown)?;
    let bytes = match found.bytes {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    };
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, found.content_type))
        .insert_header((CONTENT_SECURITY_POLICY, DOCS_POLICY))
        .body(BoxBody::new(Counted { bytes, _permit: permit(&state.documents)? })))
}

fn to(path: &'static str) -> HttpResponse {
    HttpResponse::Found().insert_header((LOCATION, path)).finish()
}

fn unknown() -> Problem {
    Problem::new(ProblemKind::UnknownPath, "This path is none of this API's.")
}

fn json(body: impl MessageBody + 'static) -> HttpResponse {
    let content_type = "application/json; charset=utf-8";
    HttpResponse::Ok().insert_header((CONTENT_TYPE, content_type)).body(BoxBody::new(body))
}
