//! `GET {bot}/embedding` and `GET {bot}/embedding/{scrapeId}`

use botyard_tests::{Reply, Site, each_scheme};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{at, begin, crawled, ended, make, page, pages, path, star, urls, without_pages};
use crate::skills::{NEVER, each, id};

each_scheme! {
    fn a_crawl_has_every_member_and_so_have_its_pages(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        let crawl = crawled(bot, &site.url("/"), 1);
        let start = page(&crawl, &site.url("/"));
        let content = start["content"].as_str().unwrap();
        assert!(content.contains(&bot.text("The start.")), "{content}");
        let hash: String =
            Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(*start, json!({
            "_id": start["_id"],
            "url": site.url("/"),
            "title": "Start",
            "depth": 0,
            "statusCode": 200,
            "content": content,
            "contentHash": hash,
            "scrapedAt": start["scrapedAt"],
            "error": null,
        }));
        assert!(domain::id::PageId::parse(&id(start)).is_some());
        assert_eq!(crawl, json!({
            "_id": crawl["_id"],
            "botId": bot.id().to_string(),
            "url": site.url("/"),
            "depth": 1,
            "skillId": null,
            "description": null,
            "name": site.host(),
            "active": true,
            "status": "finished",
            "error": null,
            "pagesScraped": 2,
            "pagesFailed": 0,
            "startedAt": crawl["startedAt"],
            "finishedAt": crawl["finishedAt"],
            "createdAt": crawl["createdAt"],
            "updatedAt": crawl["createdAt"],
            "pages": [start, page(&crawl, &site.url("/a"))],
        }));
        let times = ["createdAt", "startedAt", "finishedAt"].map(|time| crawl[time].as_str().unwrap());
        assert!(times.is_sorted(), "{times:?}");
        let scraped = start["scrapedAt"].as_str().unwrap();
        assert!(times[1] <= scraped && scraped <= times[2], "{scraped} in {times:?}");
    }

    fn crawls_are_listed_oldest_first_and_without_pages(bot: &OnBot) {
        assert_eq!(bot.get("/embedding").text(), "[]");
        let made: Vec<_> = ["a", "b", "c"].iter().map(|name| make(bot, name)).collect();
        assert_eq!(bot.get("/embedding").items(), made);
        let (collected, sizes) = bot.client.collect_pages(&bot.path("/embedding?limit=2"));
        assert_eq!((collected, sizes), (made.clone(), vec![2, 1]));
        let cursor = format!("/embedding?cursor={}", id(&made[0]));
        assert_eq!(bot.get(&cursor).items(), made[1..]);
        bot.get("/embedding?limit=0").problem(422, "bad_query");
        bot.get("/embedding?cursor=1").problem(422, "bad_query");
    }

    fn a_single_read_has_no_pages_of_its_own_kind(bot: &OnBot) {
        let made = make(bot, "x");
        bot.get(&format!("{}?limit=1", path(&made))).problem(422, "bad_query");
        bot.get(&format!("{}?cursor=1", path(&made))).problem(422, "bad_query");
    }

    fn all_pages_come_with_a_read_and_in_the_order_in_which_they_were_found(bot: &OnBot) {
        let site = Site::start();
        let paths: Vec<_> = (1..=120).map(|number| format!("/page-{number}")).collect();
        let links: Vec<_> = paths.iter().map(String::as_str).collect();
        site.set("/", Reply::page("Start", "Many pages.", &links));
        for path in &paths {
            // Large enough that they are not read in one go.
            let text = format!("<p>{}</p>", bot.text(path)).repeat(400);
            site.set(path, Reply::page(path, &text, &["/"]));
        }
        let crawl = crawled(bot, &site.url("/"), 1);
        let found: Vec<_> = each(&pages(&crawl), "url");
        let expected = ["/"].into_iter().chain(links).map(|path| json!(site.url(path)));
        assert_eq!(found, expected.collect::<Vec<_>>());
        assert_eq!(crawl["pagesScraped"], 121);
        for page in pages(&crawl) {
            assert_eq!(page["error"], Value::Null, "{page}");
        }
        let mut ids: Vec<_> = pages(&crawl).iter().map(id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 121);
        // A read of the same is the same, to the byte.
        let first = bot.get(&path(&crawl));
        assert_eq!(first.bytes(), bot.get(&path(&crawl)).bytes());
        assert!(first.bytes().len() > 1 << 20);
    }

    fn what_is_not_there_is_not_found(bot: &OnBot) {
        let made = make(bot, "x");
        for id in [NEVER.to_owned(), id(&made).to_uppercase(), "x".to_owned(), "%00".to_owned()] {
            let rel = format!("/embedding/{id}");
            let answers = [
                bot.get(&rel),
                bot.put(&rel, &json!({"name": "y"})),
                bot.delete(&rel),
            ];
            for answer in answers {
                answer.problem(404, "website_crawl_not_found");
            }
        }
    }

    fn a_crawl_that_was_deleted_is_gone(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        let crawl = crawled(bot, &site.url("/"), 1);
        let kept = make(bot, "kept");
        let answer = bot.delete(&path(&crawl)).ok();
        assert_eq!(answer, json!({"deleted": true, "_id": crawl["_id"]}));
        bot.get(&path(&crawl)).problem(404, "website_crawl_not_found");
        bot.delete(&path(&crawl)).problem(404, "website_crawl_not_found");
        assert_eq!(bot.get("/embedding").items(), [kept]);
    }

    fn an_address_can_be_crawled_again(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        let first = begin(bot, &site.url("/"), 1);
        let first = ended(bot, &first);
        site.set("/", Reply::page("Start", &bot.text("Another start."), &["/b"]));
        let second = crawled(bot, &site.url("/"), 1);
        assert_ne!(second["_id"], first["_id"]);
        assert_eq!(urls(&second), at(&site, &["/", "/b"]));
        // What was crawled before stays as it was.
        assert_eq!(bot.get(&path(&first)).ok(), first);
        assert_eq!(
            bot.get("/embedding").items(),
            [without_pages(first), without_pages(second)]
        );
    }
}
