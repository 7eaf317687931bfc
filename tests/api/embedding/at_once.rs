//! Many who want the same crawl, or many crawls, at the same time.

use botyard_tests::waiting::until;
use botyard_tests::{at_once, each_scheme};
use serde_json::{Value, json};

use super::{begin, ended, jobs, page, path, star, without_pages};
use crate::skills::{each, id};

const CALLERS: usize = 50;

/// What all of these are.
#[track_caller]
fn one(values: &[Value]) -> Value {
    assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
    values[0].clone()
}

each_scheme! {
    fn a_request_for_a_crawl_that_runs_gets_that_one(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        site.hold("/");
        let made = at_once(CALLERS, |number| {
            let name = bot.text(&number.to_string());
            // They write it differently.
            let url = format!("{}#{number}", site.url(["/", "/x/.."][number % 2]));
            bot.post("/embedding", &json!({"url": url, "name": name, "depth": 1})).ok()
        });
        let crawl = one(&each(&made, "_id"));
        one(&each(&made, "name"));
        one(&each(&made, "createdAt"));
        let crawl = crawl.as_str().unwrap();
        assert_eq!(bot.get("/embedding").items().len(), 1);
        let app = bot.tenant.app();
        assert_eq!(jobs(app, crawl), 1);
        let entries = bot.get("/changelog").items();
        assert_eq!(entries.iter().filter(|entry| entry["resource"] == "embedding").count(), 1);

        until("the site is asked", || site.waiting("/") == 1);
        // What is said of a crawl that runs already changes nothing of it.
        let again = json!({"url": site.url("/"), "depth": 9, "description": bot.text("another")});
        let again = bot.post("/embedding", &again).ok();
        assert_eq!(again, without_pages(bot.get(&path(&made[0])).ok()));
        assert_eq!((&again["_id"], &again["status"]), (&made[0]["_id"], &json!("running")));
        assert_eq!((&again["depth"], &again["description"]), (&json!(1), &Value::Null));

        site.release("/");
        let after = ended(bot, &made[0]);
        assert_eq!(after["pagesScraped"], 2);
        assert_eq!((site.hits("/"), site.hits("/a"), site.hits("/robots.txt")), (1, 1, 1));
    }

    fn other_addresses_and_other_bots_have_crawls_of_their_own(bot: &OnBot) {
        let site = star(bot, &["/a", "/b"]);
        for path in ["/", "/a", "/b"] {
            site.hold(path);
        }
        let made = ["/", "/a", "/b"].map(|path| begin(bot, &site.url(path), 0));
        let other = format!("{}/{}", crate::bots::BOTS, bot.tenant.new_bot("other"));
        let project = bot.tenant.as_project();
        let body = json!({"url": site.url("/"), "depth": 0});
        let of_other = project.post(&format!("{other}/embedding"), &body).ok();
        let mut ids: Vec<_> = made.iter().chain([&of_other]).map(id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 4);
        for path in ["/", "/a", "/b"] {
            site.release(path);
        }
        for (crawl, path) in made.iter().zip(["/", "/a", "/b"]) {
            let after = ended(bot, crawl);
            assert_eq!((&after["status"], &after["pagesScraped"]), (&json!("finished"), &json!(1)));
            let _ = page(&after, &site.url(path));
        }
        let path = format!("{other}{}", path(&of_other));
        assert_eq!(super::ended_at(&project, &path)["status"], "finished");
        assert_eq!(bot.get("/embedding").items().len(), 3);
    }

    fn of_deletes_of_one_crawl_one_is_done(bot: &OnBot) {
        let site = star(bot, &["/a"]);
        site.hold("/");
        let made = begin(bot, &site.url("/"), 1);
        let answers = at_once(20, |_| bot.delete(&path(&made)));
        let refused: Vec<_> = answers.iter().filter(|answer| answer.status() != 200).collect();
        assert_eq!(refused.len(), 19);
        for answer in refused {
            answer.problem(404, "website_crawl_not_found");
        }
        assert_eq!(bot.get("/embedding").text(), "[]");
        site.release("/");
    }
}
