//! What the samples say of conversations, as the lines of files to import. All times are fixed, so that
//! filling in on another day adds nothing.

use serde_json::{Value, json};

/// The samples of users: one who talked much, one who wrote twice, one who only looked.
pub fn users() -> [Value; 3] {
    [
        json!({
            "guestId": "visitor-1",
            "name": "Maria Keller",
            "email": "maria@example.com",
            "tags": ["customer", "newsletter"],
            "stats": {"tokens": 1840, "lastActiveAt": "2026-01-31T09:16:40.000Z"},
            "createdAt": "2026-01-29T08:00:00.000Z"
        }),
        json!({
            "guestId": "visitor-2",
            "name": "Tom",
            "address": {"city": "Aachen", "country": "DE"},
            "stats": {
                "messages": 5,
                "tokens": 620,
                "lastActiveAt": "2026-01-30T17:42:00.000Z",
                "resetAt": "2026-01-01T00:00:00.000Z"
            },
            "createdAt": "2026-01-30T17:40:00.000Z"
        }),
        json!({"guestId": "visitor-3", "createdAt": "2026-01-31T12:00:00.000Z"}),
    ]
}

/// What was said by and to a sample user, whose `_id` is `user`.
pub fn history(guest: &str, user: &str) -> Vec<Value> {
    let item = |role: &str, at: &str, text: &str| {
        json!({
            "userId": user,
            "role": role,
            "kind": "message",
            "supervisorEnabled": true,
            "text": text,
            "createdAt": at
        })
    };
    match guest {
        "visitor-1" => {
            let mut joined = item("system", "2026-01-31T09:15:00.000Z", "joined");
            merge(&mut joined, "kind", "socketEvent");
            let mut before = item("user", "2026-01-29T08:01:00.000Z", "Nobody reads this, right?");
            merge(&mut before, "supervisorEnabled", false);
            vec![
                before,
                joined,
                item("user", "2026-01-31T09:15:10.000Z", "Where is my order A-1234?"),
                item("assistant", "2026-01-31T09:15:12.000Z", "I am looking for your order."),
                item("supervisor", "2026-01-31T09:16:00.000Z", "It leaves our house today."),
                item("user", "2026-01-31T09:16:40.000Z", "Thank you!"),
            ]
        }
        "visitor-2" => vec![
            item("user", "2026-01-30T17:41:00.000Z", "When are you open?"),
            item("assistant", "2026-01-30T17:41:02.000Z", "Monday to Friday, 9 to 17."),
        ],
        _ => Vec::new(),
    }
}

/// What the bot keeps of a sample user; the second entry is permanent.
pub fn entries_of_user(user: &str) -> [Value; 2] {
    [
        json!({
            "userId": user,
            "type": "cart",
            "key": "items",
            "value": [{"article": "Lamp", "count": 2, "price": 19.90}]
        }),
        json!({"userId": user, "type": "profile", "key": "!plan", "value": "premium"}),
    ]
}

/// What the project keeps by itself; the first entry is permanent.
pub fn entries_of_project() -> [Value; 3] {
    let entry = |key: &str, value: Value| json!({"userId": "everybody", "type": "campaign", "key": key, "value": value});
    [
        entry("!terms", json!({"version": 3, "url": "https://example.com/terms"})),
        entry("winter/discount", json!(0.15)),
        entry("winter/title", json!("Warm greetings")),
    ]
}

/// What goes by itself after a while, and matches none of the samples.
pub fn max_age_rules() -> [Value; 2] {
    [
        json!({"keyPattern": "session/*", "maxAgeSeconds": 3_600}),
        json!({"keyPattern": "draft-????", "maxAgeSeconds": 2_592_000}),
    ]
}

/// Usage of every kind on three days.
pub fn usage() -> [Value; 5] {
    let chat = |day: &str, model: &str, requests: u32, input: u32, output: u32, cost: f64| {
        json!({
            "day": day,
            "kind": "chatCompletion",
            "model": model,
            "requests": requests,
            "inputTokens": input,
            "outputTokens": output,
            "cost": cost
        })
    };
    [
        chat("2026-01-29", "sample-large", 12, 9_400, 2_100, 0.26),
        chat("2026-01-30", "sample-large", 31, 24_800, 6_050, 0.72),
        chat("2026-01-31", "sample-small", 8, 3_900, 800, 0.02),
        json!({
            "day": "2026-01-31",
            "kind": "speechSynthesis",
            "model": "sample-voice",
            "requests": 4,
            "characters": 1_260,
            "seconds": 84.5,
            "cost": 0.05
        }),
        json!({
            "day": "2026-01-31",
            "kind": "avatarVideo",
            "model": "sample-avatar",
            "requests": 1,
            "seconds": 21.25,
            "cost": 0.4
        }),
    ]
}

/// Two ratings by a sample user, and feedback without a user.
pub fn feedback(user: &str) -> [Value; 3] {
    [
        json!({
            "messageId": "sample-message-1",
            "userId": user,
            "rating": "up",
            "question": "Where is my order A-1234?",
            "answer": "I am looking for your order.",
            "createdAt": "2026-01-31T09:17:00.000Z"
        }),
        json!({
            "messageId": "sample-message-2",
            "userId": user,
            "rating": "down",
            "comment": "And on Saturdays?",
            "question": "When are you open?",
            "answer": "Monday to Friday, 9 to 17.",
            "createdAt": "2026-01-31T09:18:00.000Z"
        }),
        json!({
            "messageId": "sample-message-3",
            "rating": "none",
            "createdAt": "2026-01-31T12:00:00.000Z"
        }),
    ]
}

fn merge(line: &mut Value, member: &str, value: impl Into<Value>) {
    if let Some(members) = line.as_object_mut() {
        members.insert(member.to_owned(), value.into());
    }
}
