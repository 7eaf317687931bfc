//! What a crawl finds: by which links it goes, how far, and what counts as the same page.

use botyard_tests::{OnBot, Reply, Site, each_scheme};
use serde_json::{Value, json};

use super::{at, crawled, page, pages, star, urls};

/// A chain of pages, each of which leads to the next.
fn chain(bot: &OnBot<'_>) -> Site {
    let site = Site::start();
    for (path, next) in [("/", "/1"), ("/1", "/2"), ("/2", "/3"), ("/3", "/")] {
        site.set(path, Reply::page(path, &bot.text(path), &[next]));
    }
    site
}

each_scheme! {
    fn a_crawl_goes_as_many_hops_as_its_depth_says(bot: &OnBot) {
        let site = chain(bot);
        let all = ["/", "/1", "/2", "/3"];
        for (depth, expected) in [(0, 1), (1, 2), (2, 3), (10, 4)] {
            let crawl = crawled(bot, &site.url("/"), depth);
            assert_eq!((&crawl["status"], &crawl["error"]), (&json!("finished"), &Value::Null));
            assert_eq!(crawl["pagesScraped"], expected);
            let found: Vec<_> =
                pages(&crawl).iter().map(|page| (page["url"].clone(), page["depth"].clone())).collect();
            let hops = all.iter().take(expected).enumerate();
            let hops: Vec<_> = hops.map(|(hop, path)| (json!(site.url(path)), json!(hop))).collect();
            assert_eq!(found, hops);
        }
        assert_eq!(site.hits("/3"), 1);
    }

    fn a_page_is_found_by_its_shortest_way(bot: &OnBot) {
        let site = Site::start();
        site.set("/", Reply::page("Start", "x", &["/long", "/short"]));
        site.set("/long", Reply::page("Long", "x", &["/longer"]));
        site.set("/longer", Reply::page("Longer", "x", &["/goal"]));
        site.set("/short", Reply::page("Short", "x", &["/goal"]));
        site.set("/goal", Reply::page("Goal", &bot.text("x"), &[]));
        let crawl = crawled(bot, &site.url("/"), 2);
        assert_eq!(page(&crawl, &site.url("/goal"))["depth"], 2);
        assert_eq!(site.hits("/goal"), 1);
    }

    fn each_page_is_fetched_once_however_it_is_written(bot: &OnBot) {
        let site = Site::start();
        let links = [
            "/a", "a", "./a", "/a#part", "/x/../a", "/%61", " /a ", "//HOST/a", "http://HOST/a", "/a?",
            "/a?q=1", "/a?q=%31", "/A", "#top", "", "/", "mailto:x@example.com", "javascript:void(0)",
            "tel:1", "data:text/plain,x", "http://user:password@HOST/a", "http://[", "/b c", "/b%20c", "/c\td",
        ];
        let host = site.url("").trim_start_matches("http://").to_owned();
        let links: Vec<_> = links.iter().map(|link| link.replace("HOST", &host)).collect();
        let links: Vec<_> = links.iter().map(String::as_str).collect();
        site.set("/", Reply::page("Start", &bot.text("x"), &links));
        for path in ["/a", "/a?", "/a?q=1", "/A", "/b%20c"] {
            site.set(path, Reply::page(path, &bot.text(path), &["/"]));
        }
        let crawl = crawled(bot, &site.url("/"), 3);
        assert_eq!(urls(&crawl), at(&site, &["/", "/a", "/a?", "/a?q=1", "/A", "/b%20c"]));
        let mut asked = site.requests();
        asked.retain(|path| !["/robots.txt", "/sitemap.xml"].contains(&path.as_str()));
        asked.sort();
        assert_eq!(asked, ["/", "/A", "/a", "/a?", "/a?q=1", "/b%20c"]);
    }

    fn other_sites_are_left_alone(bot: &OnBot) {
        let (site, other) = (star(bot, &["/a"]), star(bot, &["/b"]));
        let elsewhere = other.url("/b");
        let other_port = format!("http://{}:1/", site.host());
        site.set("/", Reply::page("Start", &bot.text("x"), &["/a", &elsewhere, &other_port]));
        site.set("/a", Reply::page("A", "x", &[&other.url("/")]));
        let crawl = crawled(bot, &site.url("/"), 10);
        assert_eq!(urls(&crawl), at(&site, &["/", "/a"]));
        assert_eq!((&crawl["status"], &crawl["pagesFailed"]), (&json!("finished"), &json!(0)));
        assert_eq!(other.connections(), 0);
    }

    fn redirects_lead_to_the_page_itself(bot: &OnBot) {
        let site = Site::start();
        site.set("/", Reply::redirect(302, "/home"));
        site.set("/home", Reply::page("Home", &bot.text("x"), &["/old", "/new", "/older", "/"]));
        site.set("/older", Reply::redirect(301, "/old"));
        site.set("/old", Reply::redirect(308, "/new#here"));
        site.set("/new", Reply::page("New", &bot.text("x"), &["/home"]));
        let crawl = crawled(bot, &site.url("/"), 2);
        assert_eq!((&crawl["status"], &crawl["url"]), (&json!("finished"), &json!(site.url("/"))));
        assert_eq!(urls(&crawl), at(&site, &["/home", "/new"]));
        assert_eq!(page(&crawl, &site.url("/home"))["depth"], 0);
        assert_eq!(crawl["pagesScraped"], 2);
        assert_eq!(crawl["pagesFailed"], 0);
    }

    fn what_robots_txt_disallows_is_not_asked_for(bot: &OnBot) {
        let site = star(bot, &["/open", "/closed/a", "/closed/b"]);
        let robots = "User-agent: *\nDisallow: /closed/\nAllow: /closed/b\n";
        site.set("/robots.txt", Reply::status(200).of_type("text/plain").body(robots));
        let crawl = crawled(bot, &site.url("/"), 1);
        let closed = page(&crawl, &site.url("/closed/a"));
        assert_eq!((&closed["error"], &closed["statusCode"]), (&json!("disallowed"), &Value::Null));
        assert_eq!((&closed["content"], &closed["title"]), (&Value::Null, &Value::Null));
        assert_eq!(page(&crawl, &site.url("/closed/b"))["error"], Value::Null);
        assert_eq!((&crawl["pagesScraped"], &crawl["pagesFailed"]), (&json!(3), &json!(1)));
        assert_eq!((site.hits("/robots.txt"), site.hits("/closed/a")), (1, 0));
    }

    fn a_page_can_ask_not_to_be_kept_or_followed(bot: &OnBot) {
        let site = star(bot, &["/unkept", "/unfollowed"]);
        site.set("/unkept", Reply::page("X", "x", &["/beyond"]).header("X-Robots-Tag", "noindex"));
        site.set("/beyond", Reply::page("Z", &bot.text("z"), &[]).header("X-Robots-Tag", "none"));
        let unfollowed = Reply::page("Y", &bot.text("y"), &["/behind"]);
        site.set("/unfollowed", unfollowed.header("X-Robots-Tag", "nofollow"));
        let crawl = crawled(bot, &site.url("/"), 3);
        assert_eq!(page(&crawl, &site.url("/unkept"))["error"], "disallowed");
        assert_eq!(page(&crawl, &site.url("/unfollowed"))["error"], Value::Null);
        assert_eq!(page(&crawl, &site.url("/beyond"))["depth"], 2);
        assert_eq!(site.hits("/behind"), 0);
    }

    fn the_sitemap_leads_to_pages_that_nothing_links(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        site.set("/hidden", Reply::page("Hidden", &bot.text("x"), &[]));
        let location = site.url("/hidden");
        let sitemap = format!(
            "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
             <url><loc>{location}</loc></url></urlset>"
        );
        site.set("/map.xml", Reply::status(200).of_type("application/xml").body(sitemap));
        let robots = format!("Sitemap: {}\n", site.url("/map.xml"));
        site.set("/robots.txt", Reply::status(200).of_type("text/plain").body(robots));
        assert_eq!(urls(&crawled(bot, &site.url("/"), 1)), at(&site, &["/", "/a"]));
        let crawl = crawled(bot, &site.url("/"), 2);
        assert_eq!(urls(&crawl), at(&site, &["/", "/a", "/hidden"]));
        assert_eq!(page(&crawl, &location)["depth"], 2);
    }

    fn text_and_markdown_are_kept_as_they_are(bot: &OnBot) {
        let site = star(bot, &["/notes.txt", "/notes.md"]);
        let text = bot.text("Plain *text*, [no](link).");
        let markdown = format!("# Heading\n\n{}\n\n[link](/b)\n", bot.text("Words."));
        site.set("/notes.txt", Reply::status(200).of_type("text/plain").body(text.clone()));
        site.set("/notes.md", Reply::status(200).of_type("text/markdown").body(markdown.clone()));
        let crawl = crawled(bot, &site.url("/"), 1);
        let content = |path: &str| page(&crawl, &site.url(path))["content"].as_str().unwrap().to_owned();
        assert_eq!(content("/notes.txt").trim_end(), text);
        assert_eq!(content("/notes.md").trim_end(), markdown.trim_end());
    }
}
