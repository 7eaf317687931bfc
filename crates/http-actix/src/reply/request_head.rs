//! The head of a request, for what is answered.

use actix_web::HttpRequest;

/// The head of a request: path and query as they came, for links to itself, and the headers that say
/// which part of a file is wanted.
#[derive(Debug, Clone)]
pub struct RequestHead(HttpRequest);

impl RequestHead {
    pub(crate) const fn of(request: HttpRequest) -> Self {
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
