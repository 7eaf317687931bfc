//! Doing a crawl.
//!
//! A step of the job fetches several pages at once and stores what came of them in units of its own, one
//! at a time; whatever comes while one is being stored goes into the next. What was fetched and not
//! stored yet is fetched again by the worker that goes on.

mod batch;
mod frontier;
mod settle;
mod step;

pub(super) use step::CrawlStep;
