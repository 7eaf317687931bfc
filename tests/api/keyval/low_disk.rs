//! A disk of the database that becomes full. Some room is kept back, so that deletes have what they need.

use std::path::Path;

use botyard_tests::waiting::until;
use botyard_tests::{Client, Database, TestApp};
use serde_json::{Value, json};

use crate::small_disk::with_database_on;

const KEYVAL: &str = "/api/external/keyval";

fn put(client: &Client<'_>, number: u32, value: &Value) -> u16 {
    let path = format!("{KEYVAL}/u/t/k{number}");
    let answer = client.put(&path, &json!({ "value": value }));
    match answer.status() {
        200 => 200,
        status => {
            answer.problem(503, "storage_full");
            status
        }
    }
}

fn entries(client: &Client<'_>) -> u32 {
    u32::try_from(client.get(KEYVAL).items().len()).unwrap()
}

#[test]
fn a_disk_that_fills_up_can_be_emptied_again_sqlite() {
    let own = "keyval::low_disk::a_disk_that_fills_up_can_be_emptied_again_sqlite";
    with_database_on(own, "64m", on_the_disk_of_the_database);
}

fn on_the_disk_of_the_database(elsewhere: &Path) {
    let data = elsewhere.join("data");
    let settings = [("DATA_DIR", data.to_str().unwrap()), ("DISK__RESERVE", "24MiB")];
    let app = TestApp::start(Database::Sqlite, &settings);
    let (tenant, anonymous) = (app.tenant(), app.anonymous());
    let client = tenant.as_bot(tenant.bot());
    let large = json!(tenant.text(&"x".repeat(900_000)));
    let _ = anonymous.get("/readyz").ok();
    for _ in 0..2 {
        let stored = (0..).take_while(|number| put(&client, *number, &large) == 200).count();
        assert!(stored > 5, "{stored} entries fit");
        // What is small is refused, too, and what is there can be read.
        assert_eq!(put(&client, 0, &json!(1)), 503);
        anonymous.get("/readyz").problem(503, "storage_full");
        let count = entries(&client);
        assert_eq!(usize::try_from(count), Ok(stored));
        for number in 0..count {
            let path = format!("{KEYVAL}/u/t/k{number}");
            assert_eq!(client.delete(&path).ok()["deleted"], true);
        }
        assert_eq!(entries(&client), 0);
        // The file does not shrink, but what is free in it counts.
        until("it is ready again", || anonymous.get("/readyz").status() == 200);
    }
    assert_eq!(put(&client, 0, &json!(1)), 200);
}
