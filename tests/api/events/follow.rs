//! Going on after a cursor.

use botyard_tests::waiting::until;
use botyard_tests::{TestApp, each_database, each_scheme};
use serde_json::{Value, json};

use super::{OF_PROJECT, events_up_to, path, types, wait_for_event};
use crate::skills::{id, make};

each_scheme! {
    fn a_reader_goes_on_where_it_was(bot: &OnBot) {
        let made: Vec<_> = ["a", "b", "c"].iter().map(|name| id(&make(bot, name))).collect();
        let all = events_up_to(bot, &made[2]);
        let last = all.last().unwrap()["cursor"].as_str().unwrap().to_owned();
        let (path, client) = (path(bot.scheme), &bot.client);
        // By links, page by page.
        let first = client.get(&format!("{path}?after=0&limit=2"));
        assert_eq!(first.items(), all[..2]);
        assert_eq!(first.header("x-follow-cursor"), all[1]["cursor"].as_str());
        assert_eq!(client.collect_pages(&format!("{path}?after=0&limit=2")).0, all);
        // From the cursor of any of them.
        for (place, event) in all.iter().enumerate() {
            let rest = client.get(&format!("{path}?after={}", event["cursor"].as_str().unwrap()));
            assert_eq!(rest.items(), all[place + 1..]);
            assert_eq!(rest.header("x-follow-cursor"), Some(last.as_str()));
            assert_eq!(rest.next_page(), None);
        }
        // What does not match is passed over for good.
        let none = client.get(&format!("{path}?after=0&types=stage.*"));
        assert_eq!((none.items(), none.header("x-follow-cursor")), (vec![], Some(last.as_str())));
        let latest = client.get(&format!("{path}?limit=2"));
        assert_eq!(latest.items(), all[all.len() - 2..]);
        assert_eq!(latest.header("x-follow-cursor"), Some(last.as_str()));
        let stage = bot.post("/stages", &json!({"title": "t", "name": "n"})).ok();
        let new = wait_for_event(client, &format!("{path}?after={last}&types=stage.*"), &id(&stage));
        assert_eq!(types(&new), ["stage.created"]);
    }

    fn a_cursor_that_the_feed_never_had_is_gone(bot: &OnBot) {
        let skill = make(bot, "a");
        let last = events_up_to(bot, &id(&skill)).pop().unwrap()["cursor"].as_str().unwrap().to_owned();
        let next = last.parse::<u64>().unwrap() + 1;
        for cursor in [next, u64::MAX] {
            let answer = bot.client.get(&format!("{}?after={cursor}", path(bot.scheme)));
            let problem = answer.problem(410, "cursor_expired");
            assert_eq!(problem["oldestCursor"], "0");
        }
        for bad in ["", "x", "-1", "1.5", "18446744073709551616"] {
            let answer = bot.client.get(&format!("{}?after={bad}", path(bot.scheme)));
            answer.problem(422, "bad_query");
            answer.has_violations(&[("/after", "bad_query")]);
        }
    }
}

each_database! {
    fn a_cursor_of_removed_events_is_refused(database: Database) {
        let app = TestApp::start(database, &[("EVENTS__MAX_PER_PROJECT", "5")]);
        let bot = app.tenant().with_project_token();
        let made: Vec<Value> = (0..20).map(|number| make(&bot, &format!("s{number}"))).collect();
        let project = &bot.client;
        let gone = || {
            let answer = project.get(&format!("{OF_PROJECT}?after=1"));
            (answer.status() == 410).then(|| answer.problem(410, "cursor_expired"))
        };
        until("old events are gone", || gone().is_some());
        let oldest = || gone().unwrap()["oldestCursor"].as_str().unwrap().to_owned();
        until("five are left", || {
            let left = project.get(&format!("{OF_PROJECT}?after={}", oldest())).items();
            left.len() == 5 && left[4]["resourceId"] == made[19]["_id"]
        });
        let kept = project.get(&format!("{OF_PROJECT}?after=0")).items();
        assert_eq!(kept.len(), 5);
        assert_eq!(project.get(&format!("{OF_PROJECT}?after={}", oldest())).items(), kept);
    }
}
