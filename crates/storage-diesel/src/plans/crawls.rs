//! The same for website-crawls and their pages.

use std::slice;

use diesel::connection::SimpleConnection;
use domain::crawl::{
    CrawlError, CrawlFields, CrawlProgress, CrawlRepository, CrawlUrl, FoundPage, Page,
    PageSetRepository, PageState, WebsiteCrawl,
};
use domain::id::{CrawlId, PageId, PageSetId};
use domain::lock::{Lock, Mode};

use super::{EPOCH, ID, OPERATOR, Watched, postgres, sqlite};
use crate::engine::db::OwnDb;
use crate::engine::tx::Tx;

/// Puts many crawls beside the one that is there, with a set each, and many pages into its set.
const MANY_CRAWLS: &str = "CREATE FUNCTION other (n INT) RETURNS UUID LANGUAGE SQL AS \
     $$ SELECT CAST(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' AS UUID) $$; \
     INSERT INTO page_sets SELECT other(n), project_id, 0, NULL \
     FROM page_sets, generate_series(1, 5000) AS n; \
     INSERT INTO website_crawls SELECT other(n), project_id, bot_id, other(n), url || n, 1, 's' || n, \
     NULL, name, TRUE, 'queued', NULL, 0, 0, FALSE, 0, NULL, NULL, 0, 0 \
     FROM website_crawls, generate_series(1, 5000) AS n; \
     INSERT INTO pages (project_id, page_set_id, number, url, depth, state, size) \
     SELECT project_id, page_set_id, n, url || n, 1, 'pending', 0 \
     FROM website_crawls, generate_series(2, 20) AS n; \
     ANALYZE page_sets; ANALYZE website_crawls; ANALYZE pages";

fn every_look_up_has_its_index(db: OwnDb) {
    let mut watched = Watched::new(db);
    let (id, set) = (CrawlId::from_uuid(ID), PageSetId::from_uuid(ID));
    let url = CrawlUrl::parse("http://site.example/", false).unwrap();
    let crawl = WebsiteCrawl {
        id,
        bot_id: watched.scope.bot_id(),
        url: url.clone(),
        depth: 1,
        fields: CrawlFields::default(),
        progress: CrawlProgress::QUEUED,
        page_set_id: set,
        created_at: EPOCH,
        updated_at: EPOCH,
    };
    Tx::new(watched.db.lend(), Mode::Write).insert_crawl(&watched.scope, &crawl).unwrap();
    if let OwnDb::Pg(db) = &mut watched.db {
        db.batch_execute(MANY_CRAWLS).unwrap();
    }
    watched.check(
        |tx, scope| tx.going_crawl(scope, &url),
        "website_crawls_going (project_id=? AND bot_id=? AND url=?)",
        ["using website_crawls_going", "url = "],
    );
    watched.check(
        |tx, scope| tx.crawl_counts(scope),
        "COVERING INDEX website_crawls_at_once (project_id=?",
        ["using website_crawls_at_once", "project_id = "],
    );
    watched.check(
        |tx, scope| tx.count_crawls(scope),
        "COVERING INDEX website_crawls_by_status (project_id=? AND bot_id=?)",
        ["Index Only Scan using website_crawls_", "bot_id = "],
    );
    watched.check(
        |tx, scope| tx.crawls_for_skill(scope, "s", 9),
        "website_crawls_for_skill (project_id=? AND bot_id=? AND skill_id=?)",
        ["using website_crawls_for_skill", "skill_id = "],
    );
    watched.check(
        |tx, _| tx.crawl_to_do(OPERATOR, id, Lock::None),
        "website_crawls_ids (id=?)",
        ["using website_crawls_ids", "Scan using bots_pkey"],
    );
    let one = "sqlite_autoindex_pages_1 (project_id=? AND page_set_id=? AND number=?)";
    let pages_after = "sqlite_autoindex_pages_1 (project_id=? AND page_set_id=? AND number>?)";
    let in_reach = "website_crawls_of_page_set (project_id=? AND page_set_id=? AND bot_id=?)";
    for expected in [pages_after, in_reach] {
        watched.check(
            |tx, scope| tx.pages(scope, set, Some(1), 9),
            expected,
            ["using pages_pkey", "number > "],
        );
    }
    watched.check(
        |tx, scope| tx.found_pages(scope, set),
        "sqlite_autoindex_pages_1 (project_id=? AND page_set_id=?)",
        ["using pages_pkey", "using website_crawls_of_page_set"],
    );
    let found = [0, 1].map(|number| FoundPage {
        number,
        url: url.join(&number.to_string()).unwrap(),
        depth: 1,
        state: PageState::Pending,
        content_hash: None,
    });
    watched.check(
        |tx, scope| tx.add_found_pages(scope, set, &found),
        in_reach,
        ["using website_crawls_of_page_set", "Scan using page_sets_"],
    );
    let page = Page {
        id: PageId::from_uuid(ID),
        number: 0,
        url,
        title: None,
        depth: 1,
        status_code: None,
        content: None,
        content_hash: None,
        scraped_at: EPOCH,
        error: Some(CrawlError::Timeout),
    };
    let found_at = ["using pages_pkey", "number = "];
    watched.check(|tx, scope| tx.write_pages(scope, set, slice::from_ref(&page)), one, found_at);
    watched.check(|tx, scope| tx.write_aliases(scope, set, &[1]), one, found_at);
    watched.check(
        |tx, scope| tx.seal_page_set(scope, set, EPOCH),
        "pages_urls (project_id=? AND page_set_id=?)",
        ["on pages", "page_set_id = "],
    );
    watched.check(
        |tx, scope| tx.cancel_crawls(scope, EPOCH),
        "website_crawls_by_status (project_id=? AND bot_id=? AND status=?)",
        ["using website_crawls_", "bot_id = "],
    );
    let scope = watched.scope.clone();
    Tx::new(watched.db.lend(), Mode::Write).delete_crawl(&scope, id).unwrap();
    watched.check(
        |tx, _| tx.remove_unused_page_set(OPERATOR, set, 1),
        "sqlite_autoindex_pages_1 (project_id=? AND page_set_id=? AND number<?)",
        ["using pages_pkey", "number <= "],
    );
}

#[test]
fn on_sqlite() {
    every_look_up_has_its_index(sqlite());
}

#[test]
fn on_postgres() {
    every_look_up_has_its_index(postgres());
}
