//! Lists that are sorted, searched, filtered and counted.

use std::thread;

use botyard_tests::{Client, each_database, each_scheme};
use domain::clock::Clock as _;
use serde_json::{Value, json};
use storage_diesel::system::SystemClock;

use crate::bots::BOTS;
use crate::documents::{FILES, UPLOAD, post, replace, text_form};
use crate::embedding;
use crate::skills::id;

const USERS: &str = "/api/external/useraccess/users";

/// A list with three items, made in this order.
struct Found<'a> {
    client: &'a Client<'a>,
    path: String,
    /// The member that holds the name.
    name: &'static str,
    made: Vec<Value>,
}

impl Found<'_> {
    #[track_caller]
    fn get(&self, query: &str) -> Vec<Value> {
        self.client.get(&format!("{}?{query}", self.path)).items()
    }

    /// The items at these places.
    fn items(&self, places: &[usize]) -> Vec<Value> {
        places.iter().map(|place| self.made[*place].clone()).collect()
    }

    /// Checks what every such list does, of three items with these names, of which the first was changed last.
    #[track_caller]
    fn check(&self) {
        let Self { client, path, name, .. } = self;
        let sorts = [
            (name.to_string(), [2, 0, 1]),
            (format!("-{name}"), [1, 0, 2]),
            ("createdAt".to_owned(), [0, 1, 2]),
            ("-createdAt".to_owned(), [2, 1, 0]),
            ("updatedAt".to_owned(), [1, 2, 0]),
            ("-updatedAt".to_owned(), [0, 2, 1]),
        ];
        for (sort, places) in sorts {
            let expected = self.items(&places);
            assert_eq!(self.get(&format!("sort={sort}")), expected, "{path} {sort}");
            let paged = client.collect_pages(&format!("{path}?limit=1&sort={sort}"));
            assert_eq!(paged, (expected, vec![1; 3]), "{path} {sort}");
            let other = format!("{path}?limit=1&sort={sort}");
            let next = client.get(&other).next_page().unwrap();
            let other = next.replace(&format!("sort={sort}"), "sort=updatedAt");
            if sort != "updatedAt" {
                client.get(&other).problem(422, "bad_query");
            }
        }
        for (search, places) in [("ZO%C3%8B", &[1][..]), ("a_", &[2]), ("%25", &[]), ("o", &[0, 1])]
        {
            assert_eq!(self.get(&format!("q={search}")), self.items(places), "{path} {search}");
            let counted = client.get(&format!("{path}?q={search}&count=true&limit=1"));
            let total = places.len().to_string();
            assert_eq!(counted.header("x-total-count"), Some(total.as_str()), "{path}");
        }
        let last = self.made[0]["updatedAt"].as_str().unwrap();
        assert_eq!(self.get(&format!("updatedSince={last}")), self.items(&[0]), "{path}");
        let all = self.get("updatedSince=2026-01-01");
        assert_eq!(all, self.items(&[1, 2, 0]), "{path}");
        let by_name = self.get(&format!("updatedSince=2026-01-01&sort={name}"));
        assert_eq!(by_name, self.items(&[2, 0, 1]), "{path}");
        let whole = client.get(&format!("{path}?count=true"));
        assert_eq!(whole.header("x-total-count"), Some("3"), "{path}");
        for query in ["", "?count=false", "?limit=1"] {
            let uncounted = client.get(&format!("{path}{query}"));
            assert_eq!(uncounted.header("x-total-count"), None, "{path}{query}");
        }
    }
}

/// Lets a millisecond pass, so that what is made next is newer.
fn a_moment() {
    let begun = SystemClock.now();
    while SystemClock.now() <= begun {
        thread::yield_now();
    }
}

const NAMES: [&str; 3] = ["Bob", "zoë", "A_1"];

/// Makes three items, and has the first changed after that.
fn made(mut make: impl FnMut(&str) -> Value, change: impl FnOnce(&Value) -> Value) -> Vec<Value> {
    let mut made: Vec<_> = NAMES
        .iter()
        .map(|name| {
            a_moment();
            make(name)
        })
        .collect();
    a_moment();
    made[0] = change(&made[0]);
    made
}

