//! What a chat runtime writes, as a value and as a line of a file.

use std::collections::BTreeMap;

use super::*;
use crate::clock::Timestamp;
use crate::feedback::Rating;
use crate::free_fields::FreeFields;
use crate::history::{HistoryKind, Role};
use crate::id::UserId;
use crate::keyval::EntryAddress;
use crate::recorder::{NewEntry, NewFeedback, NewHistoryItem, NewUsage, NewUser};
use crate::usage::{Day, UsageAmounts, UsageKey, UsageKind};
use crate::user::UserStats;
use crate::visual_block::NewVisualBlock;

const USER: &str = "0197d0c8-3c5e-7000-8000-0123456789ab";

fn time() -> impl Strategy<Value = &'static str> {
    let times =
        ["1970-01-01T00:00:00.000Z", "2026-01-31T23:59:59.999Z", "9999-12-31T00:00:00.000Z"];
    proptest::sample::select(times.to_vec())
}

fn parsed(time: Option<&str>) -> Option<Timestamp> {
    time.map(|text| Timestamp::parse(text).unwrap())
}

fn some(value: impl serde::Serialize) -> Option<String> {
    Some(json!(value).to_string())
}

/// Amounts: those that are taken, and others.
fn amount() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -1.0..3.0]
}

proptest! {
    #[test]
    fn a_history_item(
        role in proptest::sample::select(&[(Role::User, "user"), (Role::Supervisor, "supervisor")][..]),
        kind in proptest::sample::select(&[
            (HistoryKind::Message, "message"), (HistoryKind::SocketEvent, "socketEvent"),
        ][..]),
        supervisor_enabled in any::<bool>(), text in text(), time in option::of(time()),
    ) {
        let line = object_text(&[
            ("userId", some(USER)), ("role", some(role.1)), ("kind", some(kind.1)),
            ("supervisorEnabled", some(supervisor_enabled)), ("text", some(&text)),
            ("createdAt", written(&time)),
        ]);
        let (role, kind, created_at) = (role.0, kind.0, parsed(time));
        let user_id = UserId::parse(USER).unwrap();
        same(&NewHistoryItem { user_id, role, kind, supervisor_enabled, text, created_at }, &line)?;
    }

    #[test]
    fn feedback(
        message_id in text(), user_id in option::of(text()),
        rating in proptest::sample::select(&[(Rating::Up, "up"), (Rating::None, "none")][..]),
        comment in option::of(text()), question in option::of(text()), answer in option::of(text()),
        time in option::of(time()),
    ) {
        let line = object_text(&[
            ("messageId", some(&message_id)), ("userId", written(&user_id)),
            ("rating", some(rating.1)), ("comment", written(&comment)),
            ("question", written(&question)), ("answer", written(&answer)),
            ("createdAt", written(&time)),
        ]);
        let (rating, created_at) = (rating.0, parsed(time));
        let made = NewFeedback { message_id, user_id, rating, comment, question, answer, created_at };
        same(&made, &line)?;
    }

    #[test]
    fn usage(
        day in proptest::sample::select(&["1970-01-01", "2026-02-28"][..]), model in text(),
        requests in any::<u64>(), tokens in 0_u64..9, seconds in amount(), cost in amount(),
    ) {
        let line = object_text(&[
            ("day", some(day)), ("kind", some("avatarVideo")), ("model", some(&model)),
            ("requests", some(requests)), ("inputTokens", some(tokens)),
            ("seconds", Some(number_text(seconds))), ("cost", Some(number_text(cost))),
        ]);
        let of = UsageKey { day: Day::parse(day).unwrap(), kind: UsageKind::AvatarVideo, model };
        let amounts = UsageAmounts {
            requests, input_tokens: tokens, seconds, cost, ..UsageAmounts::default()
        };
        same(&NewUsage { of, amounts }, &line)?;
    }

    #[test]
    fn an_entry(user_id in text(), entry_type in text(), key in text(), value in text()) {
        let line = object_text(&[
            ("userId", some(&user_id)), ("type", some(&entry_type)), ("key", some(&key)),
            ("value", some(&value)),
        ]);
        let address = EntryAddress { user_id, entry_type, key };
        same(&NewEntry { address, value: Json::of(&value) }, &line)?;
    }

    #[test]
    fn a_user(
        guest_id in text(), free in free_texts(), messages in any::<u64>(),
        active in option::of(time()), time in option::of(time()),
    ) {
        // A user has each field once, and none without a value. One that is called as a known member is
        // not among them: of a member that is there twice, the first is checked.
        let mut free: BTreeMap<_, _> =
            free.into_iter().filter_map(|(name, text)| Some((name, text?))).collect();
        free.remove("stats");
        let stats = object_text(&[
            ("messages", some(messages)), ("tokens", some(0)), ("lastActiveAt", written(&active)),
        ]);
        let members =
            [("guestId", some(&guest_id)), ("stats", Some(stats)), ("createdAt", written(&time))];
        let texts: Vec<_> =
            free.iter().map(|(name, text)| (name.clone(), Some(text.clone()))).collect();
        let line = object_with_free(&members, &texts);
        let stats = UserStats { messages, last_active_at: parsed(active), ..UserStats::default() };
        let fields = FreeFields::of(free.iter().map(|(name, text)| (name.clone(), Json::of(text))));
        same(&NewUser { guest_id, fields, stats, created_at: parsed(time) }, &line)?;
    }

    #[test]
    fn a_visual_block(name in text(), content in object()) {
        let line = object_text(&[("name", some(&name)), ("content", Some(content.as_str().to_owned()))]);
        let content = Json::parse_text(content.as_str()).unwrap();
        same(&NewVisualBlock { name, content }, &line)?;
    }
}
