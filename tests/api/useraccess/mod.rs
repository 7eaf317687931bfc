//! `/api/external/useraccess/…`

mod at_once;
mod create;
mod delete;
mod in_organisation;
mod list;
mod others;
mod read;
mod reset;
mod update;

use botyard_tests::{Client, Response, Tenant, TestApp};
use domain::id::{BotId, UserId};
use serde_json::{Value, json};

/// An identifier that nothing has.
const NOBODY: &str = "0190c7a0-1111-7222-8333-444455556666";

/// The path of an operation on users.
fn at(rel: &str) -> String {
    format!("/api/external/useraccess{rel}")
}

fn id_of(user: &Value) -> String {
    user["_id"].as_str().unwrap().to_owned()
}

/// A tenant's bot and its users.
struct Users<'a> {
    tenant: Tenant<'a>,
    client: Client<'a>,
}

impl<'a> Users<'a> {
    #[track_caller]
    fn new(app: &'a TestApp) -> Self {
        Self::of(app.tenant())
    }

    #[track_caller]
    fn of(tenant: Tenant<'a>) -> Self {
        let client = tenant.as_bot(tenant.bot());
        Self { tenant, client }
    }

    fn bot(&self) -> BotId {
        self.tenant.bot()
    }

    #[track_caller]
    fn create(&self, body: &Value) -> Response {
        self.client.post(&at("/user"), body)
    }

    /// A new user with this guestId, behind which the tenant's marker stands.
    #[track_caller]
    fn user(&self, guest_id: &str) -> Value {
        self.create(&json!({"guestId": self.tenant.text(guest_id)})).ok()
    }

    #[track_caller]
    fn update(&self, body: &Value) -> Response {
        self.client.put(&at("/user"), body)
    }

    #[track_caller]
    fn delete(&self, ids: &[&str]) -> Response {
        self.client.delete_with(&at("/users"), &json!({"userIds": ids}))
    }

    #[track_caller]
    fn by_id(&self, id: &str) -> Response {
        self.client.get(&at(&format!("/user/byId/{id}")))
    }

    #[track_caller]
    fn all(&self) -> Vec<Value> {
        self.client.get(&at("/users")).items()
    }

    /// Sends bytes as the body of a create or an update.
    #[track_caller]
    fn send(&self, method: &str, body: impl Into<Vec<u8>>) -> Response {
        self.client.request(method, &at("/user")).body(body).send()
    }

    /// What the changelog says: action, identifier, and the fields that changed; oldest first.
    #[track_caller]
    fn changelog_entries(&self) -> Vec<(String, String, Vec<String>)> {
        let entries = self.client.get("/api/external/bot/changelog").items();
        let users = entries.iter().rev().filter(|entry| entry["resource"] == "user");
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let described = users.map(|entry| {
            let changes = entry["changes"].as_array().unwrap().iter();
            let fields = changes.map(|change| text(&change["field"])).collect();
            (text(&entry["action"]), text(&entry["resourceId"]), fields)
        });
        described.collect()
    }
}

/// The identifier of a user.
fn user_id(user: &Value) -> UserId {
    UserId::parse(&id_of(user)).unwrap()
}
