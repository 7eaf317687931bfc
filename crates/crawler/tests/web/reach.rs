//! What can be reached, and what can't.

use std::net::SocketAddr;

use domain::crawl::{CrawlError, CrawlUrl};

use crate::site::{Reply, Site, redirect, text};
use crate::{crawler, failure, fetch, fetch_url, markdown};

/// Spellings of 127.0.0.1, and names for it.
const SPELLINGS: [&str; 10] = [
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "127.0.0.1.",
    "127。0。0。1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "localhost",
];

fn url(host: &str, port: u16) -> CrawlUrl {
    CrawlUrl::parse(&format!("http://{host}:{port}/"), true).unwrap()
}

#[tokio::test]
async fn no_spelling_leads_to_a_private_address() {
    let site = Site::start(|_, _| Some(text("secret"))).await;
    let crawler = crawler(|settings| settings.allow_networks.clear());
    for host in SPELLINGS {
        for port in [site.address.port(), 80] {
            let fetched = fetch_url(&crawler, &url(host, port)).await;
            let refused = (None, CrawlError::BlockedAddress);
            assert_eq!(failure(&fetched), refused, "{host} {port}");
        }
    }
    assert_eq!(site.connections(), 0);
}

#[tokio::test]
async fn what_is_opened_is_reached_by_any_spelling() {
    let site = Site::start(|_, _| Some(text("open"))).await;
    let crawler = crawler(|settings| settings.allow_networks.push("::1/128".parse().unwrap()));
    for host in SPELLINGS {
        let fetched = fetch_url(&crawler, &url(host, site.address.port())).await;
        assert_eq!(markdown(&fetched), "open", "{host}");
    }
}

#[tokio::test]
async fn a_site_that_is_open_does_not_lead_to_one_that_is_not() {
    let closed = Site::start(|_, _| Some(text("secret"))).await;
    let there = closed.url("/").to_string();
    let routes = move |path: &str, _: &str| match path {
        // The only redirects that may leave a site.
        "/robots.txt" => Some(redirect(&there)),
        _ => Some(text("open")),
    };
    let open = Site::start_at("127.0.0.2:0", routes).await;
    let there = closed.url("/").to_string();
    let only_page = Site::start_at("127.0.0.2:0", move |path, _| {
        (path != "/robots.txt").then(|| redirect(&there))
    });
    let only_page = only_page.await;
    let crawler =
        crawler(|settings| settings.allow_networks = vec!["127.0.0.2/32".parse().unwrap()]);
    let fetched = fetch_url(&crawler, &open.url("/")).await;
    assert_eq!(failure(&fetched), (None, CrawlError::BlockedAddress));
    let fetched = fetch_url(&crawler, &only_page.url("/")).await;
    assert_eq!(failure(&fetched), (Some(302), CrawlError::OffSite));
    assert_eq!((open.connections(), closed.connections()), (1, 0));
}

#[tokio::test]
async fn own_listeners_stay_closed_in_opened_networks() {
    let site = Site::start(|_, _| Some(text("own"))).await;
    let port = site.address.port();
    let everywhere = SocketAddr::from(([0, 0, 0, 0], port));
    for own in [site.address, everywhere] {
        let crawler = crawler(|settings| {
            settings.closed = vec![own];
            settings.allow_networks = vec!["0.0.0.0/0".parse().unwrap(), "::/0".parse().unwrap()];
        });
        for host in SPELLINGS.into_iter().chain(["0.0.0.0", "[::]", "0"]) {
            let fetched = fetch_url(&crawler, &url(host, port)).await;
            assert_eq!(failure(&fetched), (None, CrawlError::BlockedAddress), "{host}");
        }
    }
    assert_eq!(site.connections(), 0);
}

#[tokio::test]
async fn a_closed_port_is_distinguished_from_an_unknown_name() {
    let site = Site::start(|_, _| None).await;
    let gone = site.url("/");
    site.die().await;
    let fetched = fetch_url(&crawler(|_| {}), &gone).await;
    assert_eq!(failure(&fetched), (None, CrawlError::Unreachable));
    // A name that is reserved for having no addresses (RFC 2606).
    let fetched = fetch_url(&crawler(|_| {}), &url("site.invalid", 80)).await;
    assert_eq!(failure(&fetched), (None, CrawlError::DnsFailed));
}

#[tokio::test]
async fn a_site_that_dies_in_the_middle_is_unreachable() {
    let site = Site::start(|_, _| Some(text("alive"))).await;
    let (crawler, url) = (crawler(|_| {}), site.url("/"));
    assert_eq!(markdown(&fetch_url(&crawler, &url).await), "alive");
    site.die().await;
    let fetched = fetch_url(&crawler, &url).await;
    assert_eq!(failure(&fetched), (None, CrawlError::Unreachable));
}

#[tokio::test]
async fn a_server_without_tls_is_a_tls_error() {
    let site = Site::start(|_, _| Some(text("plain"))).await;
    let closing = Site::start(|_, _| Some(Reply::Close(Vec::new()))).await;
    let url = format!("https://{}/", site.address);
    let fetched = fetch_url(&crawler(|_| {}), &CrawlUrl::parse(&url, true).unwrap()).await;
    assert_eq!(failure(&fetched), (None, CrawlError::TlsFailed));
    assert_eq!(failure(&fetch(&closing, "/").await), (None, CrawlError::BrokenOff));
}
