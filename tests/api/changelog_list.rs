//! `GET {bot}/changelog` as a list: its pages, its filters and its bound of 5 000 entries.

use std::sync::Arc;

use botyard_tests::waiting::until;
use botyard_tests::{OnBot, each_database, each_scheme};
use domain::id::Ids;
use serde_json::{Value, json};
use storage_diesel::system::{SystemClock, SystemEntropy};

use crate::changelog::{entries, latest};

each_scheme! {
    fn pages_together_are_the_whole_changelog(bot: &OnBot) {
        for number in 0..6 {
            let _ = bot.put("", &json!({"activeDocSearchCount": number})).ok();
        }
        let whole = entries(bot);
        assert_eq!(whole.len(), 7);
        for (limit, pages) in [(1, 7), (3, 3), (6, 2), (7, 1), (1_000, 1)] {
            let (mut collected, mut count) = (Vec::new(), 0);
            let mut next = Some(bot.path(&format!("/changelog?limit={limit}")));
            while let Some(path) = next {
                let page = bot.client.get(&path);
                collected.extend(page.items());
                next = page.next_page();
                count += 1;
                assert!(count <= 7, "the list does not end");
            }
            assert_eq!((&collected, count), (&whole, pages), "limit {limit}");
        }
    }

    fn entries_are_found_by_what_they_say(bot: &OnBot) {
        let skill = bot.post("/skills", &json!({"name": bot.text("a")})).ok();
        let path = format!("/skills/{}", skill["_id"].as_str().unwrap());
        let _ = bot.put(&path, &json!({"enabled": false})).ok();
        let _ = bot.post("/stages", &json!({"name": bot.text("b")})).ok();
        let all = entries(bot);
        let at = |entry: &Value| entry["at"].as_str().unwrap().to_owned();
        let of_skills = bot.get("/changelog?resource=skill").items();
        assert_eq!(of_skills, all[1..3]);
        let created = bot.get("/changelog?resource=skill&action=create&count=true&limit=9");
        assert_eq!((created.items(), created.header("x-total-count")), (vec![all[2].clone()], Some("1")));
        let since = bot.get(&format!("/changelog?from={}", at(&all[0]))).items();
        assert!(since.contains(&all[0]) && since.iter().all(|entry| at(entry) == at(&all[0])));
        assert_eq!(bot.get("/changelog?to=2026-01-31").items(), [Value::Null; 0]);
        let (collected, sizes) = bot.client.collect_pages(&bot.path("/changelog?from=2026-01-31&limit=1"));
        assert_eq!((collected, sizes), (all.clone(), vec![1; all.len()]));
        for query in ["resource=skills", "action=Create", "from=2026-02-01&to=2026-01-31"] {
            bot.get(&format!("/changelog?{query}")).problem(422, "bad_query");
        }
    }

    fn paging_is_not_disturbed_by_new_entries(bot: &OnBot) {
        for number in 0..3 {
            let _ = bot.put("", &json!({"activeDocSearchCount": number})).ok();
        }
        let whole = entries(bot);
        let first = bot.get("/changelog?limit=2");
        let _ = bot.put("", &json!({"activeDocSearchCount": 100})).ok();
        let rest = bot.client.get(&first.next_page().unwrap()).items();
        assert_eq!([first.items(), rest].concat(), whole);
    }

    fn a_wrong_query_is_refused(bot: &OnBot) {
        for (query, pointer) in [
            ("limit=0", "/limit"),
            ("limit=1001", "/limit"),
            ("limit=x", "/limit"),
            ("cursor=x", "/cursor"),
            ("cursor=", "/cursor"),
            ("since=2026-01-01", "/since"),
        ] {
            let answer = bot.get(&format!("/changelog?{query}"));
            answer.has_violations(&[(pointer, "bad_query")]);
        }
    }

    fn a_changelog_ends_after_5000_entries(bot: &OnBot) {
        make_many(bot, 5_050);
        let whole = entries(bot);
        assert_eq!(whole.len(), 5_000);
        assert_eq!(whole[0]["resourceId"], json!("5049"));
        assert_eq!(whole[4_999]["resourceId"], json!("50"));
        let (mut collected, mut next) = (Vec::new(), Some(bot.path("/changelog?limit=1000")));
        while let Some(path) = next {
            let page = bot.client.get(&path);
            collected.extend(page.items());
            next = page.next_page();
            assert!(collected.len() <= 5_000, "the list does not end");
        }
        assert_eq!(collected.len(), 5_000);
        assert!(collected == whole);
    }
}

/// Makes so many entries at once, past the services; `resourceId` numbers them.
fn make_many(bot: &OnBot<'_>, count: usize) {
    let generator = Ids::new(Arc::new(SystemClock), Arc::new(SystemEntropy));
    let sql = bot.tenant.app().sql();
    let (project, id) = (sql.id(bot.tenant.project().id), sql.id(bot.id()));
    let numbers: Vec<_> = (0..count).collect();
    for some in numbers.chunks(400) {
        let rows: Vec<_> = some
            .iter()
            .map(|number| {
                let entry = sql.id(generator.next());
                format!("({entry}, {project}, {id}, 1, 'update', 'bot', '{number}', '[]')")
            })
            .collect();
        sql.execute(&format!(
            "INSERT INTO changelog_entries \
             (id, project_id, bot_id, at, action, resource, resource_id, changes) VALUES {}",
            rows.join(", ")
        ));
    }
}

each_database! {
    fn entries_beyond_5000_are_removed_in_the_background(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        make_many(&bot, 5_600);
        let _ = bot.put("", &json!({"websearch": false})).ok();
        let count = format!(
            "SELECT COUNT(*) AS value FROM changelog_entries WHERE bot_id = '{}'", bot.id()
        );
        until("what is beyond 5 000 is removed", || app.sql().number(&count) == 5_000);
        assert_eq!(entries(&bot).len(), 5_000);
        assert_eq!(latest(&bot)["action"], json!("update"));
    }
}
