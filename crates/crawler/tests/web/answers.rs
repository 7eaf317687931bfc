//! What comes back: types, codings, lengths, and answers that have no end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::blob::Sha256;
use domain::crawl::{CrawlError, WebCrawler as _};
use sha2::Digest as _;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::site::{Reply, Site, answer, gzip, html, text};
use crate::{crawler, failure, fetch, fetch_url, markdown, project};

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n";

/// A site with one reply for all paths but `robots.txt`.
async fn site(reply: impl Fn() -> Reply + Send + Sync + 'static) -> Site {
    Site::start(move |path, _| (path != "/robots.txt").then(&reply)).await
}

#[tokio::test]
async fn requests_say_who_asks_and_nothing_else() {
    let site = site(|| text("page")).await;
    let agent = "botyard/test (+https://a.example)".to_owned();
    let crawler = crawler(|settings| settings.user_agent.clone_from(&agent));
    fetch_url(&crawler, &site.url("/x?y")).await;
    let head = site.seen.requests.lock().unwrap().pop().unwrap();
    let mut lines: Vec<_> = head.trim().split("\r\n").map(str::to_ascii_lowercase).collect();
    let first = lines.remove(0);
    lines.sort();
    assert_eq!(first, "get /x?y http/1.1");
    let names: Vec<_> = lines.iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(names, ["accept-encoding", "accept", "host", "user-agent"]);
    assert_eq!(lines[0], "accept-encoding: gzip");
    assert_eq!(lines[2], format!("host: {}", site.address));
    assert_eq!(lines[3], format!("user-agent: {agent}"));
}

#[tokio::test]
async fn pages_come_as_html_text_or_markdown() {
    let routes = |path: &str, _: &str| {
        let typed = |media: &str, body: &[u8]| {
            let line = format!("Content-Type: {media}\r\n");
            Some(Reply::Bytes(answer("200 OK", &line, body)))
        };
        match path {
            "/html" => typed("text/html", b"<title>T</title><main><h1>A</h1><p>b</p></main>"),
            "/markdown" => typed("text/markdown; charset=utf-8", "# ä".as_bytes()),
            "/text" => typed("text/plain; charset=iso-8859-1", b"\xe4"),
            "/untyped" => Some(Reply::Bytes(answer("200 OK", "", b"untyped"))),
            "/gzip" => {
                let lines = "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n";
                Some(Reply::Bytes(answer("200 OK", lines, &gzip(b"zipped"))))
            }
            "/empty" => typed("text/plain", b""),
            "/none" => Some(Reply::Bytes(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec())),
            _ => None,
        }
    };
    let site = Site::start(routes).await;
    for (path, status, expected) in [
        ("/html", 200, "# A\n\nb"),
        ("/markdown", 200, "# ä"),
        ("/text", 200, "ä"),
        ("/untyped", 200, "untyped"),
        ("/gzip", 200, "zipped"),
        ("/empty", 200, ""),
        ("/none", 204, ""),
    ] {
        let fetched = fetch(&site, path).await;
        assert_eq!(fetched.status_code, Some(status), "{path}");
        assert_eq!(markdown(&fetched).trim(), expected, "{path}");
    }
    let page = fetch(&site, "/html").await;
    assert_eq!(page.content.unwrap().title.as_deref(), Some("T"));
    assert_eq!(page.bytes, 47);
    let zipped = fetch(&site, "/gzip").await;
    assert_eq!(zipped.bytes, gzip(b"zipped").len() as u64);
    let content = fetch(&site, "/text").await.content.unwrap();
    assert_eq!(content.hash, Sha256::from_bytes(sha2::Sha256::digest(&content.markdown).into()));
}

#[tokio::test]
async fn statuses_other_than_success_are_errors() {
    for status in ["304 Not Modified", "401 Unauthorized", "404 Not Found", "500 Internal"] {
        let site = site(move || Reply::Bytes(answer(status, "Content-Type: text/html\r\n", b"")));
        let code = status.split(' ').next().unwrap().parse().ok();
        assert_eq!(failure(&fetch(&site.await, "/").await), (code, CrawlError::HttpError));
    }
}

