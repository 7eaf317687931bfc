//! Both token schemes and every endpoint of the External Bot Management API, on actix-web.
//!
//! Start at [`table`], the list of every route; each resource's file begins with its own rows. A row is made of its
//! handler's types ([`pipeline::operation`]), and [`pipeline`] is the fixed way of a request to it: token, scope,
//! parent, query and body. There are no rules here and no SQL.

mod api;
mod body;
mod connection;
mod openapi;
mod options;
mod pipeline;
mod problem;
mod reply;
#[cfg(test)]
mod samples;
mod server;
mod table;

pub use body::{BodySize, BodySpec, FileSize, FormExample, FormSpec, JsonSpec};
pub use openapi::document;
pub use options::{HttpLimits, HttpOptions, Pace, RateLimit, RenderMetrics, SocketOptions};
pub use pipeline::operation::{BOT_BASE, Operation, PROJECT_BOT_BASE};
pub use pipeline::preconditions::Preconditions;
pub use pipeline::query::{ParamDoc, ParamForm};
pub use pipeline::state::AppState;
pub use pipeline::target::Parent;
pub use problem::ProblemKind;
pub use reply::ReplyKind;
pub use server::{configure, serve, serve_metrics};
pub use table::operations;
