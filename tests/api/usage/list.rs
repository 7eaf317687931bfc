//! What is listed, and in which order.

use botyard_tests::each_scheme;
use serde_json::json;

use super::{keys, usage};

each_scheme! {
    fn usage_is_shown_whole(bot: &OnBot) {
        assert_eq!(bot.get("/usage").text(), "[]");
        let used = json!({
            "requests": 1,
            "inputTokens": 20,
            "outputTokens": 300,
            "characters": 4_000,
            "seconds": 12.5,
            "cost": 0.0125,
        });
        bot.tenant.record(bot.id(), [
            usage(bot, "2026-01-31", "m", &used),
            usage(bot, "2026-02-01", "m", &json!({"kind": "avatarVideo", "seconds": 3})),
        ]);
        let listed = bot.get("/usage").items();
        let mut expected = used.clone();
        expected["_id"] = listed[0]["_id"].clone();
        expected["botId"] = json!(bot.id().to_string());
        expected["day"] = json!("2026-01-31");
        expected["kind"] = json!("chatCompletion");
        expected["model"] = json!(bot.text("m"));
        assert_eq!(listed[0], expected);
        let numbers = ["requests", "inputTokens", "outputTokens", "characters", "seconds", "cost"]
            .map(|member| listed[1][member].to_string());
        assert_eq!(numbers, ["0", "0", "0", "0", "3", "0"]);
    }

    fn usage_adds_up_by_day_kind_and_model(bot: &OnBot) {
        let used = json!({"requests": 1, "seconds": 0.5, "cost": 0.25});
        for _ in 0..3 {
            bot.tenant.record(bot.id(), [
                usage(bot, "2026-01-31", "m", &used),
                usage(bot, "2026-01-31", "m", &used),
                usage(bot, "2026-01-31", "n", &used),
            ]);
        }
        let listed = bot.get("/usage").items();
        let expected = ["m", "n"].map(|model| format!("2026-01-31 chatCompletion {model}"));
        assert_eq!(keys(&listed, bot), expected);
        let sums = |at: usize| {
            ["requests", "seconds", "cost"].map(|name| listed[at][name].to_string())
        };
        assert_eq!(sums(0), ["6", "3", "1.5"]);
        assert_eq!(sums(1), ["3", "1.5", "0.75"]);
        // The row is the same, whatever is added.
        bot.tenant.record(bot.id(), [usage(bot, "2026-01-31", "m", &used)]);
        assert_eq!(bot.get("/usage").items()[0]["_id"], listed[0]["_id"]);
    }

    fn usage_is_listed_by_day_kind_and_model_in_pages(bot: &OnBot) {
        let of = |day, kind: &str, model| usage(bot, day, model, &json!({"kind": kind}));
        bot.tenant.record(bot.id(), [
            of("2026-02-01", "avatarVideo", "a"),
            of("2026-01-31", "speechSynthesis", "a"),
            of("2026-01-31", "chatCompletion", "ä"),
            of("2026-01-31", "chatCompletion", "a"),
            of("2026-01-31", "chatCompletion", "Z"),
            of("2026-01-31", "chatCompletion", "a/b:7 &?"),
            of("2025-12-31", "speechSynthesis", "z"),
        ]);
        let whole = bot.get("/usage").items();
        let expected = [
            "2025-12-31 speechSynthesis z",
            "2026-01-31 chatCompletion Z",
            "2026-01-31 chatCompletion a",
            "2026-01-31 chatCompletion a/b:7 &?",
            "2026-01-31 chatCompletion ä",
            "2026-01-31 speechSynthesis a",
            "2026-02-01 avatarVideo a",
        ];
        assert_eq!(keys(&whole, bot), expected);
        for (limit, expected) in [(1, vec![1; 7]), (3, vec![3, 3, 1]), (7, vec![7]), (8, vec![7])] {
            let collected = bot.client.collect_pages(&bot.path(&format!("/usage?limit={limit}")));
            assert_eq!(collected, (whole.clone(), expected));
        }
    }

    fn a_long_list_is_streamed_whole(bot: &OnBot) {
        let models: Vec<_> = (0..1_503).map(|number| format!("{number:04}")).collect();
        let used = json!({"requests": 1});
        let of = |model: &String| usage(bot, "2026-01-31", model, &used);
        bot.tenant.record(bot.id(), models.iter().map(of));
        let answer = bot.connect().exchange("GET", &bot.path("/usage"), &[], b"");
        assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
        let expected = models.iter().map(|model| format!("2026-01-31 chatCompletion {model}"));
        assert!(keys(&answer.items(), bot) == expected.collect::<Vec<_>>());
        let (collected, sizes) = bot.client.collect_pages(&bot.path("/usage?limit=1000"));
        assert_eq!(sizes, [1_000, 503]);
        assert!(collected == answer.items());
    }
}