#[tokio::test]
async fn a_body_of_another_type_is_not_fetched() {
    let site = site(|| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\
                    Content-Length: 1000000000000\r\n\r\n";
        Reply::Endless(head.into(), vec![0; 1 << 16])
    })
    .await;
    let fetched = fetch(&site, "/").await;
    assert_eq!(failure(&fetched), (Some(200), CrawlError::UnsupportedType));
    assert_eq!(fetched.bytes, 0);
    site.seen.hung_up().await;
    // What the system had room for.
    assert!(site.seen.sent.load(Ordering::SeqCst) < 64 << 20);
}

#[tokio::test]
async fn codings_that_were_not_asked_for_are_not_fetched() {
    for coding in ["br", "gzip, gzip", "deflate"] {
        let lines = format!("Content-Type: text/html\r\nContent-Encoding: {coding}\r\n");
        let site = site(move || Reply::Bytes(answer("200 OK", &lines, b"x")));
        let fetched = fetch(&site.await, "/").await;
        assert_eq!(failure(&fetched), (Some(200), CrawlError::UnsupportedType), "{coding}");
    }
}

#[tokio::test]
async fn bodies_are_bounded_on_the_wire() {
    let endless = || {
        let head = format!("{CHUNKED}Content-Type: text/html\r\n\r\n");
        let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
        Reply::Endless(head.into(), chunk.into())
    };
    let announced = || {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100001\r\n\r\n";
        Reply::Endless(head.into(), b"x".to_vec())
    };
    let crawler = crawler(|settings| settings.wire_bytes = 100_000);
    let endless = site(endless).await;
    let fetched = fetch_url(&crawler, &endless.url("/")).await;
    assert_eq!(failure(&fetched), (Some(200), CrawlError::TooLarge));
    assert!((100_000..200_000).contains(&fetched.bytes), "{}", fetched.bytes);
    endless.seen.hung_up().await;
    let fetched = fetch_url(&crawler, &site(announced).await.url("/")).await;
    assert_eq!(failure(&fetched), (Some(200), CrawlError::TooLarge));
    assert_eq!(fetched.bytes, 0);
}

#[tokio::test]
async fn bodies_are_bounded_when_they_are_inflated() {
    let bomb = gzip(&vec![b'x'; 2 << 20]);
    let size = bomb.len() as u64;
    let lines = "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n";
    let site = site(move || Reply::Bytes(answer("200 OK", lines, &bomb))).await;
    let small = crawler(|settings| settings.inflated_bytes = 1 << 20);
    let fetched = fetch_url(&small, &site.url("/")).await;
    assert_eq!(failure(&fetched), (Some(200), CrawlError::TooLarge));
    assert_eq!(fetched.bytes, size);
    assert_eq!(markdown(&fetch(&site, "/").await).trim().len(), 2 << 20);
}

#[tokio::test]
async fn many_large_bodies_of_a_host_are_all_fetched() {
    let large = "x".repeat(2 << 20);
    let site = site(move || text(&large)).await;
    let crawler = crawler(|settings| settings.connections_per_host = 20);
    let (visit, url) = (crawler.visit(project(), &site.url("/")), site.url("/"));
    let mut fetches = JoinSet::new();
    for _ in 0..20 {
        let (visit, url) = (visit.clone(), url.clone());
        fetches.spawn(async move { visit.fetch(&url).await });
    }
    for fetched in fetches.join_all().await {
        assert_eq!(fetched.bytes, 2 << 20);
        assert_eq!(markdown(&fetched).trim().len(), 2 << 20);
    }
}

