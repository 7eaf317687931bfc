//! Rules about rows. Each is a statement that finds what breaks it.

mod bots;
mod contents;
mod files;
mod jobs;

use domain::clock::Timestamp;

use super::rule::Rule;
use crate::engine::db::Dialect;

/// All rules.
pub(super) fn all(dialect: Dialect, now: Timestamp) -> Vec<Rule> {
    let mut rules = bots::rules(dialect);
    rules.extend(files::rules(dialect));
    rules.extend(contents::of_crawls(dialect));
    rules.extend(contents::of_documents(dialect));
    rules.extend(contents::of_events(dialect));
    rules.extend(jobs::rules(dialect, now));
    rules
}
