//! `GET {bot}/changelog`

use botyard_tests::{Caller, OnBot, each_database, each_scheme};
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use crate::bots::BOTS;

/// Who made a change, as the entry shall say.
pub fn actor(bot: &OnBot<'_>) -> Value {
    let (Caller::Bot(token) | Caller::Project(token)) = bot.client.caller() else {
        panic!("somebody with a token");
    };
    json!({
        "tokenId": token.token().id.to_string(),
        "name": token.token().name,
        "scheme": bot.scheme.as_str(),
    })
}

pub fn entries(bot: &OnBot<'_>) -> Vec<Value> {
    bot.get("/changelog").items()
}

/// The latest entry.
pub fn latest(bot: &OnBot<'_>) -> Value {
    entries(bot).swap_remove(0)
}

fn actions(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect()
}

/// One change in an entry.
pub fn change(field: &str, from: Value, to: Value) -> Value {
    json!({"field": field, "from": from, "to": to})
}

each_scheme! {
    fn an_update_is_an_entry_of_this_shape(bot: &OnBot) {
        let before = bot.get("").ok();
        let model = bot.text("other");
        let after = bot.put("", &json!({"model": model, "isPublic": null})).ok();
        let mut entry = latest(bot);
        let id = entry["_id"].as_str().unwrap().to_owned();
        assert!(domain::id::ChangelogEntryId::parse(&id).is_some(), "{id}");
        entry.as_object_mut().unwrap().remove("_id");
        assert!(entry["at"].as_str() >= after["updatedAt"].as_str(), "{entry}");
        assert_eq!(entry, json!({
            "botId": bot.id().to_string(),
            "at": entry["at"],
            "actor": actor(bot),
            "action": "update",
            "resource": "bot",
            "resourceId": bot.id().to_string(),
            "changes": [
                change("model", before["model"].clone(), json!(model)),
                change("isPublic", json!(true), json!(null)),
            ],
        }));
    }

    fn entries_are_newest_first(bot: &OnBot) {
        for temperature in [0.1, 0.2, 0.3] {
            let _ = bot.put("", &json!({"temperature": temperature})).ok();
        }
        let entries = entries(bot);
        assert_eq!(actions(&entries), ["update", "update", "update", "create"]);
        let to: Vec<_> = entries[..3].iter().map(|entry| entry["changes"][0]["to"].clone()).collect();
        assert_eq!(to, [json!(0.3), json!(0.2), json!(0.1)]);
        let times: Vec<_> = entries.iter().map(|entry| entry["at"].as_str().unwrap()).collect();
        assert!(times.is_sorted_by(|newer, older| newer >= older), "{times:?}");
    }

    fn values_keep_their_type(bot: &OnBot) {
        let wanted = json!({
            "temperature": 1,
            "deleteGuestsAfterDays": 9_007_199_254_740_991_u64,
            "tagList": [bot.text("a"), "b"],
            "wordReplacements": [{"from": "x"}],
            "complianceText": {"de": bot.text("neu")},
            "reasoningEffort": "low",
            "websearch": false,
            "summarizePrompt": "",
            "helpUrls": null,
        });
        let before = bot.get("").ok();
        let _ = bot.put("", &wanted).ok();
        let entry = latest(bot);
        let changes = entry["changes"].as_array().unwrap();
        assert_eq!(changes.len(), wanted.as_object().unwrap().len());
        for (field, value) in wanted.as_object().unwrap() {
            let expected = change(field, before[field].clone(), value.clone());
            assert!(changes.contains(&expected), "{field}: {entry}");
        }
    }

    fn a_password_never_stands_in_an_entry(bot: &OnBot) {
        let last = |bot: &OnBot<'_>| latest(bot)["changes"].clone();
        let _ = bot.put("", &json!({"botPassword": bot.text("botpw-second")})).ok();
        assert_eq!(last(bot), json!([change("botPassword", json!("***"), json!("***"))]));
        let _ = bot.put("", &json!({"botPassword": null})).ok();
        assert_eq!(last(bot), json!([change("botPassword", json!("***"), json!(null))]));
        let _ = bot.put("", &json!({"botPassword": bot.text("botpw-third")})).ok();
        assert_eq!(last(bot), json!([change("botPassword", json!(null), json!("***"))]));
        // Nor does it in the table.
        let rows = bot.tenant.app().sql().rows("changelog_entries", "TRUE", &[]);
        assert!(rows.iter().all(|row| !row.contains("botpw-")));
    }

    fn long_values_are_cut_and_marked(bot: &OnBot) {
        let (fits, long) = ("ä".repeat(2_000), "ö".repeat(2_001));
        let _ = bot.put("", &json!({"customJs": fits})).ok();
        assert_eq!(latest(bot)["changes"][0]["to"], json!(fits));
        let _ = bot.put("", &json!({"customJs": long})).ok();
        let entry = latest(bot);
        assert_eq!(entry["changes"][0]["from"], json!(fits));
        let cut = entry["changes"][0]["to"].as_str().unwrap();
        let kept = "ö".repeat(2_000);
        let mark = cut.strip_prefix(&kept).unwrap();
        assert!(!mark.is_empty() && !mark.starts_with('ö') && mark.contains("2001"), "{mark}");
        let list = vec!["0123456789"; 1_000];
        let _ = bot.put("", &json!({"tagList": list})).ok();
        let entry = latest(bot);
        assert!(entry["changes"][0]["to"].to_string().len() < 2_500, "{entry}");
        assert_eq!(bot.get("").ok()["customJs"], json!(long));
    }

    fn what_changes_nothing_is_no_entry(bot: &OnBot) {
        let before = entries(bot);
        let name = bot.get("").ok()["name"].clone();
        let _ = bot.put("", &json!({"name": name})).ok();
        bot.put("", &json!({"name": 1})).problem(422, "wrong_type");
        bot.put("", &json!({})).problem(422, "no_fields");
        let _ = bot.get("").ok();
        assert_eq!(entries(bot), before);
    }

    fn only_what_changed_is_in_an_entry(bot: &OnBot) {
        let name = bot.get("").ok()["name"].clone();
        let _ = bot.put("", &json!({"name": name, "isPublic": true, "websearch": false})).ok();
        let changes = json!([change("websearch", json!(true), json!(false))]);
        assert_eq!(latest(bot)["changes"], changes);
    }

    fn a_bot_that_comes_back_has_its_whole_history(bot: &OnBot) {
        let _ = bot.delete("?mode=archive").ok();
        bot.tenant.restore_bot(bot.id());
        let _ = bot.delete_with("", &json!({"mode": "trash"})).ok();
        bot.tenant.restore_bot(bot.id());
        let entries = entries(bot);
        assert_eq!(actions(&entries), ["restore", "trash", "restore", "archive", "create"]);
        let (yes, no) = (json!(true), json!(false));
        let changes = [
            change("thisIsTrash", yes.clone(), no.clone()),
            change("thisIsTrash", no.clone(), yes.clone()),
            change("archived", yes.clone(), no.clone()),
            change("archived", no, yes),
        ];
        for (entry, change) in entries.iter().zip(changes) {
            assert_eq!(entry["changes"], json!([change]));
            assert_eq!(entry["resourceId"], json!(bot.id().to_string()));
        }
        // An operator has no token.
        assert_eq!([&entries[0]["actor"], &entries[2]["actor"]], [&Value::Null, &Value::Null]);
        assert_eq!([&entries[1]["actor"], &entries[3]["actor"]], [&actor(bot), &actor(bot)]);
    }

    fn a_copy_is_an_entry_of_its_source_and_the_first_of_its_own(bot: &OnBot) {
        let source_name = bot.get("").ok()["name"].clone();
        let name = bot.text("copy");
        let copy = bot.post("/duplicate", &json!({"name": name})).ok();
        let entry = latest(bot);
        assert_eq!(entry["action"], json!("duplicate"));
        assert_eq!(entry["resource"], json!("bot"));
        assert_eq!(entry["resourceId"], copy["_id"]);
        assert_eq!(entry["botId"], json!(bot.id().to_string()));
        assert_eq!(entry["actor"], actor(bot));
        assert_eq!(entry["changes"], json!([change("name", source_name, json!(name))]));

        let path = format!("{BOTS}/{}/changelog", copy["_id"].as_str().unwrap());
        let own = bot.tenant.as_project().get(&path).items();
        assert_eq!(actions(&own), ["duplicate"]);
        assert_eq!(own[0]["botId"], copy["_id"]);
        assert_eq!(own[0]["resourceId"], copy["_id"]);
        assert_eq!(own[0]["actor"], actor(bot));
        let changes = own[0]["changes"].as_array().unwrap();
        assert!(changes.contains(&change("botPassword", json!(null), json!("***"))));
    }

    fn the_entry_keeps_the_name_that_the_token_had(bot: &OnBot) {
        let _ = bot.put("", &json!({"websearch": false})).ok();
        let entry = latest(bot);
        let (Caller::Bot(token) | Caller::Project(token)) = bot.client.caller() else {
            panic!("somebody with a token");
        };
        bot.tenant.revoke(token);
        let reader = bot.tenant.bearer(bot.scheme, botyard_tests::Mint::read_only());
        let entries = reader.get(&bot.path("/changelog")).items();
        assert_eq!(entries[0], entry);
    }

    fn updates_at_once_make_an_unbroken_chain(bot: &OnBot) {
        let _ = bot.put("", &json!({"activeDocSearchCount": 1_000})).ok();
        std::thread::scope(|scope| {
            for number in 0..20 {
                scope.spawn(move || bot.put("", &json!({"activeDocSearchCount": number})).ok());
            }
        });
        let entries = entries(bot);
        assert_eq!(entries.len(), 22);
        let mut value = bot.get("").ok()["activeDocSearchCount"].clone();
        for entry in &entries[..21] {
            assert_eq!(entry["changes"][0]["to"], value);
            value = entry["changes"][0]["from"].clone();
        }
    }
}

