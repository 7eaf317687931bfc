//! What the services of `domain` do on any store, with a clock to set, and blobs, a site and a reader of
//! files in memory (see `installation`).

#[macro_use]
mod cases;
pub(crate) mod audit;
pub(crate) mod blob_removal;
pub(crate) mod clean_up;
pub(crate) mod clean_up_bounds;
pub(crate) mod clean_up_turns;
pub(crate) mod content_quota;
pub(crate) mod crawl_addresses;
pub(crate) mod crawl_ends;
pub(crate) mod crawl_pages;
pub(crate) mod crawl_runs;
pub(crate) mod crawl_service;
pub(crate) mod crawl_sitemaps;
pub(crate) mod document_bots;
pub(crate) mod document_changes;
pub(crate) mod document_crowds;
pub(crate) mod document_service;
pub(crate) mod duplicate;
pub(crate) mod duplicate_steps;
pub(crate) mod extraction_ends;
pub(crate) mod extraction_runs;
pub(crate) mod extraction_waits;
pub(crate) mod fusion_views;
pub(crate) mod idempotency;
pub(crate) mod installation;
pub(crate) mod jobs;
pub(crate) mod keyval;
pub(crate) mod keyval_accesses;
pub(crate) mod keyval_deletes;
pub(crate) mod lists;
pub(crate) mod preconditions;
pub(crate) mod recorder;
pub(crate) mod room;
pub(crate) mod same_files;
pub(crate) mod scribe;
pub(crate) mod site;
pub(crate) mod skills;
pub(crate) mod slots;
pub(crate) mod stages;
pub(crate) mod teardown;
pub(crate) mod trash;
pub(crate) mod uploads;
pub(crate) mod user_removal;
pub(crate) mod user_service;
pub(crate) mod visual_blocks;
