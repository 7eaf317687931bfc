//! Rules about jobs.

use domain::blob::{REMOVE_BLOB, SWEEP_BLOBS};
use domain::bot::{REMOVE_CONFIG, TEARDOWN_BOT};
use domain::clock::Timestamp;
use domain::crawl::{CRAWL, REMOVE_PAGE_SET};
use domain::document::{EXTRACT, REMOVE_CHUNKS, RENAME_SKILL_OF_COPIES};
use domain::job::JobKind;
use domain::max_age::CLEAN_UP;
use domain::user::REMOVE_USERS;
use domain::webhook::DELIVER_WEBHOOK;

use crate::check::rule::{Cure, Rule};
use crate::check::sql::{text_of, without_subject};
use crate::engine::db::Dialect;

/// Kinds that are never given up, so that a job that has failed is a defect.
const NEVER_GIVEN_UP: [JobKind; 10] = [
    TEARDOWN_BOT,
    REMOVE_CONFIG,
    REMOVE_USERS,
    REMOVE_BLOB,
    SWEEP_BLOBS,
    REMOVE_PAGE_SET,
    REMOVE_CHUNKS,
    RENAME_SKILL_OF_COPIES,
    CLEAN_UP,
    DELIVER_WEBHOOK,
];

/// The tables that have the subjects of jobs, and the columns. Chunks are left out, because
/// an extraction may have none, and so are webhooks: after they were deleted, their jobs remove their deliveries.
const SUBJECTS: [(JobKind, &str, &str); 8] = [
    (TEARDOWN_BOT, "bots", "id"),
    (REMOVE_CONFIG, "large_configs", "id"),
    (REMOVE_USERS, "bots", "id"),
    (RENAME_SKILL_OF_COPIES, "bots", "id"),
    (REMOVE_BLOB, "blobs", "id"),
    (REMOVE_PAGE_SET, "page_sets", "id"),
    (CRAWL, "website_crawls", "id"),
    (EXTRACT, "documents", "extraction_id"),
];

/// A job whose subject has gone ends by itself when its turn comes. One that is due for longer than this is left.
const LEFT_MILLIS: i64 = 60 * 60 * 1_000;

pub(super) fn rules(dialect: Dialect, now: Timestamp) -> Vec<Rule> {
    let project = text_of(dialect, "jobs.project_id");
    let select = format!(
        "SELECT {project} AS project, {} AS id, jobs.kind || ' ' || jobs.subject AS detail FROM jobs WHERE",
        text_of(dialect, "jobs.id")
    );
    let kinds = NEVER_GIVEN_UP.map(|kind| format!("'{kind}'")).join(", ");
    let left = now.millis().saturating_sub(LEFT_MILLIS);
    let without_subject = SUBJECTS.map(|(kind, table, column)| {
        format!("(jobs.kind = '{kind}' AND {})", without_subject(dialect, table, column))
    });
    vec![
        Rule {
            kind: "job_failed",
            sentence: "the job has failed for good ({})",
            statement: format!("{select} jobs.state = 'failed' AND jobs.kind IN ({kinds})"),
            cure: Cure::Retry,
        },
        Rule {
            kind: "job_without_subject",
            sentence: "the job has nothing to work on ({})",
            statement: format!(
                "{select} jobs.state <> 'failed' AND coalesce(jobs.leased_until, jobs.run_at) < {left} AND ({})",
                without_subject.join(" OR ")
            ),
            cure: Cure::Discard,
        },
    ]
}
