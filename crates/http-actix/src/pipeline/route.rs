//! What a path leads to.

use std::sync::Arc;

use super::observe::OperationMetrics;
use super::operation::Operation;

/// What a path leads to.
pub(crate) enum Route {
    /// An operation of the API.
    Operation(Box<Operation>, Arc<OperationMetrics>),
    /// Something beside the API: health, metrics, documents.
    Service(ServiceRoute),
}

/// One of the routes beside the API. They take no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceRoute {
    Alive,
    Ready,
    Metrics,
    OpenApi,
    Root,
    Docs,
    DocsFile,
}

impl ServiceRoute {
    /// Their paths; all of them answer to `GET` and `HEAD`.
    pub(crate) const ALL: &'static [(&'static str, Self)] = &[
        ("/healthz", Self::Alive),
        ("/readyz", Self::Ready),
        ("/metrics", Self::Metrics),
        ("/openapi.json", Self::OpenApi),
        ("/", Self::Root),
        ("/docs", Self::Docs),
        ("/docs/", Self::Docs),
        ("/docs/{file}", Self::DocsFile),
    ];

    /// What is served on an address of its own.
    pub(crate) const METRICS: &'static [(&'static str, Self)] = &[("/metrics", Self::Metrics)];
}