#[tokio::test]
async fn a_host_that_drips_large_bodies_does_not_keep_others_waiting() {
    let size = 12 << 20;
    let dripping = site(move || {
        let head = format!("{CHUNKED}Content-Type: text/html\r\n\r\n{size:x}\r\n");
        // More than the system takes without a reader, and still not all of it.
        Reply::Drip([head.into_bytes(), vec![b'x'; size - (1 << 20)]].concat(), b"x".to_vec())
    })
    .await;
    let large = Site::start_at("127.0.0.2:0", |path, _| {
        (path != "/robots.txt").then(|| text(&"x".repeat(2 << 20)))
    })
    .await;
    let crawler = crawler(|settings| {
        settings.allow_networks = vec!["127.0.0.0/8".parse().unwrap()];
        settings.wire_bytes = 64 << 20;
    });
    let (visit, url) = (crawler.visit(project(), &dripping.url("/")), dripping.url("/"));
    let mut drips = JoinSet::new();
    for _ in 0..4 {
        let (visit, url) = (visit.clone(), url.clone());
        drips.spawn(async move { visit.fetch(&url).await });
    }
    while dripping.seen.paths().len() < 4 || dripping.seen.dripping.load(Ordering::SeqCst) < 2 {
        tokio::task::yield_now().await;
    }
    let fetched = fetch_url(&crawler, &large.url("/")).await;
    assert_eq!(markdown(&fetched).trim().len(), 2 << 20);
    // The others have been read as far as is possible without a permit.
    assert_eq!(dripping.seen.dripping.load(Ordering::SeqCst), 2);
    assert!(drips.try_join_next().is_none());
}

#[tokio::test]
async fn what_breaks_off_is_no_page() {
    let typed = |start: &str| format!("{start}Content-Type: text/html\r\n");
    let ok = typed("HTTP/1.1 200 OK\r\n");
    let chunked = typed(CHUNKED);
    for (reply, status, error) in [
        (format!("{ok}Content-Length: 100\r\n\r\n<p>x"), Some(200), CrawlError::BrokenOff),
        (format!("{chunked}\r\n5\r\n<p>x"), Some(200), CrawlError::BrokenOff),
        (format!("{chunked}\r\n4\r\n<p>x\r\n"), Some(200), CrawlError::BrokenOff),
        (format!("{chunked}\r\nzz\r\n<p>x\r\n"), Some(200), CrawlError::BrokenOff),
        (
            format!("{ok}Content-Encoding: gzip\r\n\r\nno gzip at all"),
            Some(200),
            CrawlError::BadContent,
        ),
        (
            format!("{ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\n<p>"),
            None,
            CrawlError::BadContent,
        ),
        ("SSH-2.0-OpenSSH_9.9\r\n".to_owned(), None, CrawlError::BadContent),
        ("HTTP/1.1 200".to_owned(), None, CrawlError::BrokenOff),
        (String::new(), None, CrawlError::BrokenOff),
    ] {
        let bytes = reply.clone().into_bytes();
        let site = site(move || Reply::Close(bytes.clone())).await;
        assert_eq!(failure(&fetch(&site, "/").await), (status, error), "{reply}");
    }
    // Without a length, the end of the connection is the end of the body.
    let site = site(move || Reply::Close(format!("{ok}\r\n<p>whole").into())).await;
    assert_eq!(markdown(&fetch(&site, "/").await).trim(), "whole");
}

#[tokio::test]
async fn a_page_that_breaks_off_before_its_answer_is_asked_for_once_more() {
    let has_broken_off = AtomicBool::new(false);
    let site = Site::start(move |path, _| {
        let breaks_off = path == "/" && !has_broken_off.swap(true, Ordering::SeqCst);
        let reply = if breaks_off { Reply::Close(Vec::new()) } else { text("page") };
        (path != "/robots.txt").then_some(reply)
    })
    .await;
    let crawler = crawler(|_| {});
    assert_eq!(markdown(&fetch_url(&crawler, &site.url("/before")).await), "page");
    assert_eq!(markdown(&fetch_url(&crawler, &site.url("/")).await), "page");
    assert_eq!(site.seen.paths(), ["/before", "/", "/"]);
}

#[tokio::test]
async fn a_page_that_breaks_off_is_not_asked_for_again_before_its_turn() {
    let rules = || text("User-agent: *\nCrawl-delay: 30\n");
    let site = Site::start(move |path, _| {
        Some(if path == "/robots.txt" { rules() } else { Reply::Close(Vec::new()) })
    })
    .await;
    let (crawler, url) = (crawler(|_| {}), site.url("/"));
    let fetched = timeout(Duration::from_millis(500), fetch_url(&crawler, &url)).await;
    assert!(fetched.is_err());
    assert_eq!(site.seen.paths(), ["/"]);
}

