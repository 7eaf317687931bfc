//! `POST {bot}/duplicate`

mod content;
mod large_config;

use botyard_tests::{OnBot, each_database, each_scheme, sample};
use serde_json::{Value, json};

use crate::bots::BOTS;

/// The copy as the project sees it.
fn copy_of(bot: &OnBot<'_>, answer: &Value) -> Value {
    let id = answer["_id"].as_str().unwrap();
    bot.tenant.as_project().get(&format!("{BOTS}/{id}")).ok()
}

each_scheme! {
    fn a_copy_has_the_same_configuration(bot: &OnBot) {
        let source = bot.get("").ok();
        let copy = bot.post("/duplicate", &json!({})).ok();
        for field in sample::config_fields().iter().filter(|field| field.name != "name") {
            assert_ne!(source[&field.name], Value::Null, "{}", field.name);
            assert_eq!(copy[&field.name], source[&field.name], "{}", field.name);
        }
        assert_eq!(copy_of(bot, &copy), copy);
    }

    fn a_copy_is_a_bot_of_its_own(bot: &OnBot) {
        let source = bot.get("").ok();
        let copy = bot.post("/duplicate", &json!({})).ok();
        assert_ne!(copy["_id"], source["_id"]);
        assert_eq!(copy["projectId"], source["projectId"]);
        assert_eq!(copy["archived"], json!(false));
        assert_eq!(copy["thisIsTrash"], json!(false));
        assert_eq!(copy["createdAt"], copy["updatedAt"]);
        assert!(copy["createdAt"].as_str() >= source["createdAt"].as_str());
    }

    fn the_tokens_stay_behind(bot: &OnBot) {
        let _ = bot.tenant.as_bot(bot.id());
        let copy = bot.post("/duplicate", &json!({})).ok();
        assert_eq!(copy["apiKeys"], json!([]));
        assert_eq!(copy_of(bot, &copy)["apiKeys"], json!([]));
    }

    fn the_source_stays_as_it_is(bot: &OnBot) {
        let before = bot.get("").ok();
        let _ = bot.post("/duplicate", &json!({"name": bot.text("copy")})).ok();
        assert_eq!(bot.get("").ok(), before);
    }

    fn what_is_changed_on_the_copy_is_not_changed_on_the_source(bot: &OnBot) {
        let before = bot.get("").ok();
        let copy = bot.post("/duplicate", &json!({})).ok();
        let path = format!("{BOTS}/{}", copy["_id"].as_str().unwrap());
        let client = bot.tenant.as_project();
        let _ = client.put(&path, &json!({"model": null, "tagList": []})).ok();
        assert_eq!(bot.get("").ok(), before);
        let _ = client.delete(&path).ok();
        assert_eq!(bot.get("").ok(), before);
    }

    fn a_copy_without_a_name_is_called_after_its_source(bot: &OnBot) {
        let expected = format!("{} (copy)", bot.get("").ok()["name"].as_str().unwrap());
        for body in [json!({}), json!({"name": null})] {
            assert_eq!(bot.post("/duplicate", &body).ok()["name"], json!(expected));
        }
        let without_body = bot.client.request("POST", &bot.path("/duplicate")).send();
        assert_eq!(without_body.ok()["name"], json!(expected));
    }

    fn a_copy_is_called_as_asked(bot: &OnBot) {
        let name = bot.text("named");
        let answer = bot.post("/duplicate", &json!({"name": format!("  {name} ")}));
        assert_eq!(answer.ok()["name"], json!(name));
        let longest = "ä".repeat(200);
        let answer = bot.post("/duplicate", &json!({"name": longest}));
        assert_eq!(answer.ok()["name"], json!(longest));
    }

    fn the_name_of_a_copy_always_fits(bot: &OnBot) {
        for (length, expected) in [
            (193, format!("{} (copy)", "ä".repeat(193))),
            (194, format!("{} (copy)", "ä".repeat(193))),
            (200, format!("{} (copy)", "ä".repeat(193))),
        ] {
            let _ = bot.put("", &json!({"name": "ä".repeat(length)})).ok();
            let copy = bot.post("/duplicate", &json!({})).ok();
            assert_eq!(copy["name"], json!(expected), "{length}");
        }
    }

    fn a_name_that_does_not_fit_makes_no_copy(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for (body, violation) in [
            (json!({"name": ""}), ("/name", "too_short")),
            (json!({"name": " \t"}), ("/name", "too_short")),
            (json!({"name": "ä".repeat(201)}), ("/name", "too_long")),
            (json!({"name": 1}), ("/name", "wrong_type")),
            (json!({"name": ["x"]}), ("/name", "wrong_type")),
            (json!({"model": "x"}), ("/model", "unknown_field")),
            (json!({"_id": "x"}), ("/_id", "unknown_field")),
            (json!({"projectId": "x"}), ("/projectId", "unknown_field")),
            (json!([]), ("", "not_an_object")),
            (json!(null), ("", "not_an_object")),
        ] {
            bot.post("/duplicate", &body).has_violations(&[violation]);
        }
        let path = bot.path("/duplicate?name=x");
        bot.client.post(&path, &json!({})).has_violations(&[("/name", "bad_query")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn copies_of_copies_are_bots_like_all_others(bot: &OnBot) {
        let one = bot.post("/duplicate", &json!({})).ok();
        let other = bot.post("/duplicate", &json!({})).ok();
        assert_ne!(one["_id"], other["_id"]);
        let path = format!("{BOTS}/{}/duplicate", one["_id"].as_str().unwrap());
        let client = bot.tenant.as_project();
        let third = client.post(&path, &json!({})).ok();
        assert!(third["name"].as_str().unwrap().ends_with(" (copy) (copy)"));
        let listed: Vec<_> =
            client.get(BOTS).items().iter().map(|item| item["_id"].clone()).collect();
        let expected = [
            json!(bot.id().to_string()),
            one["_id"].clone(),
            other["_id"].clone(),
            third["_id"].clone(),
        ];
        assert_eq!(listed, expected);
    }

    fn copies_made_at_once_are_all_there(bot: &OnBot) {
        std::thread::scope(|scope| {
            for _ in 0..10 {
                scope.spawn(|| bot.post("/duplicate", &json!({})).ok());
            }
        });
        assert_eq!(bot.tenant.as_project().get(BOTS).items().len(), 11);
    }
}

each_database! {
    fn a_copy_is_not_reached_with_the_token_of_its_source(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let copy = client.post("/api/external/bot/duplicate", &json!({})).ok();
        let own = client.get("/api/external/bot").ok();
        assert_eq!(own["_id"], json!(tenant.bot().to_string()));
        let path = format!("{BOTS}/{}", copy["_id"].as_str().unwrap());
        client.get(&path).problem(401, "unauthenticated");
        assert_eq!(tenant.as_project().get(&path).ok(), copy);
    }

    fn a_copy_is_reached_with_a_new_token(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let copy = client.post("/api/external/bot/duplicate", &json!({})).ok();
        let id = domain::id::BotId::parse(copy["_id"].as_str().unwrap()).unwrap();
        let got = tenant.as_bot(id).get("/api/external/bot").ok();
        assert_eq!((&got["_id"], &got["name"]), (&copy["_id"], &copy["name"]));
    }

    fn a_copy_outlives_its_source(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let source = format!("{BOTS}/{}", tenant.bot());
        let copy = client.post(&format!("{source}/duplicate"), &json!({})).ok();
        let _ = client.delete(&source).ok();
        assert_eq!(client.get(BOTS).items(), [copy]);
    }
}
