//! `GET {bot}/fusion`

use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::{archive, at, id_of, new_view, upload};

/// So many Fusion-Views, as a read shows them.
#[track_caller]
fn views(bot: &OnBot<'_>, count: usize) -> Vec<Value> {
    let view = |number| json!({"type": "h5p", "title": bot.text("view"), "number": number});
    (0..count).map(|number| bot.post("/fusion", &view(number)).ok()).collect()
}

each_scheme! {
    fn a_bot_begins_without_views(bot: &OnBot) {
        assert_eq!(bot.get("/fusion").text(), "[]");
        assert_eq!(bot.get("/fusion?limit=1").text(), "[]");
    }

    fn views_are_listed_oldest_first_as_a_read_shows_them(bot: &OnBot) {
        let made = views(bot, 4);
        let first = id_of(&made[0]);
        // What is changed does not move.
        let _ = bot.put(&at(&first), &json!({"title": "changed"})).ok();
        let _ = upload(bot, &first, &archive("content"));
        let expected: Vec<_> = made.iter().map(|view| bot.get(&at(&id_of(view))).ok()).collect();
        assert_eq!(bot.get("/fusion").items(), expected);
        assert_ne!(expected[0]["file"], Value::Null);
    }

    fn pages_together_are_the_whole_list(bot: &OnBot) {
        let whole = views(bot, 5);
        for (limit, expected) in
            [(1, vec![1; 5]), (2, vec![2, 2, 1]), (4, vec![4, 1]), (5, vec![5]), (1000, vec![5])]
        {
            let (mut collected, mut sizes) = (Vec::new(), Vec::new());
            let mut next = Some(bot.path(&format!("/fusion?limit={limit}")));
            while let Some(path) = next {
                let page = bot.client.get(&path);
                let items = page.items();
                sizes.push(items.len());
                collected.extend(items);
                next = page.next_page();
                assert!(sizes.len() < 10, "the list does not end");
            }
            assert_eq!((&collected, sizes), (&whole, expected), "limit {limit}");
        }
        let first = bot.get("/fusion?limit=2").next_page().unwrap();
        let cursor = whole[1]["_id"].as_str().unwrap();
        assert_eq!(first, bot.path(&format!("/fusion?limit=2&cursor={cursor}")));
        let rest = bot.get(&format!("/fusion?cursor={cursor}"));
        assert_eq!((rest.next_page(), rest.items()), (None, whole[2..].to_vec()));
    }

    fn views_of_other_bots_are_not_listed(bot: &OnBot) {
        let other = bot.tenant.as_bot(bot.tenant.new_bot("other"));
        let body = json!({"type": "h5p", "title": "of another"});
        let foreign = other.post("/api/external/bot/fusion", &body).ok();
        let id = new_view(bot);
        let listed = bot.get("/fusion").items();
        assert_eq!(listed.iter().map(id_of).collect::<Vec<_>>(), [id]);
        // Nor does a cursor of theirs lead to them.
        let page = bot.get(&format!("/fusion?limit=10&cursor={}", id_of(&foreign))).items();
        assert!(page.iter().all(|view| view["botId"] == json!(bot.id().to_string())));
    }

    fn a_wrong_query_is_refused(bot: &OnBot) {
        for (query, pointer) in [
            ("limit=0", "/limit"),
            ("limit=1001", "/limit"),
            ("limit=x", "/limit"),
            ("cursor=x", "/cursor"),
            ("cursor=", "/cursor"),
            ("type=h5p", "/type"),
        ] {
            let answer = bot.get(&format!("/fusion?{query}"));
            answer.has_violations(&[(pointer, "bad_query")]);
        }
    }
}
