//! The secrets of webhooks are shown once, and are nowhere as plain text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use botyard_tests::{Database, Reply, Site, TestApp, each_database};
use serde_json::{Value, json};

use super::{WEBHOOKS, make, make_skill, path, posted, start};

/// How often the bytes of a secret stand in the table of webhooks.
fn stored(app: &TestApp, secret: &str) -> usize {
    let bytes = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    let column = match app.database() {
        Database::Sqlite => "hex(secret)",
        Database::Postgres => "upper(encode(secret, 'hex'))",
    };
    let rows = app.sql().texts(&format!("SELECT {column} AS value FROM webhooks"));
    assert!(!rows.is_empty());
    rows.iter().filter(|row| row.contains(&hex)).count()
}

each_database! {
    fn a_repeated_answer_has_no_secret(database: Database) {
        let app = TestApp::start(database, &[]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let body = json!({"url": "https://receiver.example/", "types": ["*"]});
        let create = || {
            let request = client.request("POST", WEBHOOKS).header("Idempotency-Key", "a");
            request.json(&body).send().ok()
        };
        let (first, again) = (create(), create());
        assert_eq!(again["_id"], first["_id"]);
        assert_eq!(again["secret"], Value::Null);
        assert_eq!(stored(&app, first["secret"].as_str().unwrap()), 0);
        let dump = app.sql().texts("SELECT answer AS value FROM idempotent_requests");
        assert!(dump.iter().any(|answer| answer.contains("receiver.example")));
        assert!(!dump.iter().any(|answer| answer.contains("whsec_")), "{dump:?}");
    }

    fn a_rotation_gives_another_secret(database: Database) {
        let (app, site) = (start(database), Site::start());
        site.set("/", Reply::status(204));
        let tenant = app.tenant();
        let client = tenant.as_project();
        let made = make(&client, &site.url("/"), &["skill.created"]);
        let rotated = client.request("POST", &format!("{}/rotate", path(&made))).send().ok();
        assert_eq!(rotated["_id"], made["_id"]);
        assert_ne!(rotated["secret"], made["secret"]);
        make_skill(&client, tenant.bot(), "a");
        let message = posted(&site, 1).remove(0);
        assert_eq!(message.headers["webhook-signature"].split(' ').count(), 2);
    }
}
