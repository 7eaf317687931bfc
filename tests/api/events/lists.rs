//! Lists that are followed by the events about what is in them.

use botyard_tests::waiting::until;
use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::events_up_to;
use crate::skills::{id, make};

const SINCE: &str = "/skills?updatedSince=2026-01-01";

/// The cursor from which the list that a client reads can be followed.
fn follow(bot: &OnBot<'_>, path: &str) -> (Vec<Value>, String) {
    let answer = bot.get(path);
    (answer.items(), answer.header("x-follow-cursor").unwrap().replace('~', "%7E"))
}

each_scheme! {
    fn a_list_is_followed_from_its_last_page_on(bot: &OnBot) {
        let made: Vec<_> = ["a", "b", "c"].iter().map(|name| make(bot, name)).collect();
        let _ = events_up_to(bot, &id(&made[2]));
        let (all, cursor) = follow(bot, SINCE);
        assert_eq!(all, made);
        // Nothing has changed, and nothing will be missed.
        assert_eq!(follow(bot, &format!("{SINCE}&cursor={cursor}")), (vec![], cursor.clone()));

        // What changes while the list is read page by page comes later, wherever it is.
        let first = bot.get(&format!("{SINCE}&limit=2"));
        let changed = bot.put(&format!("/skills/{}", id(&made[0])), &json!({"name": "A"})).ok();
        let new = make(bot, "d");
        let _ = events_up_to(bot, &id(&new));
        let rest = bot.client.get(&first.next_page().unwrap());
        assert_eq!(first.header("x-follow-cursor"), rest.header("x-follow-cursor"));
        let later = rest.header("x-follow-cursor").unwrap().replace('~', "%7E");
        assert_eq!(later, cursor);
        let (changes, cursor) = follow(bot, &format!("{SINCE}&cursor={later}"));
        assert_eq!(changes, [changed.clone(), new.clone()]);
        // The same in pages.
        let page = bot.get(&format!("{SINCE}&limit=1&cursor={later}"));
        assert_eq!(page.items(), [changed]);
        let next = bot.client.get(&page.next_page().unwrap());
        assert_eq!((next.items(), next.next_page()), (vec![new.clone()], None));
        let of_next = next.header("x-follow-cursor").unwrap().replace('~', "%7E");
        assert_eq!(of_next, cursor);

        // What was deleted is reported by events alone, and what does not match is left out.
        let _ = bot.delete(&format!("/skills/{}", id(&new))).ok();
        let other = make(bot, "e");
        let _ = events_up_to(bot, &id(&other));
        assert_eq!(follow(bot, &format!("{SINCE}&cursor={later}&q=e")).0, [other]);
    }

    fn a_cursor_that_follows_is_one_of_its_list(bot: &OnBot) {
        let skill = make(bot, "a");
        let _ = events_up_to(bot, &id(&skill));
        for query in ["", "?sort=updatedAt", "?updatedSince=2026-01-01&sort=name"] {
            let answer = bot.get(&format!("/skills{query}"));
            assert_eq!(answer.header("x-follow-cursor"), None, "{query}");
        }
        let (_, cursor) = follow(bot, SINCE);
        for bad in ["cursor=%7E", "cursor=%7E-1", "cursor=%7E01", "cursor=%7E1%7E1"] {
            bot.get(&format!("{SINCE}&{bad}")).problem(422, "bad_query");
        }
        for query in ["?", "?sort=name&", "?sort=-updatedAt&", "?sort=updatedAt&"] {
            bot.get(&format!("/skills{query}cursor={cursor}")).problem(422, "bad_query");
        }
        let place = format!("{}%7E1", id(&skill));
        bot.get(&format!("/skills?cursor={place}")).problem(422, "bad_query");
        // What has changed is not counted.
        let answer = bot.get(&format!("{SINCE}&cursor={cursor}&count=true"));
        assert_eq!(answer.header("x-total-count"), None);
        let problem = bot.get(&format!("{SINCE}&cursor=%7E999999")).problem(410, "cursor_expired");
        assert_eq!(problem["oldestCursor"], "0");
        until("the first cursor works as well", || {
            follow(bot, &format!("{SINCE}&cursor=%7E0")).0 == [skill.clone()]
        });
    }
}
