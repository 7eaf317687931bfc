//! Both token schemes and every endpoint of the External Bot Management API, on actix-web.
//!
//! Start at [`table`], the list of every route; each resource's file begins with its own rows. A row
//! is made of its handler's types ([`operation`]), and [`dispatch`] and [`call`] are the fixed way of
//! a request to it: token, scope, parent, query and body. There are no rules here and no SQL.

mod body_stream;
mod bot;
mod call;
mod changelog;
mod checkauth;
mod dispatch;
mod document;
mod embedding;
#[cfg(test)]
mod faults;
mod feedback;
mod form;
mod fusion;
mod keyval;
mod max_age;
mod observe;
mod openapi;
mod operation;
mod options;
mod principals;
mod problem;
mod query;
mod rate;
mod reply;
mod request_body;
mod router;
mod schema;
mod scopes;
mod server;
mod service;
mod skill;
mod stage;
mod state;
mod supervisor;
mod table;
mod target;
mod usage;
mod user;

pub use form::{FileSize, FormExample, FormSpec};
pub use openapi::document;
pub use operation::{BOT_BASE, Operation, PROJECT_BOT_BASE};
pub use options::{HttpLimits, HttpOptions, RateLimit, RenderMetrics};
pub use problem::ProblemKind;
pub use query::{ParamDoc, ParamForm};
pub use reply::ReplyKind;
pub use request_body::{BodySize, BodySpec, JsonSpec};
pub use server::{SocketOptions, configure, serve, serve_metrics};
pub use state::AppState;
pub use table::operations;
pub use target::Parent;
