//! A large configuration is stored once for a bot and its copies, until one of them is changed.

use botyard_tests::waiting::until;
use botyard_tests::{TestApp, each_database};
use serde_json::json;

use crate::bots::BOTS;

each_database! {
    fn copies_share_a_large_configuration_until_they_are_changed(database: Database) {
        let app = TestApp::start(database, &[]);
        let stored = || app.sql().number("SELECT COUNT(DISTINCT id) AS value FROM large_config_parts");
        let tenant = app.tenant();
        let client = tenant.as_project();
        let path = |id: &str| format!("{BOTS}/{id}");
        let id = |bot: &serde_json::Value| bot["_id"].as_str().unwrap().to_owned();

        let long = "ä\"\\".repeat(50_000);
        let original = client.post(BOTS, &json!({"name": "one", "customJs": long})).ok();
        let copies = ["two", "three"].map(|name| {
            let duplicate = format!("{BOTS}/{}/duplicate", id(&original));
            client.post(&duplicate, &json!({"name": name})).ok()
        });
        assert_eq!(stored(), 1);
        for (copy, name) in copies.iter().zip(["two", "three"]) {
            let read = client.get(&path(&id(copy))).ok();
            assert_eq!(&read, copy);
            assert_eq!((&read["name"], &read["customJs"]), (&json!(name), &json!(long)));
        }
        let names: Vec<_> = client.get(BOTS).items().iter().map(|bot| bot["name"].clone()).collect();
        assert!(["one", "two", "three"].iter().all(|name| names.contains(&json!(name))), "{names:?}");

        let [two, three] = copies;
        let changed = client.put(&path(&id(&two)), &json!({"temperature": 1.5})).ok();
        assert_eq!((&changed["name"], &changed["customJs"]), (&json!("two"), &json!(long)));
        assert_eq!(stored(), 2);
        assert_eq!(client.get(&path(&id(&original))).ok(), original);
        let short = client.put(&path(&id(&original)), &json!({"customJs": null})).ok();
        assert_eq!(short["customJs"], json!(null));
        assert_eq!(client.get(&path(&id(&three))).ok(), three);
        assert_eq!(stored(), 2, "one of them is that of the third");
        for bot in [&two, &three] {
            let _ = client.delete(&path(&id(bot))).ok();
        }
        until("the configurations went with their bots", || stored() == 0);
    }
}
