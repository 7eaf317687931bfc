//! Creating, reading, changing and deleting webhooks.

use botyard_tests::{TestApp, each_database};
use serde_json::{Value, json};

use super::{WEBHOOKS, make, path};

const URL: &str = "https://receiver.example/botyard";

each_database! {
    fn a_webhook_lives_and_ends(database: Database) {
        let app = TestApp::start(database, &[]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let bot = tenant.bot().to_string();
        let body = json!({
            "url": URL, "types": ["skill.*"], "botIds": [bot], "description": "d", "enabled": false,
        });
        let mut made = client.post(WEBHOOKS, &body).ok();
        let secret = made.as_object_mut().unwrap().remove("secret").unwrap();
        assert!(secret.as_str().unwrap().starts_with("whsec_"), "{secret}");
        assert_eq!(made["projectId"], tenant.project().id.to_string());
        for (member, value) in body.as_object().unwrap() {
            assert_eq!(made[member], *value, "{member}");
        }
        for member in ["disabledReason", "failingSince"] {
            assert_eq!(made[member], Value::Null, "{member}");
        }
        let at = path(&made);
        assert_eq!(client.get(&at).ok(), made);
        assert_eq!(client.get(WEBHOOKS).items(), [made.clone()]);

        let tag = client.get(&at).header("etag").unwrap().to_owned();
        let change = json!({"botIds": null, "types": ["*"]});
        let changed = client.request("PUT", &at).header("If-Match", &tag).json(&change).send().ok();
        assert_eq!((&changed["botIds"], &changed["types"]), (&Value::Null, &json!(["*"])));
        assert_eq!(changed["url"], URL);
        let stale = client.request("DELETE", &at).header("If-Match", &tag).send();
        stale.problem(412, "precondition_failed");
        let deleted = client.delete(&at).ok();
        assert_eq!(deleted, json!({"deleted": true, "_id": made["_id"]}));
        client.get(&at).problem(404, "webhook_not_found");
        assert_eq!(client.get(WEBHOOKS).items(), [] as [Value; 0]);
    }

    fn what_is_wrong_with_a_webhook_is_said(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__WEBHOOKS_PER_PROJECT", "1")]);
        let (tenant, other) = (app.tenant(), app.tenant());
        let client = tenant.as_project();
        let body = json!({"url": "ftp://a.example/", "types": ["nope"], "botIds": ["x"], "secret": "s"});
        let refused = client.post(WEBHOOKS, &body).problem(422, "invalid_body");
        let pointers: Vec<_> =
            refused["errors"].as_array().unwrap().iter().map(|error| &error["pointer"]).collect();
        assert_eq!(pointers, ["/url", "/types/0", "/botIds/0", "/secret"]);
        let foreign = json!({"url": URL, "types": ["*"], "botIds": [other.bot().to_string()]});
        client.post(WEBHOOKS, &foreign).problem(422, "not_allowed");
        make(&client, URL, &["*"]);
        client.post(WEBHOOKS, &json!({"url": URL, "types": ["*"]})).problem(403, "quota_exceeded");
    }
}
