//! Pages that can't be read, and what becomes of their crawl.

use botyard_tests::{Reply, Site, each_scheme};
use serde_json::{Value, json};

use super::{at, crawled, page, pages, star, urls};

/// Sites that have no start page, with the word for it and the status that their page shows.
fn broken() -> Vec<(&'static str, Reply, &'static str, Value)> {
    let binary = Reply::status(200).of_type("application/octet-stream").body("MZ");
    let closed = Reply::redirect(302, "http://10.0.0.1/");
    vec![
        ("missing", Reply::status(404), "http_error", json!(404)),
        ("forbidden", Reply::page("No", "x", &["/a"]).with_status(403), "http_error", json!(403)),
        ("broken", Reply::status(500), "http_error", json!(500)),
        ("binary", binary, "unsupported_type", json!(200)),
        ("in a circle", Reply::redirect(302, "/"), "too_many_redirects", json!(302)),
        ("nowhere", Reply::status(302), "bad_redirect", json!(302)),
        ("to another scheme", Reply::redirect(302, "ftp://x/"), "bad_redirect", json!(302)),
        ("to another site", closed, "off_site", json!(302)),
    ]
}

each_scheme! {
    fn a_crawl_without_a_start_page_has_failed(bot: &OnBot) {
        for (what, reply, error, status) in broken() {
            let site = Site::start();
            site.set("/", reply);
            let crawl = crawled(bot, &site.url("/"), 3);
            assert_eq!(crawl["status"], "failed", "{what}: {crawl}");
            assert_eq!(crawl["error"], error, "{what}");
            let counts = [&crawl["pagesScraped"], &crawl["pagesFailed"]];
            assert_eq!(counts, [&json!(0), &json!(1)], "{what}");
            assert!(crawl["startedAt"].is_string() && crawl["finishedAt"].is_string(), "{crawl}");
            let [page] = &pages(&crawl)[..] else { panic!("{what}: one page in {crawl}") };
            assert_eq!(*page, json!({
                "_id": page["_id"],
                "url": site.url("/"),
                "title": null,
                "depth": 0,
                "statusCode": status,
                "content": null,
                "contentHash": null,
                "scrapedAt": page["scrapedAt"],
                "error": error,
            }), "{what}");
            // Nothing of it was followed.
            assert_eq!(site.hits("/a"), 0, "{what}");
        }
    }

    fn a_site_that_is_not_there_is_unreachable(bot: &OnBot) {
        let url = Site::start().url("/");
        let crawl = crawled(bot, &url, 1);
        assert_eq!((&crawl["status"], &crawl["error"]), (&json!("failed"), &json!("unreachable")));
        assert_eq!(page(&crawl, &url)["statusCode"], Value::Null);
    }

    fn a_name_that_nothing_has_is_not_found(bot: &OnBot) {
        let crawl = crawled(bot, "http://nobody.invalid/", 1);
        assert_eq!((&crawl["status"], &crawl["error"]), (&json!("failed"), &json!("dns_failed")));
    }

    fn a_port_that_is_none_of_a_site_is_blocked(bot: &OnBot) {
        // It is no violation of the body here, because this server opens a network.
        for (url, error) in [
            ("http://1.1.1.1:22/", "blocked_port"),
            // An address that is closed is so on every port.
            ("http://10.0.0.1:22/", "blocked_address"),
            ("http://10.0.0.1/", "blocked_address"),
        ] {
            let crawl = crawled(bot, url, 1);
            assert_eq!((&crawl["status"], &crawl["error"]), (&json!("failed"), &json!(error)));
        }
    }

    fn a_site_that_wants_no_visitors_is_left_alone(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        let robots = "User-agent: *\nDisallow: /\n";
        site.set("/robots.txt", Reply::status(200).of_type("text/plain").body(robots));
        let crawl = crawled(bot, &site.url("/"), 1);
        assert_eq!((&crawl["status"], &crawl["error"]), (&json!("failed"), &json!("disallowed")));
        assert_eq!(site.requests(), ["/robots.txt"]);
    }

    fn pages_that_fail_are_listed_and_the_rest_is_there(bot: &OnBot) {
        let site = star(bot, &["/a", "/gone", "/image", "/loop", "/away", "/b"]);
        site.set("/gone", Reply::status(410));
        site.set("/image", Reply::status(200).of_type("image/png").body("x"));
        site.set("/loop", Reply::redirect(301, "/loop"));
        site.set("/away", Reply::redirect(301, "http://10.0.0.1/"));
        let crawl = crawled(bot, &site.url("/"), 1);
        assert_eq!((&crawl["status"], &crawl["error"]), (&json!("finished"), &Value::Null));
        assert_eq!((&crawl["pagesScraped"], &crawl["pagesFailed"]), (&json!(3), &json!(4)));
        for (path, error) in [
            ("/", Value::Null),
            ("/a", Value::Null),
            ("/gone", json!("http_error")),
            ("/image", json!("unsupported_type")),
            ("/loop", json!("too_many_redirects")),
            ("/away", json!("off_site")),
            ("/b", Value::Null),
        ] {
            let page = page(&crawl, &site.url(path));
            assert_eq!(page["error"], error, "{path}");
            assert_eq!(page["content"].is_null(), !error.is_null(), "{path}");
            assert_eq!(page["contentHash"].is_null(), !error.is_null(), "{path}");
        }
        let all = ["/", "/a", "/gone", "/image", "/loop", "/away", "/b"];
        assert_eq!(urls(&crawl), at(&site, &all));
    }
}
