//! What each kind of line may look like. What holds for a line holds for a record made in code, as far
//! as its types leave room for it.

use std::fmt::Debug;

use super::*;
use crate::clock::Timestamp;
use crate::feedback::Rating;
use crate::free_fields::FreeFields;
use crate::history::{HistoryKind, Role};
use crate::input::{INTEGER_MAX, Input, InputSettings};
use crate::json::Json;
use crate::keyval::EntryAddress;
use crate::text::LONG_TEXT_MAX;
use crate::usage::{Day, UsageAmounts, UsageKey, UsageKind};
use crate::user::UserStats;
use crate::violation::codes;

const USER: &str = "0197d0c8-3c5e-7000-8000-0123456789ab";

#[track_caller]
fn valid<R: Input + Debug>(line: &str) -> R {
    R::parse(line.as_bytes(), &InputSettings::default()).unwrap().into_inner()
}

#[track_caller]
fn has_violations<R: Input + Debug>(line: &str, expected: &[(&str, &str)]) {
    let violations = R::parse(line.as_bytes(), &InputSettings::default()).unwrap_err();
    let mut found = codes(&violations);
    found.sort_unstable();
    assert_eq!(found, expected, "{}", text_of(line));
}

/// Long lines are not worth reading.
fn text_of(line: &str) -> &str {
    crate::text::beginning(line, 200)
}

#[track_caller]
fn is_out_of_bounds(record: impl Input + Debug, expected: &[(&str, &str)]) {
    assert_eq!(codes(&record.check(&InputSettings::default()).unwrap_err()), expected);
}

#[test]
fn a_history_item_is_read() {
    let line = format!(
        r#"{{"userId":"{USER}","role":"assistant","kind":"message","supervisorEnabled":true,
            "text":"ä\n","createdAt":"2026-01-31T13:00:00.0079+01:00"}}"#
    );
    let expected = NewHistoryItem {
        user_id: UserId::parse(USER).unwrap(),
        role: Role::Assistant,
        kind: HistoryKind::Message,
        supervisor_enabled: true,
        text: "ä\n".to_owned(),
        created_at: Some(Timestamp::from_millis(1_769_860_800_007)),
    };
    assert_eq!(valid::<NewHistoryItem>(&line), expected);
    let least = format!(r#"{{"userId":"{USER}","role":"user","kind":"socketEvent","text":""}}"#);
    let least = valid::<NewHistoryItem>(&least);
    assert_eq!((least.supervisor_enabled, least.created_at), (false, None));
    has_violations::<NewHistoryItem>(
        r#"{"role":"bot","kind":null,"supervisorEnabled":"no","createdAt":"today","botId":"b"}"#,
        &[
            ("/botId", "unknown_field"),
            ("/createdAt", "bad_format"),
            ("/kind", "missing_field"),
            ("/role", "not_allowed"),
            ("/supervisorEnabled", "wrong_type"),
            ("/text", "missing_field"),
            ("/userId", "missing_field"),
        ],
    );
    let of = |user: &str, text: &str| {
        format!(r#"{{"userId":{user},"role":"user","kind":"message","text":"{text}"}}"#)
    };
    has_violations::<NewHistoryItem>(&of("\"guest-17\"", ""), &[("/userId", "bad_format")]);
    has_violations::<NewHistoryItem>(
        &of("17", "\\u0000"),
        &[("/text", "bad_character"), ("/userId", "wrong_type")],
    );
    let (user, long) = (format!("\"{USER}\""), "x".repeat(LONG_TEXT_MAX));
    assert!(valid::<NewHistoryItem>(&of(&user, &long)).text == long);
    has_violations::<NewHistoryItem>(&of(&user, &format!("{long}x")), &[("/text", "too_long")]);
    let made = |text: String| NewHistoryItem { text, ..expected.clone() };
    assert!(made(long.clone()).check(&InputSettings::default()).is_ok());
    is_out_of_bounds(made(format!("{long}x")), &[("/text", "too_long")]);
    is_out_of_bounds(made("\0".to_owned()), &[("/text", "bad_character")]);
}

#[test]
fn only_messages_of_users_count() {
    let item = |role: &str, kind: &str| {
        valid::<NewHistoryItem>(&format!(
            r#"{{"userId":"{USER}","role":"{role}","kind":"{kind}","text":""}}"#
        ))
    };
    for role in Role::WORDS {
        for kind in HistoryKind::WORDS {
            let counts = (*role, *kind) == ("user", "message");
            assert_eq!(item(role, kind).is_of_user(), counts, "{role} {kind}");
        }
    }
}

#[test]
fn usage_is_read() {
    let line = r#"{"day":"2026-01-31","kind":"speechSynthesis","model":" m/1:b ","requests":1,
        "inputTokens":2,"outputTokens":3,"characters":4,"seconds":5.5,"cost":0.0006}"#;
    let of = UsageKey {
        day: Day::parse("2026-01-31").unwrap(),
        kind: UsageKind::SpeechSynthesis,
        model: "m/1:b".to_owned(),
    };
    let amounts = UsageAmounts {
        requests: 1,
        input_tokens: 2,
        output_tokens: 3,
        characters: 4,
        seconds: 5.5,
        cost: 0.0006,
    };
    let expected = NewUsage { of: of.clone(), amounts };
    assert_eq!(valid::<NewUsage>(line), expected);
    let least = r#"{"day":"2026-01-31","kind":"avatarVideo","model":"m","cost":null}"#;
    assert_eq!(valid::<NewUsage>(least).amounts, UsageAmounts::default());
    has_violations::<NewUsage>(
        r#"{"day":"2026-02-30","kind":"chat","requests":-1,"inputTokens":1.0,"characters":"4",
            "outputTokens":9007199254740992,"seconds":-0.1,"cost":1e16,"_id":1,"updatedAt":1}"#,
        &[
            ("/_id", "unknown_field"),
            ("/characters", "wrong_type"),
            ("/cost", "out_of_range"),
            ("/day", "bad_format"),
            ("/inputTokens", "wrong_type"),
            ("/kind", "not_allowed"),
            ("/model", "missing_field"),
            ("/outputTokens", "out_of_range"),
            ("/requests", "out_of_range"),
            ("/seconds", "out_of_range"),
            ("/updatedAt", "unknown_field"),
        ],
    );
    let model = |model: String| NewUsage { of: UsageKey { model, ..of.clone() }, amounts };
    assert!(model("ä".repeat(200)).check(&InputSettings::default()).is_ok());
    is_out_of_bounds(model("ä".repeat(201)), &[("/model", "too_long")]);
    is_out_of_bounds(model(" ".to_owned()), &[("/model", "too_short")]);
    let amounts = |amounts| NewUsage { of: of.clone(), amounts };
    let most = UsageAmounts { requests: INTEGER_MAX, cost: 1e15, ..UsageAmounts::default() };
    assert!(amounts(most).check(&InputSettings::default()).is_ok());
    let over = UsageAmounts {
        requests: INTEGER_MAX + 1,
        characters: u64::MAX,
        seconds: f64::NAN,
        cost: f64::INFINITY,
        ..UsageAmounts::default()
    };
    is_out_of_bounds(
        amounts(over),
        &[
            ("/requests", "out_of_range"),
            ("/characters", "out_of_range"),
            ("/seconds", "out_of_range"),
            ("/cost", "out_of_range"),
        ],
    );
}

