//! Rules about website-crawls and documents, what was read for them, and events.

use domain::crawl::{CRAWL, REMOVE_PAGE_SET};
use domain::document::{EXTRACT, REMOVE_CHUNKS};
use domain::webhook::DELIVER_WEBHOOK;

use crate::check::rule::{Cure, Rule, rule};
use crate::check::sql::{Jobs, without_job};
use crate::engine::db::Dialect;

pub(super) fn of_crawls(dialect: Dialect) -> Vec<Rule> {
    vec![
        rule(
            dialect,
            ("crawl_without_job", "the crawl is {}, but there is no job that does it"),
            ("it.id", "it.status"),
            &format!(
                "FROM website_crawls AS it JOIN bots AS b ON b.project_id = it.project_id AND b.id = it.bot_id \
                 WHERE it.status IN ('queued', 'running') AND b.deleted_at IS NULL AND {}",
                without_job(dialect, &CRAWL, "it.id", Jobs::Open)
            ),
            Cure::Job(CRAWL),
        ),
        rule(
            dialect,
            ("page_set_open", "the crawl has ended, but its pages can still change"),
            ("it.id", "''"),
            &format!(
                "FROM website_crawls AS it JOIN bots AS b ON b.project_id = it.project_id AND b.id = it.bot_id \
                 JOIN page_sets AS s ON s.project_id = it.project_id AND s.id = it.page_set_id \
                 WHERE it.status NOT IN ('queued', 'running') AND s.sealed_at IS NULL AND b.deleted_at IS NULL AND {}",
                without_job(dialect, &CRAWL, "it.id", Jobs::Open)
            ),
            Cure::Job(CRAWL),
        ),
        rule(
            dialect,
            ("page_set_unused", "no crawl refers to these pages, but no job removes them"),
            ("it.id", "''"),
            &format!(
                "FROM page_sets AS it WHERE NOT EXISTS (SELECT 1 FROM website_crawls AS c \
                 WHERE c.project_id = it.project_id AND c.page_set_id = it.id) AND {}",
                without_job(dialect, &REMOVE_PAGE_SET, "it.id", Jobs::All)
            ),
            Cure::Job(REMOVE_PAGE_SET),
        ),
    ]
}

pub(super) fn of_documents(dialect: Dialect) -> Vec<Rule> {
    vec![
        rule(
            dialect,
            (
                "extraction_without_job",
                "the document's extraction is {}, but there is no job that does it",
            ),
            ("it.extraction_id", "it.extraction_status"),
            &format!(
                "FROM documents AS it WHERE it.extraction_status IN ('queued', 'running') AND {}",
                without_job(dialect, &EXTRACT, "it.extraction_id", Jobs::Open)
            ),
            Cure::Job(EXTRACT),
        ),
        rule(
            dialect,
            ("chunk_count", "the document has other chunks than it counts ({})"),
            ("it.id", "coalesce(found.chunks, 0) || ' instead of ' || it.chunk_count"),
            "FROM documents AS it LEFT JOIN (SELECT project_id, extraction_id, count(*) AS chunks FROM chunks \
             GROUP BY project_id, extraction_id) AS found \
             ON found.project_id = it.project_id AND found.extraction_id = it.chunks_of \
             WHERE it.chunk_count <> coalesce(found.chunks, 0)",
            Cure::None,
        ),
        rule(
            dialect,
            (
                "chunks_unused",
                "no document has the chunks of this extraction, but no job removes them",
            ),
            ("it.extraction_id", "''"),
            &format!(
                "FROM (SELECT DISTINCT project_id, extraction_id FROM chunks) AS it \
                 WHERE NOT EXISTS (SELECT 1 FROM documents AS d \
                 WHERE d.project_id = it.project_id AND d.chunks_of = it.extraction_id) \
                 AND NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.project_id = it.project_id \
                 AND d.extraction_id = it.extraction_id AND d.extraction_status IN ('queued', 'running')) AND {}",
                without_job(dialect, &REMOVE_CHUNKS, "it.extraction_id", Jobs::All)
            ),
            Cure::Job(REMOVE_CHUNKS),
        ),
    ]
}

pub(super) fn of_events(dialect: Dialect) -> Vec<Rule> {
    vec![
        rule(
            dialect,
            ("event_missing", "of the project's events some in between are missing ({})"),
            ("it.project_id", "it.last - it.first + 1 - it.events"),
            "FROM (SELECT project_id, min(number) AS first, max(number) AS last, count(*) AS events FROM events \
             WHERE number > 0 GROUP BY project_id) AS it WHERE it.last - it.first + 1 <> it.events",
            Cure::None,
        ),
        rule(
            dialect,
            ("webhook_without_job", "there is no job that delivers events to the webhook"),
            ("it.id", "''"),
            &format!(
                "FROM webhooks AS it WHERE {}",
                without_job(dialect, &DELIVER_WEBHOOK, "it.id", Jobs::All)
            ),
            Cure::Job(DELIVER_WEBHOOK),
        ),
    ]
}
