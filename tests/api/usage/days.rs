//! `from` and `to`

use botyard_tests::{OnBot, each_scheme};
use serde_json::json;

use super::{keys, usage};

const DAYS: [&str; 5] = ["1970-01-01", "2026-01-31", "2026-02-01", "2026-02-02", "9999-12-31"];

fn make(bot: &OnBot<'_>) {
    let used = json!({"requests": 1});
    bot.tenant.record(bot.id(), DAYS.map(|day| usage(bot, day, "m", &used)));
}

each_scheme! {
    fn both_ends_are_included_and_either_may_be_open(bot: &OnBot) {
        make(bot);
        for (query, from, to) in [
            ("", 0, 5),
            ("?from=1970-01-01", 0, 5),
            ("?from=1970-01-02", 1, 5),
            ("?from=2026-02-01", 2, 5),
            ("?to=2026-02-01", 0, 3),
            ("?to=2026-01-30", 0, 1),
            ("?from=2026-02-01&to=2026-02-01", 2, 3),
            ("?to=2026-02-02&from=2026-01-31", 1, 4),
            ("?from=2027-01-01&to=2028-01-01", 0, 0),
            ("?from=9999-12-31&to=9999-12-31", 4, 5),
        ] {
            let expected: Vec<_> =
                DAYS[from..to].iter().map(|day| format!("{day} chatCompletion m")).collect();
            assert_eq!(keys(&bot.get(&format!("/usage{query}")).items(), bot), expected, "{query}");
        }
    }

    fn pages_keep_to_their_days(bot: &OnBot) {
        make(bot);
        let path = "/usage?from=2026-01-31&limit=1&to=2026-02-02";
        let (collected, sizes) = bot.client.collect_pages(&bot.path(path));
        assert_eq!(sizes, [1, 1, 1]);
        assert_eq!(collected, bot.get("/usage").items()[1..4]);
        let next = bot.get(path).next_page().unwrap();
        assert!(next.contains("from=2026-01-31&limit=1&to=2026-02-02&cursor="), "{next}");
        // A cursor is a place, also where the days lie elsewhere.
        let later = next.replace("from=2026-01-31", "from=2026-02-02");
        let found = keys(&bot.client.get(&later).items(), bot);
        assert_eq!(found, ["2026-02-02 chatCompletion m"]);
    }

    fn what_is_no_day_is_refused(bot: &OnBot) {
        for day in [
            "",
            "2026-02-29",
            "2026-1-31",
            "31.01.2026",
            "2026-01-31T00:00:00Z",
            "1969-12-31",
            "10000-01-01",
            "%202026-01-31",
            "today",
        ] {
            for name in ["from", "to"] {
                let pointer = format!("/{name}");
                let answer = bot.get(&format!("/usage?{name}={day}"));
                answer.has_violations(&[(&pointer, "bad_query")]);
            }
        }
        let twice = bot.get("/usage?from=2026-01-31&from=2026-01-31");
        twice.has_violations(&[("/from", "bad_query")]);
        let crossed = bot.get("/usage?from=2026-02-01&to=2026-01-31");
        crossed.has_violations(&[("/to", "bad_query")]);
        let all = bot.get("/usage?from=x&to=y&limit=0&cursor=z&day=2026-01-31");
        all.has_violations(&[
            ("/from", "bad_query"),
            ("/to", "bad_query"),
            ("/limit", "bad_query"),
            ("/cursor", "bad_query"),
            ("/day", "bad_query"),
        ]);
    }
}
