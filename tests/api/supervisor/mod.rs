//! `/api/external/supervisor/…`

mod access;
mod chats;
mod many;
mod one;
mod pages;
mod users;

use botyard_tests::{Client, Response, Tenant, TestApp, record};
use domain::id::{BotId, UserId};
use domain::recorder::{NewHistoryItem, Record};
use serde_json::{Value, json};

const CHATS: &str = "/api/external/supervisor/chats";
const USERS: &str = "/api/external/supervisor/users";

/// A time, so many seconds after another one that is long ago.
fn time(second: u32) -> String {
    format!("2026-01-31T12:{:02}:{:02}.000Z", second / 60, second % 60)
}

/// What a supervisor reads of a bot.
struct Supervised<'a> {
    tenant: Tenant<'a>,
    client: Client<'a>,
}

impl<'a> Supervised<'a> {
    #[track_caller]
    fn new(app: &'a TestApp) -> Self {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        Self { tenant, client }
    }

    fn bot(&self) -> BotId {
        self.tenant.bot()
    }

    #[track_caller]
    fn user(&self, guest_id: &str) -> UserId {
        self.tenant.new_user(self.bot(), guest_id)
    }

    /// An item of a chat; `other` says what is not like most of them.
    #[track_caller]
    fn item(&self, user: UserId, second: u32, other: &Value) -> Record {
        let mut line = json!({
            "userId": user.to_string(),
            "role": "user",
            "kind": "message",
            "supervisorEnabled": true,
            "text": self.tenant.text(&second.to_string()),
            "createdAt": time(second),
        });
        for (member, value) in other.as_object().expect("an object") {
            line[member] = value.clone();
        }
        record::<NewHistoryItem>(&line)
    }

    /// Records messages of a user at these seconds.
    #[track_caller]
    fn says(&self, user: UserId, seconds: impl IntoIterator<Item = u32>) {
        let items = seconds.into_iter().map(|second| self.item(user, second, &json!({})));
        self.tenant.record(self.bot(), items);
    }

    #[track_caller]
    fn chats(&self) -> Vec<Value> {
        self.client.get(CHATS).items()
    }

    #[track_caller]
    fn chat(&self, user: UserId) -> Response {
        self.client.get(&format!("{CHATS}/{user}"))
    }
}

/// Whose chats they are, in their order.
fn guests(chats: &[Value], tenant: &Tenant<'_>) -> Vec<String> {
    let marker = format!(" {}", tenant.marker());
    let guest = |chat: &Value| chat["guestId"].as_str().unwrap().replace(&marker, "");
    chats.iter().map(guest).collect()
}

/// What is said in a chat, in its order.
fn texts(chat: &Value, tenant: &Tenant<'_>) -> Vec<String> {
    let marker = format!(" {}", tenant.marker());
    let items = chat["items"].as_array().unwrap_or_else(|| panic!("no items in {chat}"));
    items.iter().map(|item| item["text"].as_str().unwrap().replace(&marker, "")).collect()
}
