//! A crawl while it runs.

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::{at, begin, ended, page, pages, path, star, urls, without_pages};

/// The crawl as soon as it says that it has so many pages. They are read after it, and may be more.
#[track_caller]
fn with_pages(bot: &OnBot<'_>, crawl: &Value, count: usize) -> Value {
    eventually("the pages are there", || {
        let crawl = bot.get(&path(crawl)).ok();
        let said = [&crawl["pagesScraped"], &crawl["pagesFailed"]];
        let said: u64 = said.iter().filter_map(|pages| pages.as_u64()).sum();
        (said == count as u64).then_some(crawl)
    })
}

each_scheme! {
    fn the_pages_so_far_can_be_read(bot: &OnBot) {
        let site = star(bot, &["/a", "/held", "/b", "/gone"]);
        site.set("/gone", botyard_tests::Reply::status(404));
        site.hold("/held");
        let made = begin(bot, &site.url("/"), 1);
        let running = with_pages(bot, &made, 4);
        assert_eq!(urls(&running), at(&site, &["/", "/a", "/b", "/gone"]));
        assert_eq!((&running["status"], &running["error"]), (&json!("running"), &Value::Null));
        assert_eq!((&running["pagesScraped"], &running["pagesFailed"]), (&json!(3), &json!(1)));
        assert!(running["startedAt"].is_string(), "{running}");
        assert_eq!(running["finishedAt"], Value::Null);
        assert_eq!(bot.get("/embedding").items(), [without_pages(running.clone())]);

        site.release("/held");
        let after = ended(bot, &made);
        assert_eq!((&after["status"], &after["pagesScraped"]), (&json!("finished"), &json!(4)));
        assert_eq!(urls(&after), at(&site, &["/", "/a", "/held", "/b", "/gone"]));
        // Those that were there are the same, and stand in the order in which they were found.
        for early in pages(&running) {
            assert_eq!(*page(&after, early["url"].as_str().unwrap()), early);
        }
        let depths: Vec<_> = pages(&after).iter().map(|page| page["depth"].clone()).collect();
        assert_eq!(depths, [0, 1, 1, 1, 1].map(Value::from));
    }

    fn nothing_moves_while_a_page_does_not_come(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        site.hold("/robots.txt");
        let made = begin(bot, &site.url("/"), 1);
        until("somebody waits for the page", || site.waiting("/robots.txt") == 1);
        let running = bot.get(&path(&made)).ok();
        assert_eq!((&running["status"], &running["pagesScraped"]), (&json!("running"), &json!(0)));
        assert_eq!(running["pages"], json!([]));
        site.release("/robots.txt");
        assert_eq!(ended(bot, &made)["pagesScraped"], 2);
    }

    fn progress_is_no_change(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        let made = begin(bot, &site.url("/"), 1);
        let after = ended(bot, &made);
        assert_eq!(after["updatedAt"], made["updatedAt"]);
        let entries = bot.get("/changelog").items();
        let of_crawls = entries.iter().filter(|entry| entry["resource"] == "embedding");
        assert_eq!(of_crawls.count(), 1);
    }

    fn a_crawl_that_runs_can_be_changed(bot: &OnBot) {
        let site = star(bot, &["/a", "/held"]);
        site.hold("/held");
        let made = begin(bot, &site.url("/"), 1);
        let running = with_pages(bot, &made, 2);
        let given = json!({
            "name": bot.text("new"), "description": bot.text("new"), "skillId": "x", "active": false,
        });
        let updated = bot.put(&path(&made), &given).ok();
        for (field, value) in given.as_object().unwrap() {
            assert_eq!(updated[field], *value, "{field}");
        }
        for field in ["status", "pagesScraped", "pagesFailed", "startedAt"] {
            assert_eq!(updated[field], running[field], "{field}");
        }
        site.release("/held");
        let after = ended(bot, &made);
        assert_eq!((&after["status"], &after["pagesScraped"]), (&json!("finished"), &json!(3)));
        for field in ["name", "description", "skillId", "active", "updatedAt"] {
            assert_eq!(after[field], updated[field], "{field}");
        }
    }
}
