//! What a copy of a bot has of its crawls.

use botyard_tests::waiting::until;
use botyard_tests::{OnBot, Reply, each_scheme};
use serde_json::{Value, json};

use super::{begin, crawled, make, pages, path, star, urls, without_pages};
use crate::bots::BOTS;
use crate::skills::id;

/// Duplicates the bot; returns the path of the copy.
#[track_caller]
fn duplicate(bot: &OnBot<'_>) -> String {
    format!("{BOTS}/{}", id(&bot.post("/duplicate", &json!({})).ok()))
}

/// Without what a copy has of its own.
fn bare(mut crawl: Value) -> Value {
    let own = ["_id", "botId", "createdAt", "updatedAt"];
    crawl.as_object_mut().unwrap().retain(|name, _| !own.contains(&name.as_str()));
    crawl
}

/// How many page sets the project has.
fn page_sets(bot: &OnBot<'_>) -> i64 {
    let project = bot.tenant.project().id;
    let count = format!("SELECT COUNT(*) AS value FROM page_sets WHERE project_id = '{project}'");
    bot.tenant.app().sql().number(&count)
}

/// How many of them lost a crawl, and are yet to be looked at.
fn released(bot: &OnBot<'_>) -> i64 {
    let project = bot.tenant.project().id;
    bot.tenant.app().sql().number(&format!(
        "SELECT COUNT(*) AS value FROM jobs \
         WHERE kind = 'remove_page_set' AND project_id = '{project}'"
    ))
}

each_scheme! {
    fn a_copy_shares_the_pages_of_its_original(bot: &OnBot) {
        let site = star(bot, &["/a", "/gone"]);
        site.set("/gone", Reply::status(404));
        let crawl = crawled(bot, &site.url("/"), 1);
        let failed = make(bot, "failed");
        let given = json!({"skillId": "x", "description": bot.text("x"), "active": false});
        let _ = bot.put(&path(&crawl), &given).ok();
        let crawl = bot.get(&path(&crawl)).ok();
        let (requests, sets) = (site.requests(), page_sets(bot));

        let (copy, project) = (duplicate(bot), bot.tenant.as_project());
        let copies = project.get(&format!("{copy}/embedding")).items();
        let [of_crawl, of_failed] = &copies[..] else { panic!("{copies:?}") };
        assert_eq!(bare(of_failed.clone()), bare(failed.clone()));
        let read = |crawl: &Value| project.get(&format!("{copy}{}", path(crawl)));
        assert_eq!(bare(read(of_crawl).ok()), bare(crawl.clone()));
        assert_ne!(of_crawl["_id"], crawl["_id"]);
        assert!(of_crawl["createdAt"].as_str() >= crawl["updatedAt"].as_str(), "{of_crawl}");
        assert_eq!(of_crawl["createdAt"], of_crawl["updatedAt"]);
        // Nothing was crawled again, and nothing is there twice.
        assert_eq!(site.requests(), requests);
        assert_eq!(page_sets(bot), sets);
        read(&crawl).problem(404, "website_crawl_not_found");
        bot.get(&path(of_crawl)).problem(404, "website_crawl_not_found");

        // The pages stay as long as one of them has them.
        let _ = bot.delete(&path(&crawl)).ok();
        let _ = bot.delete(&path(&failed)).ok();
        until("the page sets are looked at", || released(bot) == 0);
        assert_eq!(read(of_crawl).ok()["pages"], crawl["pages"]);
        assert_eq!(pages(&read(of_crawl).ok()).len(), 3);
        let _ = project.delete(&format!("{copy}{}", path(of_crawl))).ok();
        until("the pages of both are gone", || page_sets(bot) == 1);
        assert_eq!(pages(&read(of_failed).ok()).len(), 1);
    }

    fn pages_outlive_the_bot_that_crawled_them(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        let crawl = crawled(bot, &site.url("/"), 1);
        let copy = duplicate(bot);
        let project = bot.tenant.as_project();
        let [of_crawl] = &project.get(&format!("{copy}/embedding")).items()[..] else {
            panic!("one crawl");
        };
        let _ = bot.delete("").ok();
        let gone = bot.id().to_string();
        until("the bot is torn down", || super::jobs(bot.tenant.app(), &gone) == 0);
        let read = project.get(&format!("{copy}{}", path(of_crawl))).ok();
        assert_eq!(read["pages"], crawl["pages"]);
    }

    fn a_crawl_that_has_not_ended_stays_behind(bot: &OnBot) {
        let site = star(bot, &["/a", "/held"]);
        let ended = make(bot, "ended");
        site.hold("/held");
        let running = begin(bot, &site.url("/"), 1);
        until("it runs", || site.waiting("/held") == 1);
        let (copy, project) = (duplicate(bot), bot.tenant.as_project());
        let copies = project.get(&format!("{copy}/embedding")).items();
        assert_eq!(copies.into_iter().map(bare).collect::<Vec<_>>(), [bare(ended)]);
        // The original's goes on, and the copy can have one of its own.
        let body = json!({"url": site.url("/"), "depth": 1});
        let own = project.post(&format!("{copy}/embedding"), &body).ok();
        assert_ne!(own["_id"], running["_id"]);
        site.release("/held");
        let after = super::ended(bot, &running);
        assert_eq!(after["pagesScraped"], 3);
        let own = super::ended_at(&project, &format!("{copy}{}", path(&own)));
        assert_eq!(urls(&own), urls(&after));
    }

    fn a_change_of_one_is_none_of_the_other(bot: &OnBot) {
        let crawl = make(bot, "x");
        let (copy, project) = (duplicate(bot), bot.tenant.as_project());
        let [of_crawl] = &project.get(&format!("{copy}/embedding")).items()[..] else {
            panic!("one crawl");
        };
        let of_copy = format!("{copy}{}", path(of_crawl));
        let _ = project.put(&of_copy, &json!({"active": false})).ok();
        assert_eq!(without_pages(bot.get(&path(&crawl)).ok()), crawl);
        let _ = bot.put(&path(&crawl), &json!({"description": bot.text("x")})).ok();
        assert_eq!(project.get(&of_copy).ok()["description"], Value::Null);
    }
}
