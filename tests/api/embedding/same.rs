//! Which addresses are the same page: by redirects, and by what pages say is their address.

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Reply, Site, each_scheme};
use serde_json::{Value, json};

use super::{at, begin, crawled, ended, page, pages, path, star, urls};

/// A page with this text that gives another address as its own.
fn naming(canonical: &str, text: &str, links: &[&str]) -> Reply {
    let links: String = links.iter().map(|link| format!("<a href=\"{link}\">on</a> ")).collect();
    let html = format!(
        "<!DOCTYPE html><html><head><title>Page</title><link rel=\"canonical\" href=\"{canonical}\">\
         </head><body><main><p>{text}</p><p>{links}</p></main></body></html>"
    );
    Reply::status(200).of_type("text/html; charset=utf-8").body(html)
}

/// What was asked for other than what every site is asked for, sorted.
fn asked(site: &Site) -> Vec<String> {
    let mut asked = site.requests();
    asked.retain(|path| !["/robots.txt", "/sitemap.xml"].contains(&path.as_str()));
    asked.sort();
    asked
}

/// How far from the start the pages are, in the order of their numbers.
fn depths(crawl: &Value) -> Vec<Value> {
    pages(crawl).iter().map(|page| page["depth"].clone()).collect()
}

/// Checks that a crawl has kept every page that it fetched.
#[track_caller]
fn is_whole(crawl: &Value) {
    assert_eq!((&crawl["status"], &crawl["error"]), (&json!("finished"), &Value::Null));
    assert_eq!(
        (&crawl["pagesScraped"], &crawl["pagesFailed"]),
        (&json!(pages(crawl).len()), &json!(0))
    );
}

