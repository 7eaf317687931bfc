//! What is listed, and in which order.

use botyard_tests::each_scheme;
use serde_json::{Value, json};

use super::{feedback, messages};

const LONG_AGO: &str = "1970-01-01T00:00:00.001Z";

each_scheme! {
    fn feedback_is_shown_whole(bot: &OnBot) {
        assert_eq!(bot.get("/feedback").text(), "[]");
        let user = bot.tenant.new_user(bot.id(), "g");
        let said = json!({
            "userId": user.to_string(),
            "rating": "down",
            "comment": bot.text("no\n\"ä𝄞\\"),
            "question": bot.text("why?"),
            "answer": "",
            "createdAt": "2026-01-31T13:00:00.0009+01:00",
        });
        bot.tenant.record(bot.id(), [feedback(bot, "full", &said)]);
        bot.tenant.record(bot.id(), [feedback(bot, "least", &json!({}))]);
        let listed = bot.get("/feedback").items();
        let (first, second) = (&listed[0], &listed[1]);
        let mut expected = json!({
            "_id": first["_id"],
            "botId": bot.id().to_string(),
            "messageId": bot.text("full"),
            "guestId": bot.text("g"),
            "rating": "down",
        });
        for member in ["userId", "comment", "question", "answer"] {
            expected[member] = said[member].clone();
        }
        expected["createdAt"] = json!("2026-01-31T12:00:00.000Z");
        assert_eq!(*first, expected);
        let expected = json!({
            "_id": second["_id"],
            "botId": bot.id().to_string(),
            "messageId": bot.text("least"),
            "userId": null,
            "guestId": null,
            "rating": "none",
            "comment": null,
            "question": null,
            "answer": null,
            "createdAt": second["createdAt"],
        });
        assert_eq!(*second, expected);
        assert!(second["createdAt"].as_str().unwrap() > "2026-01-31T12:00:00.000Z");
    }

    fn feedback_outlives_its_user(bot: &OnBot) {
        let user = bot.tenant.new_user(bot.id(), "g");
        let said = json!({"userId": user.to_string(), "rating": "up", "createdAt": LONG_AGO});
        bot.tenant.record(bot.id(), [feedback(bot, "m", &said)]);
        let before = bot.get("/feedback").items();
        bot.tenant.delete_user(bot.id(), user);
        assert_eq!(bot.get("/feedback").items(), before);
        // Who is not there any more has no guestId to keep.
        bot.tenant.record(bot.id(), [feedback(bot, "later", &said)]);
        let listed = bot.get("/feedback").items();
        assert_eq!(listed[1]["guestId"], Value::Null);
        assert_eq!(listed[1]["userId"], said["userId"]);
    }

    fn feedback_is_listed_oldest_first_in_pages(bot: &OnBot) {
        let at = |second: u32| json!({"createdAt": format!("2026-01-31T12:00:{second:02}Z")});
        let seconds = [("c", 5), ("a", 1), ("d", 5), ("b", 2), ("e", 5)];
        let some = seconds.map(|(name, second)| feedback(bot, name, &at(second)));
        bot.tenant.record(bot.id(), some);
        let whole = bot.get("/feedback").items();
        assert_eq!(messages(&whole, bot), ["a", "b", "c", "d", "e"]);
        for (limit, expected) in [(1, vec![1; 5]), (2, vec![2, 2, 1]), (5, vec![5]), (6, vec![5])] {
            let collected = bot.client.collect_pages(&bot.path(&format!("/feedback?limit={limit}")));
            assert_eq!(collected, (whole.clone(), expected));
        }
        let page = bot.get("/feedback?limit=3");
        let rest = bot.client.get(&page.next_page().unwrap().replace("limit=3", ""));
        assert_eq!(messages(&rest.items(), bot), ["d", "e"]);
        assert_eq!(rest.next_page(), None);
    }

    fn feedback_is_found_by_rating_and_time(bot: &OnBot) {
        let of = |name: &str, at: &str, rating: &str| {
            feedback(bot, name, &json!({"createdAt": at, "rating": rating}))
        };
        bot.tenant.record(bot.id(), [
            of("a", "2026-01-30T23:59:59.999Z", "up"),
            of("b", "2026-01-31T00:00:00Z", "down"),
            of("c", "2026-01-31T23:59:59.999Z", "up"),
            of("d", "2026-02-01T00:00:00Z", "up"),
        ]);
        for (query, expected) in [
            ("rating=up", "acd"),
            ("rating=none", ""),
            ("from=2026-01-31", "bcd"),
            ("to=2026-01-31", "abc"),
            ("from=2026-01-31&to=2026-01-31", "bc"),
            ("from=2026-01-31T00:00:00.001Z", "cd"),
            ("to=2026-01-31T00:00:00Z", "ab"),
            ("from=2026-01-31T01:00:00%2B01:00&to=2026-02-01T00:00:00Z&rating=up", "cd"),
        ] {
            let reversed: String = expected.chars().rev().collect();
            for (sort, expected) in [
                ("", expected),
                ("&sort=createdAt", expected),
                ("&sort=-createdAt", reversed.as_str()),
            ] {
                let path = format!("/feedback?{query}{sort}");
                assert_eq!(messages(&bot.get(&path).items(), bot).concat(), expected, "{path}");
                let (collected, _) = bot.client.collect_pages(&bot.path(&format!("{path}&limit=1")));
                assert_eq!(messages(&collected, bot).concat(), expected, "{path}");
            }
        }
    }

    fn a_long_list_is_streamed_whole(bot: &OnBot) {
        let names: Vec<_> = (0..2_103).map(|number| number.to_string()).collect();
        bot.tenant.record(bot.id(), names.iter().map(|name| feedback(bot, name, &json!({}))));
        let answer = bot.connect().exchange("GET", &bot.path("/feedback"), &[], b"");
        assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
        assert!(messages(&answer.items(), bot) == names);
        let (collected, sizes) = bot.client.collect_pages(&bot.path("/feedback?limit=1000"));
        assert_eq!(sizes, [1_000, 1_000, 103]);
        assert!(collected == answer.items());
    }

    fn a_wrong_query_is_refused(bot: &OnBot) {
        for (query, pointer) in [
            ("limit=0", "/limit"),
            ("cursor=", "/cursor"),
            ("cursor=1.x", "/cursor"),
            ("rating=Up", "/rating"),
            ("from=31.1.2026", "/from"),
            ("to=2026-02-30", "/to"),
            ("from=2026-02-01&to=2026-01-31T23:59:59Z", "/to"),
            ("sort=rating", "/sort"),
            ("sort=-createdAt&cursor=7.01890a5d-ac96-774b-bcce-b302099a8057", "/cursor"),
            ("cursor=-createdAt.7.01890a5d-ac96-774b-bcce-b302099a8057", "/cursor"),
        ] {
            bot.get(&format!("/feedback?{query}")).has_violations(&[(pointer, "bad_query")]);
        }
    }
}
