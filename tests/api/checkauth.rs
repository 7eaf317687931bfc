//! `/api/external/checkauth`, `/api/external/projectapi/checkauth`, and the answer to a refused token.

use std::collections::BTreeSet;
use std::time::Duration;

use botyard_tests::waiting::until;
use botyard_tests::{Caller, Client, Database, Mint, Response, TestApp, TestToken, each_database};
use domain::access::{Scheme, Scope, ScopeSet};
use serde_json::{Value, json};

const BOT: &str = "/api/external/checkauth";
const PROJECT: &str = "/api/external/projectapi/checkauth";

const fn path(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Bot => BOT,
        Scheme::Project => PROJECT,
    }
}

fn token(client: &Client<'_>) -> TestToken {
    match client.caller() {
        Caller::Bot(token) | Caller::Project(token) => token.clone(),
        Caller::Anonymous => panic!("somebody with a token"),
    }
}

fn scopes(set: ScopeSet) -> Value {
    set.iter().map(Scope::as_str).collect::<Vec<_>>().into()
}

each_database! {
    fn a_bot_token_is_shown_like_this(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        let token = token(&client);
        assert_eq!(client.get(BOT).ok(), json!({
            "_id": token.token().id.to_string(),
            "scheme": "APIKeyHeader",
            "name": token.token().name,
            "scopes": [
                "bot:read", "bot:write", "changelog:read", "embedding:read", "embedding:write",
                "events:read", "stats:read", "fusion:read", "fusion:write", "skills:read", "skills:write",
                "stages:read", "stages:write", "supervisor:read",
            ],
            "readOnly": false,
            "organisationId": tenant.organisation().id.to_string(),
            "projectId": tenant.project().id.to_string(),
            "botId": tenant.bot().to_string(),
            "createdAt": token.token().created_at.to_string(),
            "expiresAt": null,
        }));
    }

    fn a_token_in_the_header_of_the_other_scheme_is_refused_with_the_right_header(app: &TestApp) {
        let tenant = app.tenant();
        let bot = tenant.bot_token(tenant.bot(), Mint::default());
        let project = tenant.project_token(Mint::default());
        for (header, token, noun, right) in [
            ("X-Api-Key", project, "project", "X-Project-Api-Key"),
            ("X-Project-Api-Key", bot, "bot", "X-Api-Key"),
        ] {
            let detail =
                format!("The header `{header}` carries a {noun} token, which belongs into the header `{right}`.");
            for path in [BOT, PROJECT] {
                let answer =
                    tenant.anonymous().request("GET", path).header(header, token.secret()).send();
                answer.problem(401, "unauthenticated");
                assert_eq!(answer.json()["detail"], detail, "{path}");
            }
        }
    }

    fn a_project_token_is_shown_like_this(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let token = token(&client);
        assert_eq!(client.get(PROJECT).ok(), json!({
            "_id": token.token().id.to_string(),
            "scheme": "APIKeyHeaderProject",
            "name": token.token().name,
            "scopes": [
                "bots:read", "bots:write", "changelog:read", "embedding:read", "embedding:write",
                "events:read", "stats:read", "fusion:read", "fusion:write", "skills:read", "skills:write",
                "stages:read", "stages:write", "projectdoc:read", "projectdoc:write",
                "projectdoc:chunk", "webhooks:read", "webhooks:write",
            ],
            "readOnly": false,
            "organisationId": tenant.organisation().id.to_string(),
            "projectId": tenant.project().id.to_string(),
            "botId": null,
            "createdAt": token.token().created_at.to_string(),
            "expiresAt": null,
        }));
    }

    fn a_token_shows_how_long_it_is_valid(app: &TestApp) {
        let tenant = app.tenant();
        for scheme in [Scheme::Bot, Scheme::Project] {
            let mint = Mint { expires_in: Some(Duration::from_secs(90 * 86_400)), ..Mint::default() };
            let client = tenant.bearer(scheme, mint);
            let expires_at = token(&client).token().expires_at.unwrap();
            assert_eq!(client.get(path(scheme)).ok()["expiresAt"], json!(expires_at.to_string()));
        }
    }

    fn a_token_shows_that_it_only_reads(app: &TestApp) {
        let tenant = app.tenant();
        for scheme in [Scheme::Bot, Scheme::Project] {
            let client = tenant.bearer(scheme, Mint::read_only());
            assert_eq!(client.get(path(scheme)).ok()["readOnly"], json!(true));
        }
    }

    fn a_token_shows_the_scopes_that_it_has(app: &TestApp) {
        let tenant = app.tenant();
        for wanted in ["", "stats:read", "stages:write,changelog:read"] {
            let set = ScopeSet::parse(wanted).unwrap();
            for scheme in [Scheme::Bot, Scheme::Project] {
                let client = tenant.bearer(scheme, Mint::scopes(wanted));
                assert_eq!(client.get(path(scheme)).ok()["scopes"], scopes(set), "{wanted}");
            }
        }
    }

    fn a_token_minted_beside_the_server_works_at_once(app: &TestApp) {
        let tenant = app.tenant();
        for _ in 0..20 {
            let _ = tenant.as_project().get(PROJECT).ok();
        }
    }

    fn a_query_is_refused(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        client.get(&format!("{PROJECT}?verbose=1")).has_violations(&[("/verbose", "bad_query")]);
    }

    fn every_reason_for_a_refusal_is_answered_in_the_same_words(app: &TestApp) {
        for scheme in [Scheme::Bot, Scheme::Project] {
            let refusals = refusals(app, scheme);
            let (_, first) = &refusals[0];
            for (reason, answer) in &refusals {
                answer.problem(401, "unauthenticated");
                assert_eq!(answer.text(), first.text(), "{reason}");
                let headers = |answer: &Response| {
                    let headers = answer.headers().iter();
                    headers.filter(|(name, _)| name != "date").cloned().collect::<BTreeSet<_>>()
                };
                assert_eq!(headers(answer), headers(first), "{reason}");
            }
        }
    }

    fn a_refusal_looks_like_this(app: &TestApp) {
        for (path, header) in [(BOT, "X-Api-Key"), (PROJECT, "X-Project-Api-Key")] {
            let answer = app.anonymous().request("GET", path).header("X-Request-Id", "r-1").send();
            assert_eq!(answer.problem(401, "unauthenticated"), json!({
                "type": "urn:botyard:problem:unauthenticated",
                "title": "No valid token",
                "status": 401,
                "detail": "This request carries no valid token in the header that `WWW-Authenticate` names.",
                "code": "unauthenticated",
                "requestId": "r-1",
            }));
            let challenge = format!("ApiKey header=\"{header}\"");
            assert_eq!(answer.header("www-authenticate"), Some(challenge.as_str()));
        }
    }

    fn the_name_of_the_header_may_be_written_in_any_case(app: &TestApp) {
        let tenant = app.tenant();
        let secret = tenant.project_token(Mint::default()).secret().to_owned();
        for name in ["x-project-api-key", "X-PROJECT-API-KEY"] {
            let _ = tenant.anonymous().request("GET", PROJECT).header(name, &secret).send().ok();
        }
    }

    fn a_revoked_token_is_refused_within_two_seconds(app: &TestApp) {
        let tenant = app.tenant();
        for scheme in [Scheme::Bot, Scheme::Project] {
            let client = tenant.bearer(scheme, Mint::default());
            let _ = client.get(path(scheme)).ok();
            tenant.revoke(&token(&client));
            let deadline = std::time::Instant::now() + Duration::from_secs(2);
            loop {
                let asked = std::time::Instant::now();
                if client.get(path(scheme)).status() == 401 {
                    break;
                }
                assert!(asked < deadline, "the token still works");
            }
        }
    }
}