#[tokio::test]
async fn heads_are_bounded() {
    let line = |n: usize| format!("X-{n}: {}\r\n", "x".repeat(100));
    let many: String = (0..10_000).map(line).collect();
    let long = format!("X: {}\r\n", "x".repeat(1 << 20));
    for head in [many, long] {
        let site = site(move || Reply::Bytes(answer("200 OK", &head, b"x"))).await;
        assert_eq!(failure(&fetch(&site, "/").await), (None, CrawlError::BadContent));
    }
    let endless = || Reply::Endless("HTTP/1.1 200 OK\r\n".into(), b"X: x\r\n".to_vec());
    let site = site(endless).await;
    assert_eq!(failure(&fetch(&site, "/").await), (None, CrawlError::BadContent));
    site.seen.hung_up().await;
}

#[tokio::test]
async fn time_is_bounded() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000000\r\n\r\n";
    let crawler = crawler(|settings| settings.page_timeout = Duration::from_secs(1));
    let drip = site(|| Reply::Drip(head.into(), b"x".to_vec())).await;
    let slow_head = site(|| Reply::Drip("HTTP/1.1 200 OK\r\nX: ".into(), b"x".to_vec())).await;
    let silent = site(|| Reply::Silence).await;
    let urls = [&drip, &slow_head, &silent].map(|site| site.url("/"));
    let [drip_url, slow_url, silent_url] = &urls;
    let (dripped, slow, nothing) = tokio::join!(
        fetch_url(&crawler, drip_url),
        fetch_url(&crawler, slow_url),
        fetch_url(&crawler, silent_url),
    );
    assert_eq!(failure(&dripped), (Some(200), CrawlError::Timeout));
    assert!(dripped.bytes > 0);
    assert_eq!(failure(&slow), (None, CrawlError::Timeout));
    assert_eq!(failure(&nothing), (None, CrawlError::Timeout));
    for site in [drip, slow_head, silent] {
        site.seen.hung_up().await;
    }
}

#[tokio::test]
async fn a_fetch_whose_caller_is_gone_ends() {
    let site = site(|| Reply::Silence).await;
    let (visit, url) = (crawler(|_| {}).visit(project(), &site.url("/")), site.url("/"));
    let fetch = tokio::spawn(async move { visit.fetch(&url).await });
    while site.seen.paths().is_empty() {
        tokio::task::yield_now().await;
    }
    fetch.abort();
    site.seen.hung_up().await;
}

#[tokio::test]
async fn a_page_can_ask_not_to_be_kept_or_followed() {
    let routes = |path: &str, _: &str| {
        let lines = match path {
            "/noindex" => "X-Robots-Tag: noindex\r\n",
            "/nofollow" => "X-Robots-Tag: botyard: nofollow\r\n",
            "/other" => "X-Robots-Tag: otherbot: none\r\n",
            _ => return None,
        };
        let lines = format!("Content-Type: text/html\r\n{lines}");
        let body = b"<p><a href=/x>x</a> <a href=//b.example/>b</a>";
        Some(Reply::Bytes(answer("200 OK", &lines, body)))
    };
    let site = Site::start(routes).await;
    let links = [site.url("/x")];
    let noindex = fetch(&site, "/noindex").await;
    assert_eq!(failure(&noindex), (Some(200), CrawlError::Disallowed));
    assert_eq!(noindex.links, links);
    let nofollow = fetch(&site, "/nofollow").await;
    assert!(nofollow.content.is_ok() && nofollow.links.is_empty());
    let other = fetch(&site, "/other").await;
    assert!(other.content.is_ok());
    assert_eq!(other.links, links);
}

#[tokio::test]
async fn connections_are_used_again() {
    let site = site(|| html("<p>page")).await;
    let crawler = crawler(|_| {});
    for page in 0..20 {
        fetch_url(&crawler, &site.url(&format!("/{page}"))).await;
    }
    assert_eq!((site.seen.paths().len(), site.connections()), (20, 1));
}
