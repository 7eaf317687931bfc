//! What every implementation of [`Store`](domain::store::Store) must do: one file for each repository.

#[macro_use]
mod cases;
pub(crate) mod access_version;
pub(crate) mod audit;
pub(crate) mod batches;
pub(crate) mod blob_rows;
pub(crate) mod bots;
pub(crate) mod changelog;
pub(crate) mod chunks;
pub(crate) mod crawls;
pub(crate) mod deleted_users;
pub(crate) mod document_copies;
pub(crate) mod documents;
pub(crate) mod events;
pub(crate) mod feedback;
pub(crate) mod fusion_views;
pub(crate) mod history;
pub(crate) mod installation;
pub(crate) mod jobs;
pub(crate) mod keyval;
pub(crate) mod keyval_accesses;
pub(crate) mod keyval_deletes;
pub(crate) mod keyval_lists;
pub(crate) mod max_age;
pub(crate) mod organisations;
pub(crate) mod page_sets;
pub(crate) mod skills;
pub(crate) mod stages;
pub(crate) mod tokens;
pub(crate) mod units;
pub(crate) mod usage;
pub(crate) mod users;
pub(crate) mod visual_blocks;