#[test]
fn feedback_is_read() {
    let line = r#"{"messageId":"m-1","userId":"u","rating":"down","comment":"","question":"q",
        "answer":null,"createdAt":"1970-01-01T00:00:00Z"}"#;
    let expected = NewFeedback {
        message_id: "m-1".to_owned(),
        user_id: Some("u".to_owned()),
        rating: Rating::Down,
        comment: Some(String::new()),
        question: Some("q".to_owned()),
        answer: None,
        created_at: Some(Timestamp::from_millis(0)),
    };
    assert_eq!(valid::<NewFeedback>(line), expected);
    has_violations::<NewFeedback>(
        r#"{"userId":"","comment":1,"guestId":"g","createdAt":"1969-12-31T23:59:59Z"}"#,
        &[
            ("/comment", "wrong_type"),
            ("/createdAt", "bad_format"),
            ("/guestId", "unknown_field"),
            ("/messageId", "missing_field"),
            ("/rating", "missing_field"),
            ("/userId", "too_short"),
        ],
    );
    let word = |word: String| NewFeedback {
        message_id: word.clone(),
        user_id: Some(word),
        ..expected.clone()
    };
    assert!(word("ä".repeat(128)).check(&InputSettings::default()).is_ok());
    let too_long = [("/messageId", "too_long"), ("/userId", "too_long")];
    is_out_of_bounds(word("x".repeat(257)), &too_long);
    let long = NewFeedback { answer: Some("x".repeat(LONG_TEXT_MAX + 1)), ..expected };
    is_out_of_bounds(long, &[("/answer", "too_long")]);
}

