//! The fixed way of a request: [`dispatch`] finds the operation, checks token, rate and scope;
//! [`call`] checks parent, query and body; the handler answers.

mod active_projects;
mod answer_body;
pub(crate) mod app;
mod block_turn;
pub(crate) mod call;
pub(crate) mod claim;
pub(crate) mod dispatch;
pub(crate) mod event_streams;
pub(crate) mod handler;
pub(crate) mod idempotency;
pub(crate) mod large_answer;
mod misplaced_token;
pub(crate) mod observe;
pub(crate) mod operation;
pub(crate) mod path_param;
pub(crate) mod preconditions;
mod principals;
pub(crate) mod query;
mod rate;
pub(crate) mod route;
pub(crate) mod router;
pub(crate) mod scopes;
mod service;
mod shared_check;
pub(crate) mod state;
pub(crate) mod target;
#[cfg(test)]
mod tests;
pub(crate) mod ticket;
mod token_look_ups;
pub(crate) mod trace;
mod whole_lists;
