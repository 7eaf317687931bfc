//! One bot as clients see it.

use std::time::Duration;

use botyard_tests::{Mint, each_database, each_scheme, sample};
use domain::id::BotId;
use serde_json::{Value, json};

use super::BOTS;

/// What a bot has beside its configuration.
const FRAME: [&str; 7] =
    ["_id", "apiKeys", "archived", "createdAt", "projectId", "thisIsTrash", "updatedAt"];

each_scheme! {
    fn the_bot_has_its_frame_and_every_config_field_and_nothing_else(bot: &OnBot) {
        let got = bot.get("").ok();
        let mut expected: Vec<_> = sample::config_fields()
            .into_iter()
            .map(|field| field.name)
            .chain(FRAME.map(ToOwned::to_owned))
            .collect();
        expected.sort();
        let members: Vec<_> = got.as_object().unwrap().keys().cloned().collect();
        assert_eq!(members, expected);
    }

    fn the_bot_shows_what_was_set(bot: &OnBot) {
        let got = bot.get("").ok();
        for (field, value) in sample::full_config(bot.tenant.marker()) {
            assert_eq!(got[&field], value, "{field}");
        }
    }

    /// It is written on another thread than a small one.
    fn a_large_bot_is_answered_as_a_small_one_is(bot: &OnBot) {
        let small = bot.get("");
        let long = bot.tenant.text(&"x".repeat(900 << 10));
        let _ = bot.put("", &json!({"customJs": long})).ok();
        let changed = bot.put("", &json!({"customCss": bot.tenant.text("short")}));
        let got = bot.get("");
        assert_eq!((&got.ok(), &got.ok()["customJs"]), (&changed.ok(), &json!(long)));
        for header in ["ETag", "Content-Type", "Cache-Control"] {
            assert_eq!(got.header(header), changed.header(header), "{header}");
            assert!(got.header(header).is_some(), "{header}");
        }
        assert_eq!(got.header("Content-Type"), small.header("Content-Type"));
        assert_eq!(bot.post("/duplicate", &json!({})).ok()["customJs"], json!(long));
    }

    fn the_frame_says_whose_bot_it_is(bot: &OnBot) {
        let got = bot.get("").ok();
        assert_eq!(got["_id"], json!(bot.id().to_string()));
        assert_eq!(got["projectId"], json!(bot.tenant.project().id.to_string()));
        assert_eq!(got["archived"], json!(false));
        assert_eq!(got["thisIsTrash"], json!(false));
    }

    fn times_are_rfc_3339_in_utc_with_milliseconds(bot: &OnBot) {
        let got = bot.get("").ok();
        for member in ["createdAt", "updatedAt"] {
            let time = got[member].as_str().unwrap();
            let form = time.replace(|letter: char| letter.is_ascii_digit(), "0");
            assert_eq!(form, "0000-00-00T00:00:00.000Z", "{member}");
        }
    }

    fn live_tokens_are_listed_masked_and_oldest_first(bot: &OnBot) {
        let (tenant, id) = (&bot.tenant, bot.id());
        let before = bot.get("").ok()["apiKeys"].as_array().unwrap().len();
        let first = tenant.bot_token(id, Mint::scopes("stats:read,bot:read"));
        let hour = Duration::from_secs(3_600);
        let second = Mint { expires_in: Some(hour), ..Mint::read_only() };
        let second = tenant.bot_token(id, second);
        let keys = bot.get("").ok()["apiKeys"].as_array().unwrap()[before..].to_vec();
        let expected = [&first, &second].map(|minted| {
            let token = minted.token();
            assert!(minted.secret().ends_with(&token.last_four));
            json!({
                "_id": token.id.to_string(),
                "name": token.name,
                "key": format!("byb_****{}", token.last_four),
                "scopes": token.scopes.iter().map(domain::access::Scope::as_str).collect::<Vec<_>>(),
                "createdAt": token.created_at.to_string(),
                "expiresAt": token.expires_at.map(|time| time.to_string()),
            })
        });
        assert_eq!(keys, expected);
    }

    fn tokens_that_are_over_are_not_listed(bot: &OnBot) {
        let (tenant, id) = (&bot.tenant, bot.id());
        let before = bot.get("").ok()["apiKeys"].clone();
        let _ = tenant.bot_token(id, Mint::expired());
        tenant.revoke(&tenant.bot_token(id, Mint::default()));
        let _ = tenant.project_token(Mint::default());
        assert_eq!(bot.get("").ok()["apiKeys"], before);
    }
}

each_database! {
    fn what_was_never_set_is_null(app: &TestApp) {
        let tenant = app.tenant();
        let bot = tenant.new_bot("plain");
        let got = tenant.as_project().get(&format!("{BOTS}/{bot}")).ok();
        for field in sample::config_fields() {
            let expected = match field.name.as_str() {
                "name" => json!(tenant.text("plain")),
                _ => Value::Null,
            };
            assert_eq!(got[&field.name], expected, "{}", field.name);
        }
        assert_eq!(got["apiKeys"], json!([]));
    }

    fn both_schemes_show_the_same_bot(app: &TestApp) {
        let tenant = app.tenant();
        let own = tenant.as_bot(tenant.bot()).get("/api/external/bot").ok();
        let named = tenant.as_project().get(&format!("{BOTS}/{}", tenant.bot())).ok();
        assert_eq!(own, named);
    }

    fn an_id_that_is_no_uuid_is_not_found(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let id = tenant.bot().to_string();
        let path = |id: &str| format!("{BOTS}/{id}");
        for odd in [
            "x",
            "0",
            "null",
            &id.to_uppercase(),
            &id.replace('-', ""),
            &format!("{{{id}}}").replace('{', "%7B").replace('}', "%7D"),
            &format!("urn:uuid:{id}"),
            &format!("{id}%20"),
            &format!("{id}%00"),
            &format!("%2F{id}"),
            "%F0%9D%84%9E",
        ] {
            if odd == id {
                continue;
            }
            client.get(&path(odd)).problem(404, "bot_not_found");
        }
    }

    fn missing_hidden_and_foreign_bots_are_the_same_to_the_byte(app: &TestApp) {
        let (tenant, other) = (app.tenant(), app.tenant());
        let client = tenant.as_project();
        let missing = "01900000-0000-7000-8000-000000000000".to_owned();
        let archived = tenant.new_bot("archived");
        tenant.delete_bot(archived, domain::bot::DeleteMode::Archive);
        let demo = tenant.new_hidden_bot(domain::bot::BotKind::Demo);
        let text = |id: BotId| id.to_string();
        let answers = [missing, text(archived), text(demo), text(other.bot()), text(tenant.sibling().bot())]
            .map(|id| {
                let request = client.request("GET", &format!("{BOTS}/{id}"));
                let answer = request.header("X-Request-Id", "same").send();
                answer.problem(404, "bot_not_found");
                answer
            });
        for answer in &answers[1..] {
            assert_eq!(answer.text(), answers[0].text());
        }
    }
}