/// Every way in which a token can fail to open anything, with the same request id.
fn refusals(app: &TestApp, scheme: Scheme) -> Vec<(&'static str, Response)> {
    let tenant = app.tenant();
    let header = match scheme {
        Scheme::Bot => "X-Api-Key",
        Scheme::Project => "X-Project-Api-Key",
    };
    let valid = token(&tenant.bearer(scheme, Mint::default())).secret().to_owned();
    let revoked = token(&tenant.bearer(scheme, Mint::default()));
    tenant.revoke(&revoked);
    let expired = token(&tenant.bearer(scheme, Mint::expired()));
    let (prefix, random) = valid.split_at(4);
    let swapped = format!("{}_{random}", if prefix == "byb_" { "byp" } else { "byb" });
    let last = if valid.ends_with('0') { '1' } else { '0' };
    let wrong_checksum = format!("{}{last}", &valid[..valid.len() - 1]);
    let anonymous = app.anonymous();
    let send = |headers: &[(&str, &str)]| {
        let mut request = anonymous.request("GET", path(scheme)).header("X-Request-Id", "same");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.send()
    };
    vec![
        ("none", send(&[])),
        ("empty", send(&[(header, "")])),
        ("blank", send(&[(header, "   ")])),
        ("malformed", send(&[(header, "Bearer x")])),
        ("too short", send(&[(header, &valid[..52])])),
        ("too long", send(&[(header, &format!("{valid}a"))])),
        ("wrong checksum", send(&[(header, &wrong_checksum)])),
        ("prefix of the other scheme", send(&[(header, &swapped)])),
        ("in upper case", send(&[(header, &valid.to_uppercase())])),
        ("as a bearer token", send(&[("Authorization", &format!("Bearer {valid}"))])),
        ("in a cookie", send(&[("Cookie", &format!("{header}={valid}"))])),
        ("twice", send(&[(header, &valid), (header, &valid)])),
        ("twice in one", send(&[(header, &format!("{valid}, {valid}"))])),
        ("revoked", send(&[(header, revoked.secret())])),
        ("expired", send(&[(header, expired.secret())])),
    ]
}

/// How many sessions wait for this one.
const WAITING: &str = "SELECT count(*) AS value FROM pg_locks WHERE NOT granted \
                       AND pg_backend_pid() = ANY (pg_blocking_pids(pid))";

#[test]
fn of_an_address_few_tokens_are_looked_up_at_once_postgres() {
    let limits = [("LIMITS__REQUESTS_IN_FLIGHT_PER_PROJECT", "2")];
    let app = TestApp::start(Database::Postgres, &limits);
    let (tenant, sql) = (app.tenant(), app.sql());
    // They exist, but the server has not seen them.
    let [first, second, third] = [(); 3].map(|()| tenant.bearer(Scheme::Project, Mint::default()));
    sql.execute("BEGIN");
    sql.execute("LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE");
    std::thread::scope(|scope| {
        let waiting = [&first, &second].map(|client| scope.spawn(|| client.get(PROJECT).status()));
        until("both are looked up", || sql.number(WAITING) == 2);
        third.get(PROJECT).problem(429, "too_many_at_once");
        sql.execute("COMMIT");
        for status in waiting.map(|thread| thread.join().unwrap()) {
            assert_eq!(status, 200);
        }
    });
    let _ = third.get(PROJECT).ok();
}
