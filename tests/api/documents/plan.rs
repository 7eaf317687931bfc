//! `POST /api/external/projectapi/doc/plan`

use botyard_tests::{OnBot, each_database};
use serde_json::{Value, json};

use super::{FILES, project, text_form, upload};
use crate::fusion::sha256;
use crate::skills::id;

const PLAN: &str = "/api/external/projectapi/doc/plan";

/// A file of this name with this text, as a client lists it.
fn file(bot: &OnBot<'_>, name: &str, text: &str) -> Value {
    let text = bot.text(text);
    json!({"fileName": name, "sha256": sha256(text.as_bytes()), "size": text.len()})
}

fn made(bot: &OnBot<'_>, name: &str, text: &str) -> String {
    id(&upload(bot, &text_form(name, &bot.text(text)).text("extract", "false")))
}

each_database! {
    fn a_plan_says_what_is_missing_what_differs_and_what_is_too_much(app: &TestApp) {
        let bot = project(app);
        let older = made(&bot, "same.txt", "one");
        let same = made(&bot, "same.txt", "two");
        let other = made(&bot, "other.txt", "one");
        let differs = made(&bot, "differs.txt", "one");
        let before = bot.client.get(FILES).text();
        let files = [
            file(&bot, "new.txt", "one"),
            file(&bot, "folder/same.txt", "two"),
            file(&bot, "differs.txt", "two"),
        ];
        let plan = |prune: Value| {
            let body = json!({"files": files, "prune": prune});
            bot.client.post(PLAN, &body).ok()
        };
        let expected = json!({
            "upload": ["new.txt"],
            "replace": [{"fileName": "differs.txt", "docId": differs}],
            "leave": [same],
            "remove": [],
        });
        assert_eq!(plan(json!(false)), expected);
        assert_eq!(bot.client.post(PLAN, &json!({"files": files})).ok(), expected);
        assert_eq!(plan(json!(true))["remove"], json!([older, other]));
        let nothing = bot.client.post(PLAN, &json!({"files": [], "prune": true})).ok();
        assert_eq!(nothing["remove"], json!([older, same, other, differs]));
        assert_eq!(bot.client.get(FILES).text(), before);
    }

    fn a_list_that_is_wrong_is_refused(app: &TestApp) {
        let bot = project(app);
        let valid = file(&bot, "a.txt", "one");
        let twice = json!({"files": [valid, valid]});
        let violations = bot.client.post(PLAN, &twice).violations();
        assert_eq!(violations, [("/files/1".to_owned(), "duplicate_item".to_owned())]);
        let mut odd = valid.clone();
        odd["sha256"] = json!("x");
        let violations = bot.client.post(PLAN, &json!({"files": [valid, odd]})).violations();
        let expected = [("/files/1/sha256".to_owned(), "bad_format".to_owned())];
        assert_eq!(violations, expected);
        let many: Vec<_> = (0..10_001).map(|number| file(&bot, &number.to_string(), "")).collect();
        let violations = bot.client.post(PLAN, &json!({"files": many})).violations();
        assert_eq!(violations, [("/files".to_owned(), "too_many_items".to_owned())]);
    }

    fn as_many_files_as_may_be_are_planned(app: &TestApp) {
        let bot = project(app);
        let _ = made(&bot, "17", "one");
        let many: Vec<_> = (0..10_000).map(|number| file(&bot, &number.to_string(), "one")).collect();
        let plan = bot.client.post(PLAN, &json!({"files": many})).ok();
        assert_eq!(plan["upload"].as_array().unwrap().len(), 9_999);
        assert_eq!(plan["leave"].as_array().unwrap().len(), 1);
    }
}
