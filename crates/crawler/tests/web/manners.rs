//! Manners: what a site's rules forbid, and how often it is asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::crawl::{CrawlError, WebCrawler as _};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::site::{Reply, Site, answer, redirect, text};
use crate::{crawler, failure, fetch, fetch_url, markdown, project};

/// A site with these rules and a page at every other path.
async fn with_rules(rules: impl Fn() -> Reply + Send + Sync + 'static) -> Site {
    Site::start(move |path, _| Some(if path == "/robots.txt" { rules() } else { text("page") }))
        .await
}

fn status(status: &'static str) -> impl Fn() -> Reply + Send + Sync {
    move || Reply::Bytes(answer(status, "", b"User-agent: *\nDisallow: /\n"))
}

#[tokio::test]
async fn what_is_disallowed_is_not_fetched() {
    let rules = "User-agent: botyard\nDisallow: /private\nAllow: /private/open\n";
    let site = with_rules(|| text(rules)).await;
    let crawler = crawler(|_| {});
    let fetched = fetch_url(&crawler, &site.url("/private/x")).await;
    assert_eq!(failure(&fetched), (None, CrawlError::Disallowed));
    assert!(fetch_url(&crawler, &site.url("/private/open")).await.content.is_ok());
    assert!(fetch_url(&crawler, &site.url("/")).await.content.is_ok());
    assert_eq!(site.seen.paths(), ["/private/open", "/"]);
    // The rules were asked for once.
    assert_eq!(site.seen.requests.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn rules_that_are_not_there_forbid_nothing() {
    for missing in ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found"] {
        let site = with_rules(status(missing)).await;
        assert_eq!(markdown(&fetch(&site, "/").await), "page", "{missing}");
    }
    let site = with_rules(|| redirect("/robots.txt")).await;
    assert_eq!(markdown(&fetch(&site, "/").await), "page");
}

#[tokio::test]
async fn rules_that_can_not_be_had_forbid_everything() {
    for broken in ["429 Too Many Requests", "500 Internal Server Error", "503 Unavailable"] {
        let site = with_rules(status(broken)).await;
        let code = broken.split(' ').next().unwrap().parse().ok();
        assert_eq!(failure(&fetch(&site, "/").await), (code, CrawlError::HttpError), "{broken}");
        assert!(site.seen.paths().is_empty());
    }
    let site = with_rules(status("302 Found")).await;
    assert_eq!(failure(&fetch(&site, "/").await), (None, CrawlError::BadRedirect));
    assert!(site.seen.paths().is_empty());
    let cut_off = || Reply::Close(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nUser".to_vec());
    let site = with_rules(cut_off).await;
    assert_eq!(failure(&fetch(&site, "/").await), (None, CrawlError::BrokenOff));
    assert!(site.seen.paths().is_empty());
}

#[tokio::test]
async fn rules_can_be_elsewhere() {
    let there = Site::start(|_, _| Some(text("User-agent: *\nDisallow: /x"))).await;
    let to = there.url("/rules").to_string();
    let site = with_rules(move || redirect(&to)).await;
    assert_eq!(failure(&fetch(&site, "/x").await), (None, CrawlError::Disallowed));
    assert_eq!(markdown(&fetch(&site, "/y").await), "page");
}

#[tokio::test]
async fn rules_count_as_far_as_they_are_read() {
    let site = with_rules(|| {
        let head = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /x\n";
        Reply::Endless(head.into(), b"# nothing of interest\n".repeat(1_000))
    })
    .await;
    let crawler = crawler(|_| {});
    assert_eq!(markdown(&fetch_url(&crawler, &site.url("/y")).await), "page");
    let fetched = fetch_url(&crawler, &site.url("/x")).await;
    assert_eq!(failure(&fetched), (None, CrawlError::Disallowed));
}

#[tokio::test]
async fn only_so_many_requests_to_a_site_are_under_way() {
    let site = Site::start(|path, _| {
        let page = answer("200 OK", "Content-Type: text/plain\r\n", b"page");
        (path != "/robots.txt").then_some(Reply::Together(4, page))
    })
    .await;
    let crawler = crawler(|_| {});
    let mut fetches = JoinSet::new();
    for page in 0..20 {
        // Visits of one site share its rate limit.
        let (visit, url) =
            (crawler.visit(project(), &site.url("/")), site.url(&format!("/{page}")));
        fetches.spawn(async move { visit.fetch(&url).await.content.is_ok() });
    }
    assert_eq!(fetches.join_all().await, [true; 20]);
    assert_eq!(site.seen.most_waiting.load(Ordering::SeqCst), 4);
    assert_eq!(site.connections(), 4);
}

#[tokio::test]
async fn a_site_that_asks_for_time_gets_it() {
    let site = with_rules(|| text("User-agent: *\nCrawl-delay: 30\nDisallow: /x\n")).await;
    let crawler = crawler(|_| {});
    assert!(fetch_url(&crawler, &site.url("/")).await.content.is_ok());
    let (second, a_moment) = (site.url("/2"), Duration::from_millis(100));
    assert!(timeout(a_moment, fetch_url(&crawler, &second)).await.is_err());
    assert_eq!(site.seen.paths(), ["/"]);
}

#[tokio::test]
async fn an_overloaded_site_is_asked_once_more_if_it_says_when() {
    for (status, line, code, asked) in [
        ("429 Too Many Requests", "Retry-After: 0\r\n", 200, 2),
        ("503 Service Unavailable", "Retry-After: 0\r\n", 200, 2),
        ("429 Too Many Requests", "", 429, 1),
        ("503 Service Unavailable", "Retry-After: 86400\r\n", 503, 1),
        ("500 Internal Server Error", "Retry-After: 0\r\n", 500, 1),
    ] {
        let requests = AtomicUsize::new(0);
        let site = Site::start(move |path, _| {
            if path == "/robots.txt" {
                return None;
            }
            let is_first = requests.fetch_add(1, Ordering::SeqCst) == 0;
            Some(if is_first { Reply::Bytes(answer(status, line, b"")) } else { text("page") })
        })
        .await;
        let fetched = fetch(&site, "/").await;
        assert_eq!(fetched.status_code, Some(code), "{status} {line}");
        assert_eq!(site.seen.paths().len(), asked, "{status} {line}");
    }
    let busy = || Reply::Bytes(answer("429 Too Many Requests", "Retry-After: 0\r\n", b""));
    let site = Site::start(move |path, _| (path != "/robots.txt").then(busy)).await;
    assert_eq!(failure(&fetch(&site, "/").await), (Some(429), CrawlError::HttpError));
    assert_eq!(site.seen.paths().len(), 2);
}
