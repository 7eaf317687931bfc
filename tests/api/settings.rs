//! What settings change on the wire.

use botyard_tests::waiting::until;
use botyard_tests::{Mint, TestApp, each_database};
use serde_json::json;

use crate::bots::BOTS;

each_database! {
    fn the_model_sources_are_those_of_the_settings(database: Database) {
        let settings = [("MODEL_SOURCES__HOSTED", "cloud"), ("MODEL_SOURCES__SELFHOSTED", "cellar")];
        let app = TestApp::start(database, &settings);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let path = format!("{BOTS}/{}", tenant.new_bot("plain"));
        for word in ["cloud", "cellar"] {
            let answer = client.put(&path, &json!({"modelSource": word}));
            assert_eq!(answer.ok()["modelSource"], json!(word));
        }
        for word in ["hosted", "selfhosted", "Cloud", ""] {
            let answer = client.put(&path, &json!({"modelSource": word}));
            answer.has_violations(&[("/modelSource", "not_allowed")]);
        }
    }

    fn tokens_come_in_the_headers_of_the_settings(database: Database) {
        let settings = [("AUTH__BOT_HEADER", "X-Bot-Key"), ("AUTH__PROJECT_HEADER", "X-Area-Key")];
        let app = TestApp::start(database, &settings);
        let tenant = app.tenant();
        let bot = tenant.bot_token(tenant.bot(), Mint::default());
        let project = tenant.project_token(Mint::default());
        for (path, old, new, token) in [
            ("/api/external/checkauth", "X-Api-Key", "X-Bot-Key", bot),
            ("/api/external/projectapi/checkauth", "X-Project-Api-Key", "X-Area-Key", project),
        ] {
            let send = |header| {
                tenant.anonymous().request("GET", path).header(header, token.secret()).send()
            };
            let _ = send(new).ok();
            let refused = send(old);
            refused.problem(401, "unauthenticated");
            let challenge = format!("ApiKey header=\"{new}\"");
            assert_eq!(refused.header("www-authenticate"), Some(challenge.as_str()));
        }
    }

    fn a_token_that_calls_too_often_is_refused_with_retry_after(database: Database) {
        // At one a second, the requests below would have to take longer than a minute and a half.
        let settings = [("RATE_LIMIT__REQUESTS_PER_SECOND", "1"), ("RATE_LIMIT__BURST", "3")];
        let app = TestApp::start(database, &settings);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let path = "/api/external/projectapi/checkauth";
        let refused = (0..100).map(|_| client.get(path)).find(|answer| answer.status() != 200);
        let refused = refused.expect("100 requests are too many");
        refused.problem(429, "rate_limited");
        let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=2).contains(&seconds), "{seconds}");
        // Another token has a rate of its own, and requests without a token are refused for that reason only.
        for _ in 0..3 {
            let _ = tenant.as_project().get(path).ok();
        }
        for _ in 0..10 {
            app.anonymous().get(path).problem(401, "unauthenticated");
        }
    }

    fn a_project_that_calls_too_often_is_refused_with_all_its_tokens(database: Database) {
        let rate = ("RATE_LIMIT__PROJECT_REQUESTS_PER_SECOND", "1");
        let app = TestApp::start(database, &[rate, ("RATE_LIMIT__PROJECT_BURST", "3")]);
        let (tenant, neighbour) = (app.tenant(), app.tenant());
        let path = "/api/external/projectapi/checkauth";
        let refused = (0..100).map(|_| tenant.as_project().get(path));
        let refused = refused.into_iter().find(|answer| answer.status() != 200);
        refused.expect("100 requests are too many").problem(429, "rate_limited");
        let _ = neighbour.as_project().get(path).ok();
    }

    fn a_project_has_a_share_of_the_requests_in_progress(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__REQUESTS_IN_FLIGHT_PER_PROJECT", "2")]);
        let (tenant, neighbour) = (app.tenant(), app.tenant());
        let bot = tenant.with_project_token();
        let path = "/api/external/projectapi/checkauth";
        let hold = || {
            let mut connection = bot.connect();
            let head = connection.head("PUT", bot.base(), &["Content-Length: 20"]);
            connection.send(format!("{head}{{\"a\"")).unwrap();
            connection
        };
        let mut held = vec![hold(), hold()];
        let mut answer = bot.client.get(path);
        until("both are in progress", || {
            // One that arrived at the same moment as the request that looks was refused.
            held.iter_mut().filter(|one| one.has_answer()).for_each(|one| *one = hold());
            answer = bot.client.get(path);
            answer.status() == 429
        });
        answer.problem(429, "too_many_at_once");
        assert_eq!(answer.header("retry-after"), Some("1"));
        let _ = neighbour.as_project().get(path).ok();
        held.pop();
        until("one has ended", || bot.client.get(path).status() == 200);
    }

    fn a_project_has_a_share_of_the_whole_lists(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__LISTS_PER_PROJECT", "1")]);
        let (tenant, neighbour) = (app.tenant(), app.tenant());
        let client = tenant.as_project();
        // More than the buffers of both sockets take.
        for _ in 0..16 {
            let texts = json!({"name": "long", "botInstruction": "x".repeat(1_000_000)});
            let _ = client.post(BOTS, &texts).ok();
        }
        let mut unread = client.connect();
        unread.send(unread.head("GET", BOTS, &[])).unwrap();
        unread.expect_answer();
        let refused = client.get(BOTS);
        refused.problem(429, "too_many_at_once");
        assert_eq!(refused.header("retry-after"), Some("1"));
        // Before anything is read: nobody has looked for this bot.
        let missing = format!("{BOTS}/00000000-0000-4000-8000-000000000000/skills");
        client.get(&missing).problem(429, "too_many_at_once");
        let _ = client.get(&format!("{BOTS}?limit=2")).ok();
        let _ = neighbour.as_project().get(BOTS).ok();
        drop(unread);
        until("it has ended", || client.get(BOTS).status() == 200);
    }

    fn bodies_wait_for_room_in_memory(database: Database) {
        let slow = [("LIMITS__BODY_PAUSE", "10m"), ("LIMITS__BODY_RATE_AFTER", "10m")];
        let settings = [&slow[..], &[("LIMITS__BODY_MEMORY", "2MiB"), ("LIMITS__HANDLER_TIMEOUT", "10m")]];
        let app = TestApp::start(database, &settings.concat());
        let (tenant, neighbour) = (app.tenant(), app.tenant());
        let bot = tenant.with_project_token();
        let long = json!({"botInstruction": "x".repeat(300_000)});
        let mut first = bot.connect();
        let head = first.head("PUT", bot.base(), &["Content-Length: 900000"]);
        first.send(format!("{head}{{\"botInstruction\":\"{}", "x".repeat(300_000))).unwrap();
        until("room is held for all of it", || {
            let metrics = app.anonymous().get("/metrics").text();
            metrics.contains("botyard_http_body_bytes 900000")
        });
        let wait = || {
            let mut waiting = bot.connect();
            let head = waiting.head("PUT", bot.base(), &["Content-Length: 300021"]);
            waiting.send(format!("{head}{long}")).unwrap();
            waiting
        };
        let mut second = wait();
        let of_neighbour = neighbour.with_project_token();
        let _ = of_neighbour.put("", &long).ok();
        let _ = bot.put("", &json!({"temperature": 1})).ok();
        assert!(!second.has_answer());
        second.read("PUT", bot.base()).problem(503, "overloaded");
        let mut third = wait();
        drop(first);
        let _ = third.read("PUT", bot.base()).ok();
    }

    fn metrics_can_move_to_an_address_of_their_own(database: Database) {
        let app = TestApp::start(database, &[("METRICS__LISTEN", "127.0.0.1:0")]);
        app.anonymous().get("/metrics").problem(404, "unknown_path");
    }
}
