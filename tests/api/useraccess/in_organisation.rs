//! `GET /api/external/useraccess/user/usersinorg`

use botyard_tests::{Tenant, each_database};
use domain::bot::{BotKind, DeleteMode};
use domain::id::BotId;
use serde_json::{Value, json};

use super::{Users, at};

const ALL: &str = "/user/usersinorg";

/// A bot with its users, as the list has it.
fn entry(tenant: &Tenant<'_>, bot: BotId, name: &str) -> Value {
    let users = tenant.as_bot(bot).get(&at("/users")).items();
    json!({
        "botId": bot.to_string(),
        "name": name,
        "projectId": tenant.project().id.to_string(),
        "users": users,
    })
}

/// The name of a bot.
fn name_of(tenant: &Tenant<'_>, bot: BotId) -> String {
    let found = tenant.as_bot(bot).get("/api/external/bot").ok();
    found["name"].as_str().unwrap().to_owned()
}

#[track_caller]
fn with_users(tenant: &Tenant<'_>, bot: BotId, count: usize) -> Value {
    for number in 0..count {
        let _ = tenant.new_user(bot, &number.to_string());
    }
    entry(tenant, bot, &name_of(tenant, bot))
}

each_database! {
    fn every_active_bot_of_the_organisation_is_there_with_its_users(app: &TestApp) {
        let users = Users::new(app);
        let tenant = &users.tenant;
        let mut expected = vec![with_users(tenant, users.bot(), 3)];
        let sibling = tenant.sibling();
        expected.push(with_users(&sibling, sibling.bot(), 2));
        // More than one unit of work reads at first.
        expected.push(with_users(tenant, tenant.new_bot("many"), 40));
        expected.push(with_users(&sibling, sibling.new_bot("of the sibling"), 0));
        expected.push(with_users(tenant, tenant.new_bot("last"), 1));

        // What is not active, not regular, or of another organisation is not.
        for mode in [DeleteMode::Archive, DeleteMode::Trash, DeleteMode::Delete] {
            let bot = sibling.new_bot("gone");
            let _ = with_users(&sibling, bot, 1);
            sibling.delete_bot(bot, mode);
        }
        for kind in [BotKind::Demo, BotKind::Template] {
            let _ = tenant.new_hidden_bot(kind);
        }
        let foreign = app.tenant();
        let _ = with_users(&foreign, foreign.bot(), 2);

        assert_eq!(users.client.get(&at(ALL)).items(), expected);
        assert_eq!(sibling.as_bot(sibling.bot()).get(&at(ALL)).items(), expected);
        let of_foreign = foreign.as_bot(foreign.bot()).get(&at(ALL)).items();
        assert_eq!(of_foreign.len(), 1);
        assert_eq!(of_foreign[0]["users"].as_array().unwrap().len(), 2);
    }

    fn users_are_shown_as_a_read_shows_them(app: &TestApp) {
        let users = Users::new(app);
        let body = r#"{"guestId":"g","z":1.10,"a":{ "b":[]}}"#;
        let user = users.send("POST", body).text();
        let head = json!({
            "botId": users.bot().to_string(),
            "name": name_of(&users.tenant, users.bot()),
            "projectId": users.tenant.project().id.to_string(),
        });
        let text = users.client.get(&at(ALL)).text();
        let (start, rest) = text.split_once(",\"users\":").unwrap();
        let start = format!("{}}}", start.strip_prefix('[').unwrap());
        assert_eq!(serde_json::from_str::<Value>(&start).unwrap(), head);
        assert_eq!(rest, format!("[{user}]}}]"));
    }

    fn pages_are_of_bots(app: &TestApp) {
        let users = Users::new(app);
        let tenant = &users.tenant;
        for name in ["second", "third"] {
            let bot = tenant.new_bot(name);
            let _ = with_users(tenant, bot, 20);
        }
        let sibling = tenant.sibling();
        let whole = users.client.get(&at(ALL)).items();
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[3]["botId"], json!(sibling.bot().to_string()));
        for (limit, sizes) in [(1, vec![1; 4]), (3, vec![3, 1]), (4, vec![4]), (1000, vec![4])] {
            let collected = users.client.collect_pages(&at(&format!("{ALL}?limit={limit}")));
            assert_eq!(collected, (whole.clone(), sizes), "limit {limit}");
        }
        let cursor = whole[1]["botId"].as_str().unwrap();
        let rest = users.client.get(&at(&format!("{ALL}?cursor={cursor}")));
        assert_eq!((rest.next_page(), rest.items()), (None, whole[2..].to_vec()));
        for (query, pointer) in [("limit=0", "/limit"), ("cursor=x", "/cursor"), ("botId=x", "/botId")] {
            let answer = users.client.get(&at(&format!("{ALL}?{query}")));
            answer.has_violations(&[(pointer, "bad_query")]);
        }
    }
}
