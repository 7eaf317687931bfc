//! Redirects, which are followed a little way.

use domain::crawl::{CrawlError, CrawlUrl, WebCrawler as _};

use crate::site::{Reply, Site, answer, html, redirect, text};
use crate::{crawler, failure, fetch, fetch_url, markdown, project};

/// A site where `/N` leads to `/N-1`, and `/0` is a page.
async fn countdown() -> Site {
    let routes = |path: &str, _: &str| {
        let left = path.trim_start_matches('/').parse::<u32>().ok()?;
        Some(left.checked_sub(1).map_or_else(|| text("there"), |next| redirect(&next.to_string())))
    };
    Site::start(routes).await
}

#[tokio::test]
async fn five_redirects_are_followed_and_no_sixth() {
    let site = countdown().await;
    let fetched = fetch(&site, "/5").await;
    assert_eq!((fetched.status_code, &fetched.url), (Some(200), &site.url("/0")));
    assert_eq!(markdown(&fetched), "there");
    let fetched = fetch(&site, "/6").await;
    assert_eq!(failure(&fetched), (Some(302), CrawlError::TooManyRedirects));
    let crawler = crawler(|settings| settings.redirects = 0);
    let fetched = fetch_url(&crawler, &site.url("/1")).await;
    assert_eq!(failure(&fetched), (Some(302), CrawlError::TooManyRedirects));
    assert_eq!((fetched.url, fetched.bytes), (site.url("/1"), 0));
}

#[tokio::test]
async fn a_loop_comes_to_an_end() {
    let site = Site::start(|path, _| (path == "/a").then(|| redirect("/a"))).await;
    let fetched = fetch(&site, "/a").await;
    assert_eq!(failure(&fetched), (Some(302), CrawlError::TooManyRedirects));
    assert_eq!(site.seen.paths().len(), 6);
}

#[tokio::test]
async fn redirects_lead_to_pages_of_this_site_that_may_be_fetched() {
    let routes = |path: &str, _: &str| match path {
        "/robots.txt" => Some(text("User-agent: *\nDisallow: /secret")),
        "/to-secret" => Some(redirect("/secret")),
        "/to-port" => Some(redirect("http://127.0.0.1:1/")),
        "/to-other" => Some(redirect("//b.example/")),
        "/to-scheme" => Some(redirect("ftp://127.0.0.1/")),
        "/to-user" => Some(redirect("http://ada@127.0.0.1/")),
        "/to-nowhere" => Some(Reply::Bytes(answer("301 Moved Permanently", "", b""))),
        "/to-fragment" => Some(redirect("/page#part")),
        "/choices" => Some(Reply::Bytes(answer("300 Multiple Choices", "", b""))),
        "/page" => Some(text("page")),
        _ => None,
    };
    let site = Site::start(routes).await;
    for (path, status, error) in [
        ("/to-secret", 302, CrawlError::Disallowed),
        ("/to-port", 302, CrawlError::OffSite),
        ("/to-other", 302, CrawlError::OffSite),
        ("/to-scheme", 302, CrawlError::BadRedirect),
        ("/to-user", 302, CrawlError::BadRedirect),
        ("/to-nowhere", 301, CrawlError::BadRedirect),
        ("/choices", 300, CrawlError::HttpError),
    ] {
        assert_eq!(failure(&fetch(&site, path).await), (Some(status), error), "{path}");
    }
    assert_eq!(fetch(&site, "/to-fragment").await.url, site.url("/page"));
    assert!(!site.seen.paths().contains(&"/secret".to_owned()));
    let visit = crawler(|_| {}).visit(project(), &site.url("/"));
    let elsewhere = CrawlUrl::parse("http://b.example/", false).unwrap();
    assert_eq!(failure(&visit.fetch(&elsewhere).await), (None, CrawlError::OffSite));
}

#[tokio::test]
async fn a_page_can_say_what_its_address_is() {
    let routes = |path: &str, _: &str| match path {
        "/a?session=1" => Some(html("<link rel=canonical href=/a><p>text")),
        "/b" => Some(html("<link rel=canonical href=http://b.example/><p>text")),
        "/c" => Some(html("<link rel=canonical href=c><p>text")),
        _ => None,
    };
    let site = Site::start(routes).await;
    for (path, canonical) in [("/a?session=1", Some("/a")), ("/b", None), ("/c", None)] {
        let fetched = fetch(&site, path).await;
        assert_eq!(fetched.url, site.url(path));
        assert_eq!(fetched.canonical, canonical.map(|to| site.url(to)), "{path}");
    }
}
