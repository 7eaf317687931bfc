//! Crawls that end early, because they or their bots are deleted or archived.

use botyard_tests::waiting::until;
use botyard_tests::{OnBot, Site, each_scheme};
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use super::{at, begin, is_left_alone, jobs, pages, path, star, urls};
use crate::skills::id;

/// A site on which a crawl does not get far: of its pages, only the start and `/a` answer.
fn stubborn(bot: &OnBot<'_>) -> Site {
    let held: Vec<_> = (1..=20).map(|number| format!("/held-{number}")).collect();
    let paths: Vec<_> = ["/a"].into_iter().chain(held.iter().map(String::as_str)).collect();
    let site = star(bot, &paths);
    for path in &held {
        site.hold(path);
    }
    site
}

/// A crawl of it that has both pages, and waits for others.
#[track_caller]
fn stuck(bot: &OnBot<'_>, site: &Site) -> Value {
    let made = begin(bot, &site.url("/"), 1);
    until("it has two pages", || pages(&bot.get(&path(&made)).ok()).len() == 2);
    until("it waits for as many others as it may ask for at once", || waiting(site) == 4);
    made
}

/// How many pages are waited for.
fn waiting(site: &Site) -> usize {
    (1..=20).map(|number| site.waiting(&format!("/held-{number}"))).sum()
}

/// The crawl waits for no page any more, and has asked for none but those in `asked`.
#[track_caller]
fn is_left(bot: &OnBot<'_>, site: &Site, crawl: &Value, asked: &[String]) {
    is_left_alone(bot.tenant.app(), &id(crawl));
    until("nobody waits for a page any more", || waiting(site) == 0);
    assert_eq!(site.requests(), asked);
    for number in 1..=20 {
        site.release(&format!("/held-{number}"));
    }
}

/// A crawl of a bot that goes away is over, and stays so when the bot comes back.
#[track_caller]
fn is_cancelled_with_its_bot(bot: &OnBot<'_>, mode: DeleteMode) {
    let site = stubborn(bot);
    let (made, asked) = (stuck(bot, &site), site.requests());
    let silent = star(bot, &[]);
    silent.hold("/robots.txt");
    let waiting = begin(bot, &silent.url("/"), 0);
    bot.tenant.delete_bot(bot.id(), mode);
    bot.get(&path(&made)).problem(404, "bot_not_found");
    is_left(bot, &site, &made, &asked);
    is_left_alone(bot.tenant.app(), &id(&waiting));
    bot.tenant.restore_bot(bot.id());
    let after = bot.get(&path(&made)).ok();
    assert_eq!((&after["status"], &after["error"]), (&json!("cancelled"), &Value::Null));
    assert!(after["finishedAt"].is_string(), "{after}");
    assert_eq!((&after["pagesScraped"], &after["pagesFailed"]), (&json!(2), &json!(0)));
    assert_eq!(urls(&after), at(&site, &["/", "/a"]));
    assert_eq!(bot.get(&path(&waiting)).ok()["status"], "cancelled");
    // It can be crawled anew.
    let again = begin(bot, &site.url("/"), 1);
    assert_ne!(again["_id"], made["_id"]);
    assert_eq!(super::ended(bot, &again)["pagesScraped"], 22);
}

each_scheme! {
    fn a_crawl_that_is_deleted_stops(bot: &OnBot) {
        let site = stubborn(bot);
        let (made, asked) = (stuck(bot, &site), site.requests());
        let answer = bot.delete(&path(&made)).ok();
        assert_eq!(answer, json!({"deleted": true, "_id": made["_id"]}));
        bot.get(&path(&made)).problem(404, "website_crawl_not_found");
        assert_eq!(bot.get("/embedding").text(), "[]");
        is_left(bot, &site, &made, &asked);
        nothing_is_left(bot, &site);
    }

    fn a_crawl_that_has_not_begun_can_be_deleted(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        site.hold("/robots.txt");
        let running = ["/", "/a"].map(|path| begin(bot, &site.url(path), 0));
        until("two crawls run", || {
            running.iter().all(|crawl| bot.get(&path(crawl)).ok()["status"] == "running")
        });
        let queued = begin(bot, &site.url("/b"), 0);
        assert_eq!(bot.get(&path(&queued)).ok()["status"], "queued");
        let _ = bot.delete(&path(&queued)).ok();
        site.release("/robots.txt");
        for crawl in &running {
            assert_eq!(super::ended(bot, crawl)["status"], "finished");
        }
        is_left_alone(bot.tenant.app(), &id(&queued));
        assert_eq!(site.hits("/b"), 0);
    }

    fn a_crawl_of_an_archived_bot_is_cancelled(bot: &OnBot) {
        is_cancelled_with_its_bot(bot, DeleteMode::Archive);
    }

    fn a_crawl_of_a_bot_in_the_trash_is_cancelled(bot: &OnBot) {
        is_cancelled_with_its_bot(bot, DeleteMode::Trash);
    }

    fn a_crawl_of_a_deleted_bot_goes_along(bot: &OnBot) {
        let site = stubborn(bot);
        let (made, asked) = (stuck(bot, &site), site.requests());
        let _ = bot.delete("").ok();
        is_left(bot, &site, &made, &asked);
        let bot_id = bot.id().to_string();
        until("the deleted bot is torn down", || jobs(bot.tenant.app(), &bot_id) == 0);
        nothing_is_left(bot, &site);
        assert_eq!(bot.tenant.app().sql().rows_with(&bot_id), [""; 0]);
    }
}

/// No table speaks of a page of the site any more.
#[track_caller]
fn nothing_is_left(bot: &OnBot<'_>, site: &Site) {
    let sql = bot.tenant.app().sql();
    let project = bot.tenant.project().id;
    for table in ["pages", "page_sets", "website_crawls"] {
        let rows = format!("SELECT COUNT(*) AS value FROM {table} WHERE project_id = '{project}'");
        until(&format!("{table} of {} are gone", site.url("/")), || sql.number(&rows) == 0);
    }
}
