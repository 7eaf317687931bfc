//! `DELETE /api/external/useraccess/users`

use botyard_tests::{TestApp, each_database, record};
use domain::recorder::{NewEntry, NewFeedback, NewHistoryItem, NewUsage, NewUser};
use serde_json::{Value, json};

use super::{NOBODY, Users, at, id_of};

/// So many users with a history of so many items each; their identifiers.
#[track_caller]
fn many(users: &Users<'_>, count: usize, items: usize) -> Vec<String> {
    let user = |number: usize| {
        record::<NewUser>(&json!({
            "guestId": number.to_string(), "createdAt": "2026-01-31T12:00:00.000Z",
        }))
    };
    users.tenant.record(users.bot(), (0..count).map(user));
    let sql = users.tenant.app().sql();
    let id = sql.text_of("id");
    let list = format!("SELECT {id} AS value FROM users WHERE bot_id = '{}'", users.bot());
    let ids = sql.texts(&list);
    assert_eq!(ids.len(), count);
    for ids in ids.chunks(100) {
        let of_user = |id: &String| (0..items).map(|_| history(id, true)).collect::<Vec<_>>();
        users.tenant.record(users.bot(), ids.iter().flat_map(of_user));
    }
    ids
}

fn history(user: &str, supervised: bool) -> domain::recorder::Record {
    record::<NewHistoryItem>(&json!({
        "userId": user, "role": "assistant", "kind": "message", "supervisorEnabled": supervised,
        "text": "Hello", "createdAt": "2026-01-31T12:00:00.000Z",
    }))
}

/// How many rows of a table have this text in a column.
fn count(users: &Users<'_>, table: &str, column: &str, text: &str) -> i64 {
    let sql = users.tenant.app().sql();
    let is_id = table == "history_items";
    let column = if is_id { sql.text_of(column) } else { column.to_owned() };
    sql.number(&format!("SELECT COUNT(*) AS value FROM {table} WHERE {column} = '{text}'"))
}

