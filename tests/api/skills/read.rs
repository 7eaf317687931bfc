//! `GET {bot}/skills/{skillId}`, and how a path names a skill.

use botyard_tests::{OnBot, Response, each_scheme};
use serde_json::{Value, json};

use super::{NEVER, full, id, make, make_plain, path};

/// Sends a path as it stands, past any client that would tidy it up.
#[track_caller]
fn raw(bot: &OnBot<'_>, address: &str) -> Response {
    bot.connect().exchange("GET", &bot.path(&path(address)), &[], b"")
}

/// What no skill is called by, though it comes close to one with this `_id` and the `skillId`
/// `some.skill`, encoded as in a path.
fn misses(id: &str) -> Vec<String> {
    let odd = [
        "x",
        "0",
        "null",
        "skills",
        "Some.skill",
        "SOME.SKILL",
        "some_skill",
        "some%2Eskill%20",
        "%20some.skill",
        "some.skill%00",
        "%00",
        "%00some.skill",
        "some.skill%2F",
        "%2F",
        "%20",
        "+",
        "some%25skill",
        "%25",
        "_",
        "some.skil_",
        "some.skill%0A",
        "%C3%A4",
        "%F0%9D%84%9E",
        "some.skill'%20OR%20'1'='1",
        "%22",
        "[%22some.skill%22]",
        "some.skill;x",
        "some.skill,x",
        "some.skill:x",
        NEVER,
        "00000000-0000-0000-0000-000000000000",
    ];
    let mut misses: Vec<_> = odd.map(str::to_owned).into();
    misses.extend([
        id.to_uppercase(),
        id.replace('-', ""),
        format!("%7B{id}%7D"),
        format!("urn:uuid:{id}"),
        format!("{id}%20"),
        format!("{id}%00"),
        "a".repeat(4_096),
    ]);
    misses
}

each_scheme! {
    fn a_skill_is_found_by_both_of_its_ids(bot: &OnBot) {
        let made = bot.post("/skills", &full(bot)).ok();
        assert_eq!(bot.get(&path("full")).ok(), made);
        assert_eq!(bot.get(&path(&id(&made))).ok(), made);
        let plain = make_plain(bot, "plain");
        assert_eq!(bot.get(&path(&id(&plain))).ok(), plain);
    }

    fn the_id_is_understood_whatever_the_skill_id_is_by_now(bot: &OnBot) {
        let made = make_plain(bot, "plain");
        for skill_id in ["one", "two", &id(&made)] {
            let updated = bot.put(&path(&id(&made)), &json!({"skillId": skill_id})).ok();
            assert_eq!(bot.get(&path(skill_id)).ok(), updated);
            assert_eq!(bot.get(&path(&id(&made))).ok(), updated);
        }
        bot.get(&path("one")).problem(404, "skill_not_found");
        bot.get(&path("two")).problem(404, "skill_not_found");
    }

    fn a_path_is_decoded_once(bot: &OnBot) {
        let made = make(bot, "a.B_c-9");
        for encoded in ["a.B_c-9", "a%2EB_c-9", "%61%2e%42%5F%63%2D%39"] {
            assert_eq!(bot.get(&path(encoded)).ok(), made, "{encoded}");
        }
        bot.get(&path("%2561.B_c-9")).problem(404, "skill_not_found");
    }

    fn odd_skill_ids_have_a_path_as_well(bot: &OnBot) {
        for skill_id in [".", "..", "...", "-", "_", "0", "-.-"] {
            let made = make(bot, skill_id);
            assert_eq!(raw(bot, skill_id).ok(), made, "{skill_id}");
            let encoded = skill_id.replace('.', "%2E");
            assert_eq!(raw(bot, &encoded).ok(), made, "{encoded}");
        }
        let longest = "x".repeat(128);
        assert_eq!(make(bot, &longest), bot.get(&path(&longest)).ok());
    }

    fn what_comes_close_is_not_found(bot: &OnBot) {
        let made = make(bot, "some.skill");
        let update = json!({"enabled": false});
        let before = bot.tenant.snapshot();
        for address in misses(&id(&made)) {
            let rel = path(&address);
            bot.get(&rel).problem(404, "skill_not_found");
            bot.put(&rel, &update).problem(404, "skill_not_found");
            bot.delete(&rel).problem(404, "skill_not_found");
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_path_that_can_not_be_decoded_is_unknown(bot: &OnBot) {
        let _ = make(bot, "x");
        for address in ["%ff", "x%ff", "%c3%28", "%ED%A0%80", "x/", "/x", "x/x", ""] {
            raw(bot, address).problem(404, "unknown_path");
        }
        bot.get(&path(&"a".repeat(4_097))).problem(414, "uri_too_long");
        // What is no encoding stands for itself, and no skill has a per cent sign.
        for address in ["%", "%zz", "x%", "%7", "%u0078"] {
            raw(bot, address).problem(404, "skill_not_found");
        }
    }

    fn a_name_is_no_address(bot: &OnBot) {
        let made = bot.post("/skills", &json!({"name": "called", "skillId": "addressed"})).ok();
        bot.get(&path("called")).problem(404, "skill_not_found");
        assert_eq!(bot.get(&path("addressed")).ok(), made);
    }

    fn a_query_is_refused_before_a_skill_is_looked_for(bot: &OnBot) {
        bot.get(&path("nobody?x=1")).has_violations(&[("/x", "bad_query")]);
        let answer = bot.client.put(&bot.path(&path("nobody?x=1")), &json!({"colour": 1}));
        answer.has_violations(&[("/x", "bad_query"), ("/colour", "unknown_field")]);
        bot.delete(&path("nobody?force=true")).has_violations(&[("/force", "bad_query")]);
    }

    fn head_finds_what_get_does(bot: &OnBot) {
        let _ = make(bot, "x");
        for (address, status) in [("x", 200), ("nobody", 404)] {
            let answer = bot.client.head(&bot.path(&path(address)));
            assert_eq!((answer.status(), answer.text()), (status, String::new()));
        }
    }

    fn missing_skills_are_the_same_to_the_byte(bot: &OnBot) {
        let gone = make(bot, "gone");
        let _ = bot.delete(&path("gone")).ok();
        let texts: Vec<Value> = ["gone", &id(&gone), NEVER, "%00"]
            .into_iter()
            .map(|address| {
                let request = bot.client.request("GET", &bot.path(&path(address)));
                request.header("X-Request-Id", "same").send().problem(404, "skill_not_found")
            })
            .collect();
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    }
}
