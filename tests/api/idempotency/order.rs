//! What of a request with a key is looked at first, and what is kept of one that is refused.

use botyard_tests::waiting::until;
use botyard_tests::{each_database, each_scheme};
use domain::bot::DeleteMode;
use domain::id::BotId;
use serde_json::json;

use super::{fresh, replayed, send};

each_database! {
    fn what_the_first_request_took_away_answers_the_second(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let body = json!({"mode": "archive"});
        let delete = || send(&bot.client, "DELETE", bot.base(), "a", &body);
        let first = fresh(&delete());
        bot.get("").problem(404, "bot_not_found");
        assert_eq!(replayed(&delete()), first);
        send(&bot.client, "DELETE", bot.base(), "b", &body).problem(404, "bot_not_found");
    }

    fn the_answer_to_a_delete_for_good_outlives_the_bot_and_no_other_does(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let path = bot.path("/skills");
        let create = || send(&bot.client, "POST", &path, "skill", &json!({"name": "a"}));
        let delete = || send(&bot.client, "DELETE", bot.base(), "bot", &json!({"mode": "delete"}));
        let _ = fresh(&create());
        let deleted = fresh(&delete());
        // The bot goes bit by bit, and with it the answers that show what it had.
        until("the answer is gone", || create().status() == 404);
        assert_eq!(replayed(&delete()), deleted);
    }

    fn an_answer_that_shows_a_new_bot_goes_with_that_bot(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let bots = "/api/external/projectapi/bots";
        let create = || send(&client, "POST", bots, "a", &json!({"name": "secret"}));
        let made = fresh(&create())["_id"].as_str().unwrap().to_owned();
        let copy = || send(&client, "POST", &format!("{bots}/{made}/duplicate"), "b", &json!({}));
        let copied = fresh(&copy())["_id"].as_str().unwrap().to_owned();
        tenant.delete_bot(BotId::parse(&copied).unwrap(), DeleteMode::Delete);
        until("the answer is gone", || !super::is_replayed(&copy()));
        assert_eq!(replayed(&create())["_id"], made);
    }

    fn an_answer_that_shows_a_large_bot_shows_it_as_it_is(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let client = bot.tenant.as_bot(bot.id());
        let text = "x".repeat(600 << 10);
        let large = json!({"customCss": text, "customJs": text, "name": "large"});
        let update = || send(&client, "PUT", "/api/external/bot", "a", &large);
        let answer = update();
        let (tag, changed) = (answer.header("etag").map(str::to_owned), fresh(&answer));
        let again = update();
        assert_eq!((again.header("etag").map(str::to_owned), replayed(&again)), (tag, changed));
        let _ = bot.put("", &json!({"name": "other"})).ok();
        assert_eq!(replayed(&update())["name"], "other");
        // A copy is shown to a token that can't reach it otherwise, but not what becomes of it.
        let duplicate = |body| send(&client, "POST", "/api/external/bot/duplicate", "b", &body);
        let copy = || duplicate(json!({"name": "copy"}));
        let copied = fresh(&copy());
        assert_eq!(replayed(&copy()), copied);
        duplicate(json!({})).problem(422, "idempotency_key_reused");
        let path = format!("/api/external/projectapi/bots/{}", copied["_id"].as_str().unwrap());
        let _ = bot.client.put(&path, &json!({"name": "secret"})).ok();
        copy().problem(404, "bot_not_found");
    }

    fn a_key_is_the_token_s_own(app: &TestApp) {
        let tenant = app.tenant();
        let (one, other) = (tenant.as_project(), tenant.as_project());
        let post = |client| {
            let body = json!({"keyPattern": "a", "maxAgeSeconds": 60});
            send(client, "POST", "/api/external/projectapi/keyval/maxage", "a", &body)
        };
        let first = fresh(&post(&one));
        assert_ne!(fresh(&post(&other))["_id"], first["_id"]);
        assert_eq!(replayed(&post(&one)), first);
    }
}

each_scheme! {
    fn a_refusal_is_not_kept(bot: &OnBot) {
        let path = bot.path("/skills");
        let _ = bot.post("/skills", &json!({"name": "first", "skillId": "taken"})).ok();
        let body = json!({"name": "second", "skillId": "taken"});
        let create = || send(&bot.client, "POST", &path, "a", &body);
        create().problem(409, "taken");
        create().problem(409, "taken");
        let _ = bot.put("/skills/taken", &json!({"skillId": "free"})).ok();
        let made = fresh(&create());
        assert_eq!(replayed(&create()), made);
        assert_eq!(bot.get("/skills").ok().as_array().unwrap().len(), 2);
    }

    fn a_replay_comes_before_a_precondition(bot: &OnBot) {
        let tag = bot.get("").header("etag").unwrap().to_owned();
        let put = || {
            let request = bot.client.request("PUT", bot.base()).header("If-Match", &tag);
            request.header("Idempotency-Key", "a").json(&json!({"websearch": true})).send()
        };
        let first = put();
        let _ = fresh(&first);
        let again = put();
        assert_eq!(replayed(&again), first.ok());
        assert_eq!(again.header("etag"), first.header("etag"));
    }

    fn an_answer_given_again_is_that_of_then(bot: &OnBot) {
        let create = || send(&bot.client, "POST", &bot.path("/stages"), "a", &json!({"title": "a"}));
        let made = fresh(&create());
        let path = format!("/stages/{}", made["_id"].as_str().unwrap());
        let _ = bot.put(&path, &json!({"title": "b"})).ok();
        assert_eq!(replayed(&create()), made);
        assert_eq!(bot.get(&path).ok()["title"], "b");
    }
}