#[test]
fn an_entry_is_read_as_it_came() {
    let line = r#"{"value": {"b":1.10,"a":"\u0000"} ,"userId":"u","type":"t","key":"!k"}"#;
    let address =
        EntryAddress { user_id: "u".to_owned(), entry_type: "t".to_owned(), key: "!k".to_owned() };
    let entry = valid::<NewEntry>(line);
    assert_eq!(entry.value.as_str(), r#"{"b":1.10,"a":"\u0000"}"#);
    assert_eq!(entry.address, address);
    let null = r#"{"value":null,"userId":"u","type":"t","key":"k"}"#;
    assert_eq!(valid::<NewEntry>(null).value.as_str(), "null");
    has_violations::<NewEntry>(
        r#"{"userId":"","type":"\u0000","permanent":true}"#,
        &[
            ("/key", "missing_field"),
            ("/permanent", "unknown_field"),
            ("/type", "bad_character"),
            ("/userId", "too_short"),
            ("/value", "missing_field"),
        ],
    );
    let value = Json::of(&"x".repeat(LONG_TEXT_MAX));
    let key = "k".repeat(1_025);
    is_out_of_bounds(
        NewEntry { address: EntryAddress { key, ..address }, value },
        &[("/key", "too_long"), ("/value", "too_long")],
    );
}

#[test]
fn a_user_is_read_with_free_members() {
    let line = r#"{"b":1.10,"guestId":"g","a":[],"none":null,"createdAt":"1970-01-01T00:00:01Z",
        "stats":{"messages":1,"tokens":2,"lastActiveAt":"1970-01-01T00:00:02Z","resetAt":null}}"#;
    let user = valid::<NewUser>(line);
    let stats = UserStats {
        messages: 1,
        tokens: 2,
        last_active_at: Some(Timestamp::from_millis(2_000)),
        reset_at: None,
    };
    assert_eq!((user.guest_id.as_str(), user.stats), ("g", stats));
    assert_eq!(Json::of(&user.fields).as_str(), r#"{"b":1.10,"a":[]}"#);
    assert_eq!(user.created_at, Some(Timestamp::from_millis(1_000)));
    let least = valid::<NewUser>(r#"{"guestId":"g","stats":null}"#);
    assert_eq!(least, NewUser { guest_id: "g".to_owned(), ..NewUser::default() });
    has_violations::<NewUser>(
        r#"{"guestId":"","_id":"x","userId":"x","botId":"x","updatedAt":"x",
            "stats":{"messages":-1,"resetAt":"x","more":1}}"#,
        &[
            ("/_id", "reserved_field"),
            ("/botId", "reserved_field"),
            ("/guestId", "too_short"),
            ("/stats/messages", "out_of_range"),
            ("/stats/more", "unknown_field"),
            ("/stats/resetAt", "bad_format"),
            ("/updatedAt", "reserved_field"),
            ("/userId", "reserved_field"),
        ],
    );
    let violations = [("/guestId", "missing_field"), ("/stats", "wrong_type")];
    has_violations::<NewUser>(r#"{"stats":[]}"#, &violations);
    let twice = r#"{"guestId":"g","stats":{"tokens":1,"tokens":2}}"#;
    has_violations::<NewUser>(twice, &[("/stats/tokens", "duplicate_field")]);
    let large = format!(r#"{{"guestId":"g","a":"{}"}}"#, "x".repeat(64 << 10));
    has_violations::<NewUser>(&large, &[("", "too_long")]);
}

#[test]
fn a_user_made_in_code_has_bounds_as_well() {
    let fields: FreeFields = serde_json::from_str(r#"{"a":1,"guestId":"h","_id":2}"#).unwrap();
    let stats = UserStats { tokens: INTEGER_MAX + 1, ..UserStats::default() };
    let user = NewUser { guest_id: "g".repeat(257), fields, stats, created_at: None };
    is_out_of_bounds(
        user,
        &[
            ("/guestId", "duplicate_field"),
            ("/guestId", "too_long"),
            ("/stats/tokens", "out_of_range"),
            ("/_id", "reserved_field"),
        ],
    );
}

#[test]
fn a_visual_block_is_read() {
    let block = valid::<NewVisualBlock>(r#"{"name":" ifthen_a ","content":[1.0]}"#);
    assert_eq!((block.name.as_str(), block.content.as_str()), ("ifthen_a", "[1.0]"));
    has_violations::<NewVisualBlock>(
        r#"{"name":" ","content":null,"_id":"x"}"#,
        &[("/_id", "unknown_field"), ("/content", "missing_field"), ("/name", "too_short")],
    );
    let long = format!(r#"{{"name":"a","content":"{}"}}"#, "x".repeat(LONG_TEXT_MAX));
    has_violations::<NewVisualBlock>(&long, &[("/content", "too_long")]);
}
