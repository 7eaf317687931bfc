//! What webhooks are sent, and how that went.

use botyard_tests::waiting::until;
use botyard_tests::{Reply, Site, TestApp, each_database};
use serde_json::{Value, json};

use super::{deliveries, make, make_skill, path, posted, start};

each_database! {
    fn events_arrive_signed_and_in_order(database: Database) {
        let (app, site) = (start(database), Site::start());
        site.set("/hook", Reply::status(200).body("thanks"));
        let (tenant, other) = (app.tenant(), app.tenant());
        let client = tenant.as_project();
        let webhook = make(&client, &site.url("/hook"), &["skill.created", "webhook.created"]);
        make_skill(&other.as_project(), other.bot(), "foreign");
        let made: Vec<_> =
            ["a", "b", "c"].map(|name| make_skill(&client, tenant.bot(), name)).into();
        let messages = posted(&site, 4);
        let expected: Vec<_> =
            [webhook["_id"].as_str().unwrap()].into_iter().chain(made.iter().map(String::as_str)).collect();
        let events = client.get("/api/external/projectapi/events?types=skill.created,webhook.created").items();
        for ((message, of), event) in messages.iter().zip(&expected).zip(&events) {
            let body: Value = serde_json::from_slice(&message.body).unwrap();
            assert_eq!(body["data"]["resourceId"], *of);
            assert_eq!(body, json!({"type": event["type"], "timestamp": event["at"], "data": event}));
            assert_eq!(message.headers["webhook-id"], event["_id"].as_str().unwrap());
            assert_eq!(message.headers["content-type"], "application/json");
            assert!(message.headers["webhook-timestamp"].parse::<u64>().is_ok());
            assert!(message.headers["webhook-signature"].starts_with("v1,"));
        }
        let sent = deliveries(&client, &webhook, "delivered", 4);
        let ids: Vec<_> = sent.iter().map(|delivery| &delivery["eventId"]).collect();
        assert_eq!(ids, events.iter().map(|event| &event["_id"]).collect::<Vec<_>>());
        for delivery in &sent {
            let attempt = &delivery["attempts"][0];
            assert_eq!((&attempt["statusCode"], &attempt["error"]), (&json!(200), &Value::Null));
            assert_eq!((&delivery["webhookId"], &delivery["nextAttemptAt"]), (&webhook["_id"], &Value::Null));
        }
        let pages = client.get(&format!("{}/deliveries?limit=3", path(&webhook)));
        assert_eq!(pages.items().len(), 3);
        assert!(pages.header("link").is_some());
    }

    fn what_fails_is_sent_again_and_fails_in_the_end(database: Database) {
        let (app, site) = (start(database), Site::start());
        site.set("/moved", Reply::redirect(307, "/hook"));
        let tenant = app.tenant();
        let client = tenant.as_project();
        let webhook = make(&client, &site.url("/moved"), &["skill.created"]);
        make_skill(&client, tenant.bot(), "a");
        let failed = deliveries(&client, &webhook, "failed", 1).remove(0);
        let statuses: Vec<_> =
            failed["attempts"].as_array().unwrap().iter().map(|one| &one["statusCode"]).collect();
        assert_eq!(statuses, [307, 307, 307]);
        let messages = site.posts();
        assert!(messages.iter().all(|message| message.path == "/moved"));
        assert!(messages.iter().all(|one| one.headers["webhook-id"] == messages[0].headers["webhook-id"]));
        assert_ne!(client.get(&path(&webhook)).ok()["failingSince"], Value::Null);

        site.set("/moved", Reply::status(204));
        let retry = format!("{}/deliveries/{}/retry", path(&webhook), failed["_id"].as_str().unwrap());
        let retried = client.request("POST", &retry).send().ok();
        assert_eq!(retried["status"], "waiting");
        let delivered = deliveries(&client, &webhook, "delivered", 1).remove(0);
        assert_eq!(delivered["attempts"].as_array().unwrap().len(), 4);
        let metrics = tenant.anonymous().get("/metrics").text();
        for (outcome, count) in [("refused", 3), ("delivered", 1), ("unreachable", 0)] {
            let line = format!("\nbotyard_webhook_messages_total{{outcome=\"{outcome}\"}} {count}\n");
            assert!(metrics.contains(&line), "{line} {metrics}");
        }
        assert_eq!(client.get(&path(&webhook)).ok()["failingSince"], Value::Null);
    }

    fn a_receiver_that_is_gone_disables_its_webhook(database: Database) {
        let (app, site) = (start(database), Site::start());
        site.set("/", Reply::status(410));
        let tenant = app.tenant();
        let client = tenant.as_project();
        let webhook = make(&client, &site.url("/"), &["skill.created"]);
        let test = format!("{}/test", path(&webhook));
        let event = client.request("POST", &test).send().ok()["eventId"].clone();
        let failed = deliveries(&client, &webhook, "failed", 1).remove(0);
        assert_eq!((&failed["eventId"], &failed["type"]), (&event, &json!("webhook.test")));
        let disabled = client.get(&path(&webhook)).ok();
        assert_eq!((&disabled["enabled"], &disabled["disabledReason"]), (&json!(false), &json!("gone")));
        client.request("POST", &test).send().problem(409, "webhook_disabled");
        let retry = format!("{}/deliveries/{}/retry", path(&webhook), failed["_id"].as_str().unwrap());
        client.request("POST", &retry).send().problem(409, "webhook_disabled");
        make_skill(&client, tenant.bot(), "a");
        site.set("/", Reply::status(204));
        let enabled = client.put(&path(&webhook), &json!({"enabled": true})).ok();
        assert_eq!(enabled["disabledReason"], Value::Null);
        make_skill(&client, tenant.bot(), "b");
        until("what happens from then on is sent", || site.posts().len() >= 2);
        let events = client.get("/api/external/projectapi/events?types=webhook.disabled").items();
        assert_eq!(events[0]["data"], json!({"error": "gone"}));
        assert_eq!(events[0]["resourceId"], webhook["_id"]);
    }

    fn nothing_that_is_not_public_is_reached(database: Database) {
        let settings = [("CRAWLER__ALLOW_NETWORKS", "127.0.0.0/8"), ("WEBHOOKS__RETRIES", "10ms")];
        let (app, site) = (TestApp::start(database, &settings), Site::start());
        let tenant = app.tenant();
        let client = tenant.as_project();
        let webhook = make(&client, &site.url("/"), &["skill.created"]);
        make_skill(&client, tenant.bot(), "a");
        let failed = deliveries(&client, &webhook, "failed", 1).remove(0);
        let attempt = &failed["attempts"][0];
        assert_eq!((&attempt["statusCode"], &attempt["error"]), (&Value::Null, &json!("blocked_address")));
        assert_eq!(site.connections(), 0);
    }

    fn a_receiver_that_hangs_delays_no_other_project(database: Database) {
        let (app, site) = (start(database), Site::start());
        site.hold("/hangs");
        site.set("/", Reply::status(204));
        let (tenant, other) = (app.tenant(), app.tenant());
        let client = tenant.as_project();
        for _ in 0..20 {
            make(&client, &site.url("/hangs"), &["*"]);
        }
        until("all of its slots are taken", || site.waiting("/hangs") >= 8);
        let client = other.as_project();
        let webhook = make(&client, &site.url("/"), &["skill.created"]);
        make_skill(&client, other.bot(), "a");
        deliveries(&client, &webhook, "delivered", 1);
        assert_eq!(site.waiting("/hangs"), 8);
        site.release("/hangs");
    }
}
