//! Which paths are known, and how they are read.

use botyard_tests::{Mint, OnBot, each_database, each_scheme};
use serde_json::json;

use crate::bots::BOTS;

/// Sends a path as it stands, past any client that would tidy it up.
#[track_caller]
fn raw(bot: &OnBot<'_>, path: &str) -> botyard_tests::Response {
    bot.connect().exchange("GET", path, &[], b"")
}

each_scheme! {
    fn a_slash_at_the_end_makes_another_path(bot: &OnBot) {
        for rel in ["/", "/changelog/", "//"] {
            bot.get(rel).problem(404, "unknown_path");
        }
        bot.client.get("/api/external/checkauth/").problem(404, "unknown_path");
        bot.client.get(&format!("{BOTS}/")).problem(404, "unknown_path");
    }

    fn an_empty_segment_makes_another_path(bot: &OnBot) {
        for path in [
            bot.path("").replacen("/api", "//api", 1),
            bot.path("").replace("/external", "//external"),
            bot.path("//changelog"),
            bot.path("").replace("/bots/", "/bots//"),
        ] {
            if path != bot.base() {
                raw(bot, &path).problem(404, "unknown_path");
            }
        }
    }

    fn segments_are_decoded_once(bot: &OnBot) {
        let encoded = bot.path("/%63hangelog");
        assert_eq!(bot.client.get(&encoded).items().len(), 1);
        let encoded = bot.base().replace("/api/", "/%61p%69/");
        let _ = raw(bot, &encoded).ok();
        bot.get("/%2563hangelog").problem(404, "unknown_path");
    }

    fn an_encoded_slash_separates_nothing(bot: &OnBot) {
        bot.get("%2Fchangelog").problem(404, if bot.base().contains("/bots/") {
            // It is part of the id, which then is none.
            "bot_not_found"
        } else {
            "unknown_path"
        });
        bot.get("/changelog%2F").problem(404, "unknown_path");
        bot.client.get("/api%2Fexternal%2Fbot").problem(404, "unknown_path");
    }

    fn dots_lead_nowhere(bot: &OnBot) {
        for path in [
            bot.path("/x/../changelog"),
            bot.path("/./changelog"),
            bot.path("/%2e%2e/changelog"),
            "/api/external/../external/bot".to_owned(),
        ] {
            raw(bot, &path).problem(404, "unknown_path");
        }
    }

    fn paths_are_distinguished_by_case(bot: &OnBot) {
        bot.get("/Changelog").problem(404, "unknown_path");
        bot.client.get("/API/external/checkauth").problem(404, "unknown_path");
    }

    fn the_wrong_encoding_makes_another_path(bot: &OnBot) {
        for rel in ["/%ff", "/%", "/%zz", "/changelog%00"] {
            raw(bot, &bot.path(rel)).problem(404, "unknown_path");
        }
    }

    fn unknown_paths_are_unknown(bot: &OnBot) {
        for rel in ["/nope", "/changelog/1", "/duplicate/x", "/skill"] {
            bot.get(rel).problem(404, "unknown_path");
            bot.post(rel, &json!({})).problem(404, "unknown_path");
        }
        for path in ["/api", "/api/external", "/api/external/projectapi", "/api/external/bots"] {
            bot.client.get(path).problem(404, "unknown_path");
        }
    }

    fn accept_is_ignored(bot: &OnBot) {
        for accept in ["text/html", "application/xml;q=1, */*;q=0", "x", ""] {
            let answer = bot.client.request("GET", bot.base()).header("Accept", accept).send();
            let _ = answer.ok();
        }
    }

    fn an_unknown_query_is_refused(bot: &OnBot) {
        bot.get("?nope=1").has_violations(&[("/nope", "bad_query")]);
        bot.get("/changelog?verbose").has_violations(&[("/verbose", "bad_query")]);
        bot.client.put(&bot.path("?x=1"), &json!({"websearch": false})).problem(422, "bad_query");
        assert_eq!(bot.get("").ok()["websearch"], json!(true));
    }
}

each_database! {
    fn the_path_is_checked_before_the_token(app: &TestApp) {
        let client = app.anonymous();
        client.get("/api/external/nope").problem(404, "unknown_path");
        client.get("/api/external/projectapi/nope").problem(404, "unknown_path");
        client.delete("/api/external/checkauth").problem(405, "method_not_allowed");
        client.get(&format!("{BOTS}/x")).problem(401, "unauthenticated");
    }

    fn path_and_query_have_at_most_8_kib(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let start = format!("{BOTS}?limit=1&cursor={}&", tenant.bot());
        let fits = format!("{start}{}", "&".repeat(8_192 - start.len()));
        assert_eq!(client.get(&fits).items().len(), 0);
        client.get(&format!("{fits}&")).problem(414, "uri_too_long");
        let long = format!("{BOTS}/{}", "a/".repeat(5_000));
        client.get(&long).problem(414, "uri_too_long");
    }

    fn a_segment_has_at_most_4_kib_decoded(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        client.get(&format!("{BOTS}/{}", "a".repeat(4_096))).problem(404, "bot_not_found");
        client.get(&format!("{BOTS}/{}", "a".repeat(4_097))).problem(414, "uri_too_long");
        // It is the decoded bytes that count.
        let encoded = "%61".repeat(2_500);
        client.get(&format!("{BOTS}/{encoded}")).problem(404, "bot_not_found");
    }

    fn a_path_that_is_too_long_is_reported_before_the_token(app: &TestApp) {
        let long = format!("{BOTS}?{}", "a".repeat(10_000));
        app.anonymous().get(&long).problem(414, "uri_too_long");
    }

    fn a_token_in_path_or_query_opens_nothing(app: &TestApp) {
        let tenant = app.tenant();
        let token = tenant.project_token(Mint::default());
        let secret = token.secret();
        let client = tenant.anonymous();
        for path in [
            format!("{BOTS}?X-Project-Api-Key={secret}"),
            format!("{BOTS}?token={secret}"),
            format!("{BOTS}/{secret}"),
        ] {
            client.get(&path).problem(401, "unauthenticated");
        }
        client.get(&format!("/api/external/{secret}")).problem(404, "unknown_path");
    }
}
