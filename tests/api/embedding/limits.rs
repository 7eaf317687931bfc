//! How much may be crawled, and how much at once.

use botyard_tests::waiting::until;
use botyard_tests::{CRAWLS_LOOPBACK, OnBot, Reply, Site, TestApp, each_database};
use serde_json::{Value, json};

use super::{begin, crawled, ended, path, star};

/// A server of the test's own that crawls sites on loopback, with these settings besides.
#[track_caller]
fn start(database: botyard_tests::Database, settings: &[(&str, &str)]) -> TestApp {
    TestApp::start(database, &[&CRAWLS_LOOPBACK, settings].concat())
}

fn status(bot: &OnBot<'_>, crawl: &Value) -> Value {
    bot.get(&path(crawl)).ok()["status"].clone()
}

each_database! {
    fn a_project_has_only_so_many_crawls_that_wait(database: Database) {
        let settings = [("LIMITS__QUEUED_CRAWLS_PER_PROJECT", "2"), ("LIMITS__CRAWLS_PER_BOT", "1")];
        let app = start(database, &settings);
        let bot = app.tenant().with_project_token();
        let site = star(&bot, &[]);
        site.hold("/robots.txt");
        let running = begin(&bot, &site.url("/?1"), 0);
        until("the first runs", || status(&bot, &running) == "running");
        let queued = [2, 3].map(|number| begin(&bot, &site.url(&format!("/?{number}")), 0));
        let before = bot.tenant.snapshot();
        let other = format!("{}/{}/embedding", crate::bots::BOTS, bot.tenant.new_bot("other"));
        for path in [bot.path("/embedding"), other] {
            let answer = bot.client.post(&path, &json!({"url": site.url("/?4")}));
            answer.problem(429, "too_many_at_once");
            assert_eq!(answer.header("retry-after"), Some("1"));
        }
        // What waits or runs already is returned all the same.
        for crawl in [&queued[0], &running] {
            assert_eq!(begin(&bot, crawl["url"].as_str().unwrap(), 5)["_id"], crawl["_id"]);
        }
        let after = bot.tenant.snapshot();
        let crawls = |rows: &[String]| rows.iter().filter(|row| row.contains("/?")).count();
        assert_eq!(crawls(after.rows()), crawls(before.rows()));
        // Another project has a limit of its own.
        let stranger = app.tenant().with_bot_token();
        let _ = begin(&stranger, &site.url("/?4"), 0);

        let _ = bot.delete(&path(&queued[0])).ok();
        let last = begin(&bot, &site.url("/?4"), 0);
        site.release("/robots.txt");
        for crawl in [&running, &queued[1], &last] {
            let _ = ended(&bot, crawl);
        }
    }

    fn crawls_of_a_bot_wait_for_each_other(database: Database) {
        let app = start(database, &[("LIMITS__CRAWLS_PER_BOT", "1")]);
        let bot = app.tenant().with_bot_token();
        let site = star(&bot, &["/a"]);
        // Everybody may see this one.
        site.set("/a", Reply::page("A", "Words.", &[]));
        site.hold("/");
        let first = begin(&bot, &site.url("/"), 0);
        until("the first runs", || site.waiting("/") == 1);
        let second = begin(&bot, &site.url("/a"), 0);
        let other = app.tenant().with_bot_token();
        let of_other = begin(&other, &site.url("/a"), 0);
        // By then the second would have run as well.
        assert_eq!(ended(&other, &of_other)["status"], "finished");
        assert_eq!(status(&bot, &second), "queued");
        assert_eq!(bot.get(&path(&second)).ok()["startedAt"], Value::Null);
        site.release("/");
        let (first, second) = (ended(&bot, &first), ended(&bot, &second));
        assert_eq!((&first["status"], &second["status"]), (&json!("finished"), &json!("finished")));
        assert!(first["finishedAt"].as_str() <= second["startedAt"].as_str(), "{first} {second}");
    }

    fn a_crawl_has_only_so_many_pages(database: Database) {
        let app = start(database, &[("CRAWLER__PAGES", "3")]);
        let bot = app.tenant().with_bot_token();
        let site = star(&bot, &["/a", "/b", "/c", "/d"]);
        let crawl = crawled(&bot, &site.url("/"), 3);
        assert_eq!((&crawl["status"], &crawl["error"]), (&json!("finished"), &json!("page_limit")));
        assert_eq!((&crawl["pagesScraped"], &crawl["pagesFailed"]), (&json!(3), &json!(0)));
        assert_eq!(site.hits("/c") + site.hits("/d"), 0);
        // One that needs no more has all of them.
        let crawl = crawled(&bot, &site.url("/a"), 0);
        assert_eq!(crawl["error"], Value::Null);
    }

    fn a_crawl_fetches_only_so_many_bytes(database: Database) {
        let app = start(database, &[("CRAWLER__BYTES", "32KiB")]);
        let bot = app.tenant().with_bot_token();
        let site = Site::start();
        for number in 0..40 {
            let next = format!("/{}", number + 1);
            let text = bot.text("x").repeat(300);
            site.set(&format!("/{number}"), Reply::page("x", &text, &[&next]));
        }
        let crawl = crawled(&bot, &site.url("/0"), 10);
        assert_eq!((&crawl["status"], &crawl["error"]), (&json!("finished"), &json!("byte_limit")));
        let pages = crawl["pagesScraped"].as_u64().unwrap();
        assert!((2..9).contains(&pages), "{pages}");
    }

    fn a_page_has_only_so_many_bytes_and_so_much_time(database: Database) {
        let settings = [("CRAWLER__WIRE_BYTES", "8KiB"), ("CRAWLER__PAGE_TIMEOUT", "3s")];
        let app = start(database, &settings);
        let bot = app.tenant().with_bot_token();
        let site = star(&bot, &["/large", "/slow"]);
        site.set("/large", Reply::page("Large", &"x".repeat(10_000), &[]));
        site.hold("/slow");
        let crawl = crawled(&bot, &site.url("/"), 1);
        assert_eq!(super::page(&crawl, &site.url("/large"))["error"], "too_large");
        assert_eq!(super::page(&crawl, &site.url("/slow"))["error"], "timeout");
        assert_eq!((&crawl["pagesScraped"], &crawl["pagesFailed"]), (&json!(1), &json!(2)));
    }

    fn a_crawl_takes_only_so_long(database: Database) {
        let settings = [("CRAWLER__TIME", "6s"), ("CRAWLER__PAGE_TIMEOUT", "4s")];
        let app = start(database, &settings);
        let bot = app.tenant().with_bot_token();
        let paths: Vec<_> = (1..=40).map(|number| format!("/{number}")).collect();
        let paths: Vec<_> = paths.iter().map(String::as_str).collect();
        let site = star(&bot, &paths);
        for path in &paths {
            site.hold(path);
        }
        let crawl = crawled(&bot, &site.url("/"), 1);
        assert_eq!((&crawl["status"], &crawl["error"]), (&json!("finished"), &json!("time_limit")));
        assert_eq!(crawl["pagesScraped"], 1);
        let asked = paths.iter().filter(|path| site.hits(path) > 0).count();
        assert!((1..paths.len()).contains(&asked), "{asked}");
    }
}
