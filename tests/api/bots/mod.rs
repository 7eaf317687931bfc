//! `/api/external/bot` and `/api/external/projectapi/bots`.

mod config;
mod create;
mod delete;
mod limits;
mod list;
mod read;
mod violations;

/// Where the bots of a project are.
pub const BOTS: &str = "/api/external/projectapi/bots";
