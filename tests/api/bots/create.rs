//! `POST /api/external/projectapi/bots`

use botyard_tests::{each_database, sample};
use serde_json::{Map, Value, json};

use super::BOTS;

each_database! {
    fn a_bot_is_made_with_every_field(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let config = sample::full_config(tenant.marker());
        let made = client.post(BOTS, &Value::Object(config.clone())).ok();
        for (field, value) in &config {
            assert_eq!(made[field], *value, "{field}");
        }
        assert_eq!(made["projectId"], json!(tenant.project().id.to_string()));
        assert_eq!(made["archived"], json!(false));
        assert_eq!(made["thisIsTrash"], json!(false));
        assert_eq!(made["apiKeys"], json!([]));
        assert_eq!(made["createdAt"], made["updatedAt"]);
        let id = made["_id"].as_str().unwrap();
        assert_eq!(client.get(&format!("{BOTS}/{id}")).ok(), made);
        assert_eq!(client.get(BOTS).items().last(), Some(&made));
    }

    fn a_number_keeps_all_its_digits(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        // The last number before 2, which a reader that rounds takes for 2.
        let (number, shown) = ("1.9999999999999998", "\"temperature\":1.9999999999999998,");
        let name = json!(tenant.text("digits"));
        let body = format!(r#"{{"name":{name},"temperature":{number}}}"#);
        let created = client.request("POST", BOTS).body(body).send();
        assert!(created.status() == 200 && created.text().contains(shown), "{created}");
        let path = format!("{BOTS}/{}", created.json()["_id"].as_str().unwrap());
        let updated = client.put(&path, &json!({"temperature": 1}));
        assert!(updated.text().contains("\"temperature\":1,"), "{updated}");
        let updated = client.request("PUT", &path).body(format!(r#"{{"temperature":{number}}}"#)).send();
        for answer in [updated, client.get(&path), client.get(BOTS)] {
            assert!(answer.status() == 200 && answer.text().contains(shown), "{answer}");
        }
    }

    fn a_new_bot_has_a_uuid_of_version_7(app: &TestApp) {
        let tenant = app.tenant();
        let made = tenant.as_project().post(BOTS, &json!({"name": tenant.text("x")})).ok();
        let id = made["_id"].as_str().unwrap();
        let form: String = id
            .chars()
            .map(|letter| if matches!(letter, '0'..='9' | 'a'..='f') { 'x' } else { letter })
            .collect();
        assert_eq!(form, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
        assert_eq!(&id[14..15], "7");
        assert!("89ab".contains(&id[19..20]), "{id}");
    }

    fn what_is_left_out_is_null(app: &TestApp) {
        let tenant = app.tenant();
        let made = tenant.as_project().post(BOTS, &json!({"name": tenant.text("x")})).ok();
        for field in sample::config_fields().iter().filter(|field| field.name != "name") {
            assert_eq!(made[&field.name], Value::Null, "{}", field.name);
        }
    }

    fn null_is_the_same_as_left_out(app: &TestApp) {
        let tenant = app.tenant();
        let fields = sample::config_fields();
        let mut body: Map<_, _> =
            fields.iter().map(|field| (field.name.clone(), Value::Null)).collect();
        body.insert("name".to_owned(), json!(tenant.text("x")));
        let made = tenant.as_project().post(BOTS, &Value::Object(body)).ok();
        for field in fields.iter().filter(|field| field.name != "name") {
            assert_eq!(made[&field.name], Value::Null, "{}", field.name);
        }
    }

    fn a_name_is_needed(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let before = tenant.snapshot();
        for body in [json!({}), json!({"name": null}), json!({"model": "x"})] {
            client.post(BOTS, &body).has_violations(&[("/name", "missing_field")]);
        }
        for blank in ["", " \t\n"] {
            client.post(BOTS, &json!({"name": blank})).has_violations(&[("/name", "too_short")]);
        }
        client.post(BOTS, &json!({"name": 1})).has_violations(&[("/name", "wrong_type")]);
        client.request("POST", BOTS).send().has_violations(&[("", "malformed_json")]);
        before.assert_unchanged(&tenant);
    }

    fn a_name_is_kept_without_the_blanks_around_it(app: &TestApp) {
        let tenant = app.tenant();
        let name = tenant.text("trimmed");
        let made = tenant.as_project().post(BOTS, &json!({"name": format!(" {name}\n")}));
        assert_eq!(made.ok()["name"], json!(name));
    }

    fn two_bots_may_have_the_same_name(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let body = json!({"name": tenant.text("twin")});
        let (one, other) = (client.post(BOTS, &body).ok(), client.post(BOTS, &body).ok());
        assert_ne!(one["_id"], other["_id"]);
        assert_eq!(one["name"], other["name"]);
    }

    fn a_new_bot_is_reached_with_a_new_token(app: &TestApp) {
        let tenant = app.tenant();
        let made = tenant.new_bot("new");
        let got = tenant.as_bot(made).get("/api/external/bot").ok();
        assert_eq!(got["_id"], json!(made.to_string()));
    }

    fn bots_made_at_once_are_all_there(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let (client, body) = (&client, json!({"name": tenant.text("x")}));
        let made = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..20).map(|_| scope.spawn(|| client.post(BOTS, &body).ok())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
        });
        let listed = client.get(BOTS).items();
        assert_eq!(listed.len(), 21);
        for bot in made {
            assert!(listed.contains(&bot), "{bot}");
        }
    }
}
