//! What an operator sees of website-crawls, and which doors of the server stay closed to them.

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{CRAWLS_LOOPBACK, OnBot, Reply, Site, TestApp, each_database};
use serde_json::{Value, json};

use super::command::botyard;
use super::metrics_port::metrics_address;
use super::setup::text;

/// Crawls an address to its end.
#[track_caller]
fn crawled(bot: &OnBot<'_>, url: &str) -> Value {
    let begun = bot.post("/embedding", &json!({"url": url, "depth": 1})).ok();
    eventually("the crawl ends", || {
        let crawl = bot.get(&format!("/embedding/{}", text(&begun["_id"]))).ok();
        crawl["finishedAt"].is_string().then_some(crawl)
    })
}

each_database! {
    fn the_log_says_how_a_crawl_ended_and_not_of_what(database: Database) {
        let app = TestApp::start(database, &CRAWLS_LOOPBACK);
        let bot = app.tenant().with_bot_token();
        let site = Site::start();
        site.set("/secret-place", Reply::page("Here", "Some text.", &["/nowhere"]));
        let crawl = crawled(&bot, &site.url("/secret-place"));
        assert_eq!((&crawl["pagesScraped"], &crawl["pagesFailed"]), (&json!(1), &json!(1)));
        let line = eventually("the log says so", || {
            let log = app.server().log();
            log.lines().find(|line| line.contains("a website-crawl ended")).map(str::to_owned)
        });
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&line["level"], &line["id"]), (&json!("INFO"), &crawl["_id"]));
        assert_eq!((&line["status"], &line["error"]), (&json!("finished"), &Value::Null));
        assert_eq!((&line["pages"], &line["failed"]), (&json!(1), &json!(1)));
        assert!(line["bytes"].as_u64() > Some(0) && line["milliseconds"].is_u64(), "{line}");
        assert!(!app.server().log().contains("secret-place"), "{}", app.server().log());
    }

    fn a_crawl_that_runs_is_a_job_in_the_list(database: Database) {
        let app = TestApp::start(database, &CRAWLS_LOOPBACK);
        let bot = app.tenant().with_bot_token();
        let site = Site::start();
        site.hold("/");
        let begun = bot.post("/embedding", &json!({"url": site.url("/")})).ok();
        until("the page is asked for", || site.waiting("/") == 1);
        let listed = botyard(app.installation(), &["job", "list"]);
        let line = listed.done().lines().find(|line| line.contains("  crawl            running  "));
        let subject = format!("  {}", text(&begun["_id"]));
        assert!(line.is_some_and(|line| line.ends_with(&subject)), "{listed:?}");
    }

    fn no_setting_opens_a_door_of_the_server_itself(database: Database) {
        let everywhere = "0.0.0.0:0";
        let [networks, delay] = CRAWLS_LOOPBACK;
        let settings = [networks, delay, ("LISTEN", everywhere), ("METRICS__LISTEN", everywhere)];
        let app = TestApp::start(database, &settings);
        let bot = app.tenant().with_bot_token();
        for door in [app.server().address(), metrics_address(app.server())] {
            let crawl = crawled(&bot, &format!("http://127.0.0.1:{}/metrics", door.port()));
            assert_eq!(crawl["status"], "failed");
            assert_eq!(crawl["error"], "blocked_address");
        }
    }
}