each_scheme! {
    fn a_page_that_links_itself_behind_a_redirect_is_fetched_once(bot: &OnBot) {
        let site = Site::start();
        let nav = ["/home/", "/docs/", "/docs"];
        site.set("/", Reply::redirect(302, "/home/"));
        site.set("/home/", Reply::page("Home", &bot.text("home"), &nav));
        site.set("/docs", Reply::redirect(301, "/docs/"));
        site.set("/docs/", Reply::page("Docs", &bot.text("docs"), &[&nav[..], &["/docs/a"]].concat()));
        site.set("/docs/a", Reply::redirect(301, "/docs/a/"));
        site.set("/docs/a/", Reply::page("A", &bot.text("a"), &["/docs/a/", "/docs/", "/"]));
        let crawl = crawled(bot, &site.url("/"), 3);
        is_whole(&crawl);
        assert_eq!(urls(&crawl), at(&site, &["/docs/", "/docs/a/", "/home/"]));
        assert_eq!(depths(&crawl), [0, 1, 2].map(Value::from));
        for path in ["/", "/home/", "/docs/a", "/docs/a/"] {
            assert_eq!(site.hits(path), 1, "{path}");
        }
        // Linked in both ways: it is not known ahead that they are one.
        assert!(site.hits("/docs/") <= 2);
    }

    fn a_start_page_alone_behind_a_redirect_is_a_page(bot: &OnBot) {
        let site = Site::start();
        site.set("/", Reply::redirect(302, "/home"));
        site.set("/home", Reply::page("Home", &bot.text("home"), &["/home"]));
        let crawl = crawled(bot, &site.url("/"), 1);
        is_whole(&crawl);
        assert_eq!(urls(&crawl), at(&site, &["/home"]));
        assert_eq!(asked(&site), ["/", "/home"]);
        site.set("/home", Reply::status(500));
        let crawl = crawled(bot, &site.url("/"), 1);
        assert_eq!((&crawl["status"], &crawl["error"]), (&json!("failed"), &json!("http_error")));
    }

    fn a_page_is_not_lost_to_an_address_that_is_gone(bot: &OnBot) {
        let site = star(bot, &["/a", "/gone"]);
        let text = bot.text("good");
        site.set("/a", naming("/gone", &text, &[]));
        site.set("/b", naming("/never-was", &text, &[]));
        for (path, other) in [("/a", "/gone"), ("/b", "/never-was")] {
            site.set("/", Reply::page("Start", &bot.text("x"), &[path, other]));
            site.set(other, Reply::status(404));
            let crawl = crawled(bot, &site.url("/"), 1);
            assert!(page(&crawl, &site.url(path))["content"].as_str().unwrap().contains(&text));
            assert_eq!(page(&crawl, &site.url(other))["error"], "http_error");
            assert_eq!((&crawl["status"], &crawl["pagesScraped"]), (&json!("finished"), &json!(2)));
        }
    }

    fn one_address_for_every_page_costs_none(bot: &OnBot) {
        let site = Site::start();
        let paths = ["/", "/a", "/b", "/c", "/d", "/e"];
        for path in paths {
            site.set(path, naming("/", &bot.text(path), &paths));
        }
        let crawl = crawled(bot, &site.url("/"), 2);
        is_whole(&crawl);
        assert_eq!(urls(&crawl), at(&site, &paths));
        assert_eq!(asked(&site), paths);
    }

    fn an_address_of_the_same_content_is_no_page_of_its_own(bot: &OnBot) {
        let site = Site::start();
        let links = ["/a?utm=1", "/a?utm=2", "/b?utm=1", "/b"];
        site.set("/", Reply::page("Start", &bot.text("x"), &links));
        for path in ["/a", "/a?utm=1", "/a?utm=2"] {
            site.set(path, naming("/a", &bot.text("a"), &["/behind"]));
        }
        for path in ["/b", "/b?utm=1"] {
            site.set(path, naming("/b", &bot.text("b"), &[]));
        }
        site.set("/behind", Reply::page("Behind", &bot.text("y"), &[]));
        let crawl = crawled(bot, &site.url("/"), 2);
        is_whole(&crawl);
        assert_eq!(urls(&crawl), at(&site, &["/", "/a", "/b", "/behind"]));
        // A page that nothing links is as near as the one that names it.
        assert_eq!(page(&crawl, &site.url("/a"))["depth"], 1);
        assert_eq!(page(&crawl, &site.url("/behind"))["depth"], 2);
        let expected = ["/", "/a", "/a?utm=1", "/a?utm=2", "/b", "/b?utm=1", "/behind"];
        assert_eq!(asked(&site), expected);
    }

    fn pages_that_name_each_other_do_not_vanish(bot: &OnBot) {
        let site = Site::start();
        let circle = [("/a", "/b"), ("/b", "/c"), ("/c", "/a")];
        site.set("/", Reply::page("Start", &bot.text("x"), &["/a", "/b", "/c"]));
        for (path, next) in circle {
            site.set(path, naming(next, &bot.text(path), &[]));
        }
        let crawl = crawled(bot, &site.url("/"), 1);
        is_whole(&crawl);
        assert_eq!(urls(&crawl), at(&site, &["/", "/a", "/b", "/c"]));
        for (path, next) in circle {
            site.set(path, naming(next, &bot.text("same"), &[]));
        }
        let crawl = crawled(bot, &site.url("/"), 1);
        is_whole(&crawl);
        assert_eq!(crawl["pagesScraped"], 2);
    }

    fn the_first_pages_are_there_while_the_sitemap_does_not_come(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        site.hold("/sitemap.xml");
        let made = begin(bot, &site.url("/"), 2);
        until("it waits for the sitemap", || site.waiting("/sitemap.xml") == 1);
        let running = eventually("the pages are there", || {
            let crawl = bot.get(&path(&made)).ok();
            (crawl["pagesScraped"] == 2).then_some(crawl)
        });
        assert_eq!(urls(&running), at(&site, &["/", "/a"]));
        assert_eq!(running["status"], "running");
        site.release("/sitemap.xml");
        let crawl = ended(bot, &made);
        is_whole(&crawl);
        assert_eq!(asked(&site), ["/", "/a"]);
    }
}