each_database! {
    fn making_a_bot_is_its_first_entry(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let body = json!({
            "name": bot.text("new"), "temperature": 0, "botPassword": bot.text("botpw-x"), "model": null,
        });
        let made = bot.client.post(BOTS, &body).ok();
        let path = format!("{BOTS}/{}/changelog", made["_id"].as_str().unwrap());
        let mut entries = bot.client.get(&path).items();
        assert_eq!(entries.len(), 1);
        entries[0].as_object_mut().unwrap().remove("_id");
        assert!(entries[0]["at"].as_str() >= made["createdAt"].as_str());
        assert_eq!(entries[0], json!({
            "botId": made["_id"],
            "at": entries[0]["at"],
            "actor": actor(&bot),
            "action": "create",
            "resource": "bot",
            "resourceId": made["_id"],
            "changes": [
                change("name", json!(null), made["name"].clone()),
                change("botPassword", json!(null), json!("***")),
                change("temperature", json!(null), json!(0)),
            ],
        }));
    }

    fn what_an_operator_does_has_no_actor(app: &TestApp) {
        let tenant = app.tenant();
        let path = format!("{BOTS}/{}/changelog", tenant.bot());
        let entries = tenant.as_project().get(&path).items();
        assert_eq!(actions(&entries), ["create"]);
        assert_eq!(entries[0]["actor"], Value::Null);
    }

    fn every_bot_has_a_changelog_of_its_own(app: &TestApp) {
        let tenant = app.tenant();
        let other = tenant.new_bot("other");
        let client = tenant.as_project();
        let changelog = |bot| client.get(&format!("{BOTS}/{bot}/changelog")).items();
        let before = changelog(other);
        let path = format!("{BOTS}/{}", tenant.bot());
        let _ = client.put(&path, &json!({"websearch": false})).ok();
        assert_eq!(changelog(other), before);
        assert_eq!(changelog(tenant.bot()).len(), 2);
        // A cursor of one leads nowhere in the other.
        let cursor = before[0]["_id"].as_str().unwrap();
        let rest = client.get(&format!("{path}/changelog?cursor={cursor}")).items();
        assert!(rest.iter().all(|entry| entry["botId"] == json!(tenant.bot().to_string())));
    }

    fn the_changelog_of_a_deleted_bot_is_gone(app: &TestApp) {
        let tenant = app.tenant();
        tenant.delete_bot(tenant.bot(), DeleteMode::Delete);
        let path = format!("{BOTS}/{}/changelog", tenant.bot());
        tenant.as_project().get(&path).problem(404, "bot_not_found");
    }
}
