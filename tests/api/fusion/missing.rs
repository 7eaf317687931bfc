//! Fusion-Views that are not there, or not for this caller.

use botyard_tests::{Caller, OnBot, Response, each_scheme};
use domain::bot::DeleteMode;
use serde_json::json;

use super::{NOBODY, archive, at, id_of, new_view, upload_at};

/// All that can be asked of one Fusion-View.
fn all_of(bot: &OnBot<'_>, id: &str) -> [Response; 4] {
    let request = |method: &str, rel: &str| {
        bot.client.request(method, &bot.path(rel)).header("X-Request-Id", "same")
    };
    [
        request("GET", &at(id)).send(),
        request("PUT", &at(id)).json(&json!({"a": 1})).send(),
        request("DELETE", &at(id)).send(),
        request("POST", &upload_at(id)).form(&botyard_tests::Form::archive(&archive("x"))).send(),
    ]
}

each_scheme! {
    fn an_id_that_is_no_uuid_is_not_found(bot: &OnBot) {
        let id = new_view(bot);
        let before = bot.tenant.snapshot();
        for odd in [
            "x",
            "0",
            "null",
            "upload",
            &id.to_uppercase(),
            &id.replace('-', ""),
            &format!("%7B{id}%7D"),
            &format!("urn:uuid:{id}"),
            &format!("{id}%20"),
            &format!("{id}%00"),
            &format!("%2F{id}"),
            "%F0%9D%84%9E",
        ] {
            for answer in all_of(bot, odd) {
                answer.problem(404, "fusion_view_not_found");
            }
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn missing_and_foreign_views_are_the_same_to_the_byte(bot: &OnBot) {
        let tenant = &bot.tenant;
        let body = json!({"type": "h5p", "title": "of another"});
        let foreign = [
            tenant.as_bot(tenant.new_bot("another bot")),
            { let other = tenant.sibling(); other.as_bot(other.bot()) },
            { let other = tenant.app().tenant(); other.as_bot(other.bot()) },
        ];
        let foreign = foreign.map(|client| {
            id_of(&client.post("/api/external/bot/fusion", &body).ok())
        });
        let missing = all_of(bot, NOBODY).map(|answer| {
            answer.problem(404, "fusion_view_not_found");
            answer.text()
        });
        for id in &foreign {
            assert_eq!(all_of(bot, id).map(|answer| answer.text()), missing);
        }
        assert_eq!(all_of(bot, "x").map(|answer| answer.text()), missing);
    }

    fn a_wrong_body_is_reported_before_a_missing_view(bot: &OnBot) {
        bot.put(&at(NOBODY), &json!({})).problem(422, "no_fields");
        bot.put(&at(NOBODY), &json!({"_id": 1})).problem(422, "reserved_field");
        bot.get(&at(&format!("{NOBODY}?x=1"))).problem(422, "bad_query");
    }

    fn views_of_a_bot_that_is_not_active_are_not_found(bot: &OnBot) {
        let id = new_view(bot);
        for mode in [DeleteMode::Archive, DeleteMode::Trash] {
            bot.tenant.delete_bot(bot.id(), mode);
            let mut answers = Vec::from(all_of(bot, &id));
            answers.push(bot.get("/fusion"));
            answers.push(bot.post("/fusion", &json!({"type": "h5p", "title": "t"})));
            // A wrong body is not reported here.
            answers.push(bot.post("/fusion", &json!({})));
            for answer in answers {
                answer.problem(404, "bot_not_found");
            }
            bot.tenant.restore_bot(bot.id());
            let _ = bot.get(&at(&id)).ok();
        }
        let _ = bot.delete("").ok();
        let answer = bot.get(&at(&id));
        match bot.client.caller() {
            Caller::Bot(_) => answer.problem(401, "unauthenticated"),
            Caller::Project(_) | Caller::Anonymous => answer.problem(404, "bot_not_found"),
        };
    }
}
