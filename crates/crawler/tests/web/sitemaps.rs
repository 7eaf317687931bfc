//! What sitemaps name.

use domain::crawl::WebCrawler as _;

use crate::site::{Reply, Site, answer, gzip, text};
use crate::{crawler, project};

async fn sitemap(site: &Site) -> Vec<String> {
    let found = crawler(|_| {}).visit(project(), &site.url("/")).sitemap().await;
    found.iter().map(|url| url.url()[url::Position::BeforePath..].to_owned()).collect()
}

fn pages(paths: impl IntoIterator<Item = String>) -> Reply {
    let urls: String =
        paths.into_iter().map(|path| format!("<url><loc>{path}</loc></url>")).collect();
    Reply::Bytes(answer("200 OK", "", format!("<urlset>{urls}</urlset>").as_bytes()))
}

fn maps(paths: impl IntoIterator<Item = String>) -> Reply {
    let maps: String =
        paths.into_iter().map(|path| format!("<sitemap><loc>{path}</loc></sitemap>")).collect();
    Reply::Bytes(answer("200 OK", "", format!("<sitemapindex>{maps}</sitemapindex>").as_bytes()))
}

#[tokio::test]
async fn the_usual_place_is_looked_at() {
    let site = Site::start(|path, _| {
        let found = ["/a", "/b?c=d&amp;e", "/a#x", "http://b.example/", "mailto:a@b.example", ""];
        (path == "/sitemap.xml").then(|| pages(found.map(str::to_owned)))
    })
    .await;
    assert_eq!(sitemap(&site).await, ["/a", "/b?c=d&e", "/"]);
    let without = Site::start(|_, _| None).await;
    assert!(sitemap(&without).await.is_empty());
}

#[tokio::test]
async fn rules_name_sitemaps_and_those_name_others() {
    let site = Site::start(|path, _| {
        let numbered = |prefix: &'static str| (0..20).map(move |n| format!("{prefix}{n}"));
        Some(match path {
            "/robots.txt" => text("Sitemap: /index\nSitemap: http://b.example/x\nSitemap: /more"),
            // One of them is itself.
            "/index" => maps(["/index".to_owned()].into_iter().chain(numbered("/map"))),
            "/more" => pages(["/page".to_owned()]),
            // One level is read, and no more.
            "/map0" => maps(["/deep".to_owned()]),
            path if path.starts_with("/map") => pages(numbered("/x").take(3)),
            _ => return None,
        })
    })
    .await;
    assert_eq!(sitemap(&site).await, ["/page", "/x0", "/x1", "/x2"]);
    let mut asked = site.seen.paths();
    asked.sort();
    let expected = ["/index", "/index", "/map0", "/map1", "/map2", "/map3", "/map4", "/map5"];
    assert_eq!(asked, [&expected[..], &["/map6", "/more"]].concat());
}

#[tokio::test]
async fn sitemaps_are_bounded_and_obey_the_rules() {
    let endless = Site::start(|path, _| {
        let url = |n| format!("<url><loc>/{n}</loc></url>");
        let many: String = (0..60_000).map(url).collect();
        let head = "HTTP/1.1 200 OK\r\n\r\n<urlset>";
        (path == "/sitemap.xml").then(|| Reply::Endless(head.into(), many.into()))
    })
    .await;
    assert_eq!(sitemap(&endless).await.len(), 5_000);
    let closed = Site::start(|path, _| {
        let is_rules = path == "/robots.txt";
        Some(if is_rules { text("User-agent: *\nDisallow: /s") } else { pages(["/a".to_owned()]) })
    })
    .await;
    assert!(sitemap(&closed).await.is_empty());
    assert!(closed.seen.paths().is_empty());
}

#[tokio::test]
async fn a_compressed_sitemap_that_comes_compressed_is_bounded() {
    const LIMIT: u64 = 1 << 16;
    let after = |empty_bytes: u64, path: &str| {
        let empty = gzip(b"");
        let many = empty.repeat(usize::try_from(empty_bytes).unwrap() / empty.len());
        let urls = format!("<urlset><url><loc>{path}</loc></url></urlset>");
        let file = [many, gzip(urls.as_bytes())].concat();
        Reply::Bytes(answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(&file)))
    };
    let site = Site::start(move |path, _| {
        Some(match path {
            "/robots.txt" => text("Sitemap: /long.xml.gz\nSitemap: /short.xml.gz"),
            "/long.xml.gz" => after(LIMIT, "/a"),
            "/short.xml.gz" => after(LIMIT / 2, "/b"),
            _ => return None,
        })
    })
    .await;
    let crawler = crawler(|settings| settings.inflated_bytes = LIMIT);
    assert_eq!(crawler.visit(project(), &site.url("/")).sitemap().await, [site.url("/b")]);
}