each_database! {
    fn users_that_are_there_go_and_are_counted(app: &TestApp) {
        let users = Users::new(app);
        let made: Vec<_> = (0..4).map(|number| id_of(&users.user(&number.to_string()))).collect();
        let answer = users.delete(&[&made[0], NOBODY, &made[2], "x", "", &made[0]]);
        assert_eq!((answer.status(), answer.text().as_str()), (200, r#"{"deleted":2}"#));
        let left: Vec<_> = users.all().iter().map(id_of).collect();
        assert_eq!(left, [&*made[1], &made[3]]);
        assert_eq!(users.by_id(&made[0]).ok(), Value::Null);
        assert_eq!(users.delete(&[&made[0], &made[2]]).ok(), json!({"deleted": 0}));
        users.update(&json!({"_id": made[0], "a": 1})).problem(403, "user_unknown");
        let mut entries = users.changelog_entries().split_off(4);
        entries.sort();
        let deleted = |id: &str| ("delete".to_owned(), id.to_owned(), vec!["guestId".to_owned()]);
        assert_eq!(entries, [deleted(&made[0]), deleted(&made[2])]);
    }

    fn history_and_entries_go_along_and_what_was_said_and_used_stays(app: &TestApp) {
        let users = Users::new(app);
        let (gone, stays) = (id_of(&users.user("gone")), id_of(&users.user("stays")));
        let bot = users.bot();
        for id in [&gone, &stays] {
            let entry = |key: &str| {
                record::<NewEntry>(&json!({"userId": id, "type": "t", "key": key, "value": 1}))
            };
            let said = json!({
                "messageId": "m", "userId": id, "rating": "up",
                "createdAt": "2026-01-31T12:00:00.000Z",
            });
            let used = json!({
                "day": "2026-01-31", "kind": "chatCompletion", "model": id, "requests": 1,
            });
            users.tenant.record(bot, [
                history(id, true), history(id, false), entry("k"), entry("!permanent"),
                record::<NewFeedback>(&said), record::<NewUsage>(&used),
            ]);
        }
        let other_bot = users.tenant.new_bot("other");
        let rel = format!("keyval/{gone}/t/k");
        let elsewhere = [
            (users.tenant.as_bot(other_bot), format!("/api/external/{rel}")),
            (users.tenant.as_project(), format!("/api/external/projectapi/{rel}")),
        ];
        for (client, path) in &elsewhere {
            let _ = client.put(path, &json!({"value": 1})).ok();
        }
        let before = count(&users, "keyval_entries", "user_id", &gone);
        assert_eq!(before, 4);
        assert_eq!(users.delete(&[&gone]).ok(), json!({"deleted": 1}));

        for (table, column, left) in [
            ("users", "id", 0),
            ("history_items", "user_id", 0),
            ("feedback_entries", "user_id", 1),
            ("usage_statistics", "model", 1),
        ] {
            assert_eq!(count(&users, table, column, &gone), left, "{table}");
            assert_ne!(count(&users, table, column, &stays), 0, "{table}");
        }
        let own = users.client.get(&format!("/api/external/keyval/{gone}")).items();
        assert_eq!(own, Vec::<Value>::new());
        assert_eq!(users.client.get(&format!("/api/external/keyval/{stays}")).items().len(), 2);
        for (client, path) in &elsewhere {
            assert_eq!(client.get(path).ok()["value"], json!(1));
        }
        let chats = users.client.get("/api/external/supervisor/chats").items();
        assert_eq!(chats.len(), 1);
        assert_eq!(chats[0]["userId"], json!(stays));
    }

    fn a_thousand_go_at_once_and_no_more(app: &TestApp) {
        let users = Users::new(app);
        let mut ids = many(&users, 1_000, 1);
        let refused = |ids: &Value| {
            users.client.delete_with(&at("/users"), &json!({"userIds": ids}))
        };
        let before = users.tenant.snapshot();
        let mut more = ids.clone();
        more.push(ids[0].clone());
        refused(&json!(more)).has_violations(&[("/userIds", "too_many_items")]);
        more.resize(10_001, NOBODY.to_owned());
        refused(&json!(more)).has_violations(&[("/userIds", "too_many_items")]);
        refused(&json!([])).has_violations(&[("/userIds", "too_short")]);
        before.assert_unchanged(&users.tenant);

        let last = ids.pop().unwrap();
        // A thousand ids, of which one belongs to no user.
        ids.push(NOBODY.to_owned());
        assert_eq!(refused(&json!(ids)).ok(), json!({"deleted": 999}));
        assert_eq!(users.all().iter().map(id_of).collect::<Vec<_>>(), [last]);
        assert_eq!(count(&users, "history_items", "bot_id", &users.bot().to_string()), 1);
        let entries = users.changelog_entries();
        assert_eq!(entries.iter().filter(|(action, ..)| action == "delete").count(), 999);
    }

    fn a_body_that_does_not_say_whom_is_refused(app: &TestApp) {
        let users = Users::new(app);
        let id = id_of(&users.user("g"));
        let before = users.tenant.snapshot();
        for (body, violations) in [
            (json!({}), vec![("/userIds", "missing_field")]),
            (json!({"userIds": null}), vec![("/userIds", "missing_field")]),
            (json!({"userIds": id}), vec![("/userIds", "wrong_type")]),
            (json!({"userIds": {"0": id}}), vec![("/userIds", "wrong_type")]),
            (json!({"userIds": [id, 1, null]}), vec![
                ("/userIds/1", "wrong_type"), ("/userIds/2", "wrong_type"),
            ]),
            (json!({"userIds": [id, "\0"]}), vec![("/userIds/1", "bad_character")]),
            (json!({"userIds": [id], "all": true}), vec![("/all", "unknown_field")]),
            (json!({"userId": id}), vec![
                ("/userId", "unknown_field"), ("/userIds", "missing_field"),
            ]),
        ] {
            users.client.delete_with(&at("/users"), &body).has_violations(&violations);
        }
        users.client.delete(&at("/users")).problem(422, "malformed_json");
        let by_query = format!("/users?userIds={id}");
        let body = json!({"userIds": [id]});
        let answer = users.client.delete_with(&at(&by_query), &body);
        answer.has_violations(&[("/userIds", "bad_query")]);
        before.assert_unchanged(&users.tenant);
    }
}

each_database! {
    fn a_delete_takes_as_long_as_it_takes(database: Database) {
        // Far less than so many batches of rows need.
        let app = TestApp::start(database, &[("LIMITS__HANDLER_TIMEOUT", "20ms")]);
        let users = Users::new(&app);
        let ids = many(&users, 500, 40);
        let ids: Vec<_> = ids.iter().map(String::as_str).collect();
        assert_eq!(users.delete(&ids).ok(), json!({"deleted": 500}));
        for table in ["users", "history_items"] {
            assert_eq!(count(&users, table, "bot_id", &users.bot().to_string()), 0, "{table}");
        }
    }
}