each_scheme! {
    fn what_a_bot_has_is_found(bot: &OnBot) {
        for (list, name, more, change) in [
            ("/skills", "name", json!({}), json!({"enabled": false})),
            ("/stages", "name", json!({}), json!({"hidden": true})),
            ("/fusion", "title", json!({"type": "t"}), json!({"note": 1})),
        ] {
            let body = |text: &str| {
                let mut body = more.clone();
                body[name] = bot.text(text).into();
                body
            };
            let made = made(
                |text| bot.post(list, &body(text)).ok(),
                |first| bot.put(&format!("{list}/{}", id(first)), &change).ok(),
            );
            Found { client: &bot.client, path: bot.path(list), name, made }.check();
        }
    }

    fn crawls_are_found(bot: &OnBot) {
        let mut number = 0;
        let made = made(
            |text| {
                number += 1;
                let url = format!("http://10.0.0.{number}/");
                let body = json!({"url": url, "name": bot.text(text), "depth": 0});
                let crawl = bot.post("/embedding", &body).ok();
                embedding::ended(bot, &crawl)
            },
            |first| bot.put(&embedding::path(first), &json!({"active": false})).ok(),
        );
        let without_pages = |mut crawl: Value| {
            crawl.as_object_mut().unwrap().remove("pages");
            crawl
        };
        let made: Vec<_> = made.into_iter().map(without_pages).collect();
        let found =
            Found { client: &bot.client, path: bot.path("/embedding"), name: "name", made };
        found.check();
        assert_eq!(found.get("q=10.0.0.2"), found.items(&[1]));
        assert_eq!(found.get("status=failed"), found.items(&[0, 1, 2]));
        assert_eq!(found.get("status=failed&sort=name&q=bo"), found.items(&[0]));
        assert_eq!(found.get("status=finished"), [Value::Null; 0]);
    }
}

each_database! {
    fn what_a_project_has_is_found(app: &TestApp) {
        let tenant = app.tenant();
        let project = tenant.as_project();
        let _ = project.delete(&format!("{BOTS}/{}?mode=archive", tenant.bot())).ok();
        let bots = made(
            |text| project.post(BOTS, &json!({"name": tenant.text(text)})).ok(),
            |first| project.put(&format!("{BOTS}/{}", id(first)), &json!({"temperature": 0.5})).ok(),
        );
        let [first, second] = [0, 1].map(|place: usize| id(&bots[place]));
        Found { client: &project, path: BOTS.to_owned(), name: "name", made: bots }.check();
        let form = |name: &str, text: &str| {
            text_form(&tenant.text(name), &tenant.text(text)).text("extract", "false")
        };
        let documents = made(
            |name| post(&project, UPLOAD, &form(name, name)).ok()["projectDoc"].clone(),
            |first| {
                let _ = replace(&project, &id(first), &form("Bob", "Bob once more")).ok();
                project.get(&format!("{FILES}/{}", id(first))).ok()
            },
        );
        let last = id(&documents[2]);
        let found =
            Found { client: &project, path: FILES.to_owned(), name: "fileName", made: documents };
        found.check();
        let by_size = found.get("sort=-size");
        assert_eq!(by_size[0], found.made[0]);
        for (query, places) in [
            ("status=none", &[0, 1, 2][..]),
            ("status=finished", &[]),
            ("assigned=false", &[0, 1, 2]),
            ("mimeType=text%2Fplain", &[0, 1, 2]),
            ("mimeType=text", &[]),
        ] {
            assert_eq!(found.get(query), found.items(places), "{query}");
        }
        let _ = project.post(&format!("{BOTS}/{first}/doc/assign"), &json!({"docIds": [last]})).ok();
        for query in ["assigned=true".to_owned(), format!("botId={first}")] {
            let assigned = found.get(&query);
            assert_eq!((assigned.len(), id(&assigned[0])), (1, last.clone()), "{query}");
        }
        assert_eq!(found.get(&format!("botId={second}")), [Value::Null; 0]);
        let foreign = app.tenant().new_bot("foreign");
        assert_eq!(found.get(&format!("botId={foreign}")), [Value::Null; 0]);
    }

    fn users_are_found(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let user = |body: Value| client.put("/api/external/useraccess/user", &body).ok();
        let made = made(
            |text| {
                let body = json!({"guestId": tenant.text(text)});
                client.post("/api/external/useraccess/user", &body).ok()
            },
            |first| user(json!({"_id": id(first), "x": 1})),
        );
        let found = Found { client: &client, path: USERS.to_owned(), name: "guestId", made };
        found.check();
        let named = user(json!({"_id": id(&found.made[2]), "name": tenant.text("Nobody")}));
        assert_eq!(found.get("q=NOBODY"), [named]);
    }
}
