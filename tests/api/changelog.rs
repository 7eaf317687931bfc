//! `GET {bot}/changelog`

use std::sync::Arc;
use std::time::{Duration, Instant};

use botyard_tests::{Caller, OnBot, each_database, each_scheme};
use domain::bot::DeleteMode;
use domain::id::Ids;
use serde_json::{Value, json};
use storage_diesel::system::{SystemClock, SystemEntropy};

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

fn entries(bot: &OnBot<'_>) -> Vec<Value> {
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

    fn pages_together_are_the_whole_changelog(bot: &OnBot) {
        for number in 0..6 {
            let _ = bot.put("", &json!({"activeDocSearchCount": number})).ok();
        }
        let whole = entries(bot);
        assert_eq!(whole.len(), 7);
        for (limit, pages) in [(1, 7), (3, 3), (6, 2), (7, 1), (1_000, 1)] {
            let (mut walked, mut count) = (Vec::new(), 0);
            let mut next = Some(bot.path(&format!("/changelog?limit={limit}")));
            while let Some(path) = next {
                let page = bot.client.get(&path);
                walked.extend(page.items());
                next = page.next_page();
                count += 1;
                assert!(count <= 7, "the walk does not end");
            }
            assert_eq!((&walked, count), (&whole, pages), "limit {limit}");
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
        let (walked, sizes) = bot.client.walk(&bot.path("/changelog?from=2026-01-31&limit=1"));
        assert_eq!((walked, sizes), (all.clone(), vec![1; all.len()]));
        for query in ["resource=skills", "action=Create", "from=2026-02-01&to=2026-01-31"] {
            bot.get(&format!("/changelog?{query}")).problem(422, "bad_query");
        }
    }

    fn a_walk_is_not_disturbed_by_new_entries(bot: &OnBot) {
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

    fn a_changelog_ends_after_5000_entries(bot: &OnBot) {
        make_many(bot, 5_050);
        let whole = entries(bot);
        assert_eq!(whole.len(), 5_000);
        assert_eq!(whole[0]["resourceId"], json!("5049"));
        assert_eq!(whole[4_999]["resourceId"], json!("50"));
        let (mut walked, mut next) = (Vec::new(), Some(bot.path("/changelog?limit=1000")));
        while let Some(path) = next {
            let page = bot.client.get(&path);
            walked.extend(page.items());
            next = page.next_page();
            assert!(walked.len() <= 5_000, "the walk does not end");
        }
        assert_eq!(walked.len(), 5_000);
        assert!(walked == whole);
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

    fn what_lies_beyond_5000_is_removed_in_the_background(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        make_many(&bot, 5_600);
        let _ = bot.put("", &json!({"websearch": false})).ok();
        let count = format!(
            "SELECT COUNT(*) AS value FROM changelog_entries WHERE bot_id = '{}'", bot.id()
        );
        let patience = Instant::now() + Duration::from_secs(60);
        while app.sql().number(&count) > 5_000 {
            assert!(Instant::now() < patience, "nothing is removed");
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(app.sql().number(&count), 5_000);
        assert_eq!(entries(&bot).len(), 5_000);
        assert_eq!(latest(&bot)["action"], json!("update"));
    }
}
