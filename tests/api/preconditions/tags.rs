//! A tag is that of the state: it stays as long as that does, and changes with it.

use botyard_tests::waiting::until;
use botyard_tests::{Form, Mint, OnBot, each_database, each_scheme};
use serde_json::{Value, json};

use super::tag_of;

/// Something of a bot: where it is made, of what, and what changes it.
fn things() -> [(&'static str, Value, Value); 4] {
    [
        ("/skills", json!({"name": "Greeting"}), json!({"enabled": false})),
        ("/stages", json!({"title": "Welcome"}), json!({"hidden": true})),
        ("/fusion", json!({"type": "h5p", "title": "Course"}), json!({"tags": ["a"]})),
        ("/embedding", json!({"url": "http://127.0.0.1:1/"}), json!({"active": false})),
    ]
}

/// Waits until what is there changes no more by itself.
fn settled(bot: &OnBot<'_>, rel: &str) -> String {
    let is_going = || {
        let status = bot.get(rel).ok()["status"].clone();
        status == "queued" || status == "running"
    };
    until("it changes no more", || !is_going());
    tag_of(&bot.get(rel))
}

/// Checks that a change has another tag in its answer, which is that of what is there then, and that a change to
/// the same leaves it.
#[track_caller]
fn follows(bot: &OnBot<'_>, rel: &str, change: &Value, before: &str) {
    let changed = tag_of(&bot.put(rel, change));
    assert_ne!(changed, before, "{rel}");
    assert_eq!(tag_of(&bot.get(rel)), changed, "{rel}");
    assert_eq!(tag_of(&bot.put(rel, change)), changed, "{rel}");
}

each_scheme! {
    fn what_a_bot_has_is_tagged_by_its_state(bot: &OnBot) {
        for (all, new, change) in things() {
            let made = bot.post(all, &new);
            let rel = format!("{all}/{}", made.ok()["_id"].as_str().unwrap());
            if all != "/embedding" {
                assert_eq!(tag_of(&made), tag_of(&bot.get(&rel)), "{rel}");
            }
            let tag = settled(bot, &rel);
            assert_eq!(tag_of(&bot.get(&rel)), tag, "{rel}");
            follows(bot, &rel, &change, &tag);
        }
    }

    fn a_bot_is_tagged_by_its_configuration_and_its_tokens(bot: &OnBot) {
        let tag = tag_of(&bot.get(""));
        follows(bot, "", &json!({"websearch": false}), &tag);
        let tag = tag_of(&bot.get(""));
        let token = bot.tenant.bot_token(bot.id(), Mint::default());
        until("the token is seen", || tag_of(&bot.get("")) != tag);
        bot.tenant.revoke(&token);
        until("it is gone", || tag_of(&bot.get("")) == tag);
        let copy = bot.post("/duplicate", &json!({}));
        let id = copy.ok()["_id"].as_str().unwrap().to_owned();
        let path = format!("/api/external/projectapi/bots/{id}");
        assert_eq!(tag_of(&bot.tenant.as_project().get(&path)), tag_of(&copy));
    }

    fn a_stage_that_loses_a_skill_has_another_tag(bot: &OnBot) {
        let _ = bot.post("/skills", &json!({"name": "a", "skillId": "a"})).ok();
        let stage = bot.post("/stages", &json!({"title": "s", "skills": ["a"]}));
        let rel = format!("/stages/{}", stage.ok()["_id"].as_str().unwrap());
        let _ = bot.put("/skills/a", &json!({"skillId": "b"})).ok();
        let renamed = tag_of(&bot.get(&rel));
        assert_ne!(renamed, tag_of(&stage));
        let _ = bot.delete("/skills/b").ok();
        assert_ne!(tag_of(&bot.get(&rel)), renamed);
    }
}

each_database! {
    fn both_schemes_see_one_tag(app: &TestApp) {
        let bot = app.tenant().with_bot_token();
        let skill = bot.post("/skills", &json!({"name": "a", "skillId": "a"}));
        let project = bot.tenant.as_project();
        let of_project = format!("/api/external/projectapi/bots/{}", bot.id());
        for rel in ["", "/skills/a"] {
            assert_eq!(tag_of(&bot.get(rel)), tag_of(&project.get(&format!("{of_project}{rel}"))));
        }
        assert_eq!(tag_of(&bot.get("/skills/a")), tag_of(&skill));
    }

    fn an_entry_is_tagged_by_its_value_and_its_guest(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let user = client.post("/api/external/useraccess/user", &json!({"guestId": tenant.text("g")}));
        let id = user.ok()["_id"].as_str().unwrap().to_owned();
        let path = format!("/api/external/keyval/{id}/t/k");
        let stored = tag_of(&client.put(&path, &json!({"value": 1})));
        for _ in 0..3 {
            assert_eq!(tag_of(&client.get(&path)), stored);
        }
        let changed = tag_of(&client.put(&path, &json!({"value": 2})));
        assert_ne!(changed, stored);
        let update = json!({"userId": id, "guestId": tenant.text("h")});
        let _ = client.put("/api/external/useraccess/user", &update).ok();
        assert_ne!(tag_of(&client.get(&path)), changed);
    }

    fn a_user_is_tagged_and_none_is_not(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let user = "/api/external/useraccess/user";
        let made = client.post(user, &json!({"guestId": tenant.text("g")}));
        let id = made.ok()["_id"].as_str().unwrap().to_owned();
        let by_id = format!("{user}/byId/{id}");
        assert_eq!(tag_of(&client.get(&by_id)), tag_of(&made));
        let changed = client.put(user, &json!({"userId": id, "city": "Ulm"}));
        assert_ne!(tag_of(&changed), tag_of(&made));
        assert_eq!(tag_of(&client.get(&by_id)), tag_of(&changed));
        let _ = client.delete_with("/api/external/useraccess/users", &json!({"userIds": [id]})).ok();
        let none = client.get(&by_id);
        assert_eq!((none.ok(), none.header("etag")), (Value::Null, None));
        let any = client.request("GET", &by_id).header("If-Match", "*").send();
        any.problem(412, "precondition_failed");
    }

    fn a_document_is_tagged_by_its_file_and_its_bots(app: &TestApp) {
        let tenant = app.tenant();
        let (project, bot) = (tenant.as_project(), tenant.bot());
        let doc = "/api/external/projectapi/doc";
        let form = Form::new().text("extract", "false").file("a.txt", "text/plain", b"one");
        let sent = project.request("POST", &format!("{doc}/upload")).form(&form).send();
        let id = sent.ok()["projectDoc"]["_id"].as_str().unwrap().to_owned();
        let path = format!("{doc}/files/{id}");
        let uploaded = tag_of(&project.get(&path));
        let assign = format!("/api/external/projectapi/bots/{bot}/doc/assign");
        let _ = project.post(&assign, &json!({"docIds": [id]})).ok();
        let assigned = tag_of(&project.get(&path));
        assert_ne!(assigned, uploaded);
        let form = Form::new().text("extract", "false").file("a.txt", "text/plain", b"two");
        let replace = |tag: &str| {
            let request = project.request("PUT", &format!("{doc}/replace/{id}"));
            request.header("If-Match", tag).form(&form).send()
        };
        replace(&uploaded).problem(412, "precondition_failed");
        assert_eq!(tag_of(&project.get(&path)), assigned);
        let _ = replace(&assigned).ok();
        assert_ne!(tag_of(&project.get(&path)), assigned);
    }
}
