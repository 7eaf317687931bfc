//! One file for each concept: its row, and the queries of its repository.
//!
//! A query is written once, in `on_db!`, which compiles it for each database. It is written twice, in a
//! `match` on [`Db`](crate::engine::db::Db) with a comment that says why, where the databases need another
//! text: a lock that only PostgreSQL has, JSON, an index that only one of them finds by itself.

mod audit;
pub(crate) mod blob;
pub(crate) mod bot;
pub(crate) mod bot_resource;
pub(crate) mod bot_rows;
mod bot_summary;
pub(crate) mod changelog;
pub(crate) mod chunk;
pub(crate) mod crawl;
pub(crate) mod document;
mod encryption;
pub(crate) mod event;
pub(crate) mod feedback;
pub(crate) mod fusion;
pub(crate) mod history;
mod idempotency;
mod import;
pub(crate) mod installation;
mod job;
pub(crate) mod keyval;
pub(crate) mod large_config;
mod list;
mod max_age;
pub(crate) mod organisation;
pub(crate) mod page_set;
pub(crate) mod project;
pub(crate) mod skill;
pub(crate) mod stage;
mod stage_scripts;
mod ticket;
pub(crate) mod token;
pub(crate) mod usage;
pub(crate) mod user;
pub(crate) mod visual_block;
mod webhook;
