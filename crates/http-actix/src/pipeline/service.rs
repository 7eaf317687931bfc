//! What lies beside the API: health, metrics, the API document and its reader.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use domain::DomainError;
use domain::blob::BlobError;

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
            Self::Alive => Ok(json(r#"{"status":"alive"}"#.to_owned())),
            Self::Ready => ready(state).await,
            Self::Metrics => {
                let render = state.app.options.metrics.as_ref().ok_or_else(unknown)?;
                Ok(metrics(render()))
            }
            Self::OpenApi => Ok(json(state.openapi().to_owned())),
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
    if let Err(error) = state.app.botyard.check().await {
        // A load balancer turns to other nodes for a while, whatever it is that does not answer.
        if let DomainError::Blob(error @ (BlobError::Failed(_) | BlobError::Missing(_))) = &error {
            tracing::warn!(%error, "the blob store is not ready");
            let detail = "The place of the blobs does not answer.";
            return Err(Problem::new(ProblemKind::NotReady, detail));
        }
        return Err(error.into());
    }
    Ok(json(r#"{"status":"ready"}"#.to_owned()))
}

/// Metrics in Prometheus' text format.
fn metrics(text: String) -> HttpResponse {
    let content_type = "text/plain; version=0.0.4; charset=utf-8";
    HttpResponse::Ok().insert_header((CONTENT_TYPE, content_type)).body(text)
}

fn docs_file(state: &AppState, file: &str) -> Result<HttpResponse, Problem> {
    let found = utoipa_swagger_ui::serve(file, state.swagger.clone())
        .map_err(|error| Problem::internal(error.to_string()))?
        .ok_or_else(unknown)?;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, found.content_type))
        .insert_header((CONTENT_SECURITY_POLICY, DOCS_POLICY))
        .body(found.bytes.into_owned()))
}

fn to(path: &'static str) -> HttpResponse {
    HttpResponse::Found().insert_header((LOCATION, path)).finish()
}

fn unknown() -> Problem {
    Problem::new(ProblemKind::UnknownPath, "This path is none of this API's.")
}

fn json(body: String) -> HttpResponse {
    let content_type = "application/json; charset=utf-8";
    HttpResponse::Ok().insert_header((CONTENT_TYPE, content_type)).body(body)
}
