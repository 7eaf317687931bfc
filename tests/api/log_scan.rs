//! Tokens and passwords do not get into the log or the metrics, whatever a client does with them.

use botyard_tests::{Caller, Client, Form, Mint, TestApp, TestToken, audit, each_database};
use domain::access::Scheme;
use serde_json::json;

use crate::bots::BOTS;

each_database! {
    fn no_secret_gets_into_log_or_metrics(database: Database) {
        let mut app = TestApp::start(database, &[("LOG__LEVEL", "debug")]);
        let secrets = misuse(&app);
        let metrics = app.anonymous().get("/metrics").text();
        let code = app.server_mut().stop();
        assert_eq!(code, 0);
        let log = app.server().log();
        assert!(log.lines().count() > 50, "the log is too short to be that of this test");
        for text in [metrics, log] {
            for secret in &secrets {
                assert!(!text.contains(secret.secret()), "a token");
                // Nor most of one.
                assert!(!text.contains(&secret.secret()[4..40]), "a part of a token");
            }
            assert!(!audit::has_token(&text), "a token");
            assert!(!text.contains(audit::PASSWORD), "a password");
        }
    }
}

/// Uploads these texts in files that are valid, and in files that break who reads them.
fn documents(client: &Client<'_>, through_bot: &str, texts: [&str; 2]) {
    for text in texts {
        for (name, content) in [
            ("a.txt", text.to_owned()),
            ("a.html", format!("<html><p {text}={text}><{text}>{text}</p>")),
            ("a.pdf", format!("%PDF-1.7\n{text} {text}\n1 0 obj << /{text} {text} >> endobj")),
            ("a.docx", format!("PK\u{3}\u{4}\0{text}word/document.xml{text}")),
            ("a.png", format!("PNG\0{text}")),
        ] {
            let form = Form::new().file(name, "x/y", content.as_bytes());
            let form = form.text("ocrEnabled", "true");
            for path in ["/api/external/projectapi/doc/upload", through_bot] {
                let answer = client.request("POST", path).form(&form).send();
                assert_eq!(answer.status(), 200, "{}", answer.status());
            }
        }
        let form = Form::new().file(text, text, b"Words").text("maxChars", text);
        let answer = client.request("POST", through_bot).form(&form).send();
        answer.problem(422, "wrong_type");
    }
}

/// Puts tokens and passwords wherever a client can put something. Returns the tokens.
fn misuse(app: &TestApp) -> Vec<TestToken> {
    let tenant = app.tenant();
    let password = tenant.text("botpw-secret");
    let mut used = Vec::new();
    for scheme in [Scheme::Bot, Scheme::Project] {
        let client = tenant.bearer(scheme, Mint::default());
        let (Caller::Bot(token) | Caller::Project(token)) = client.caller().clone() else {
            panic!("somebody with a token");
        };
        let secret = token.secret().to_owned();
        used.push(token);
        let base = match scheme {
            Scheme::Bot => "/api/external/bot".to_owned(),
            Scheme::Project => format!("{BOTS}/{}", tenant.bot()),
        };

        // As it should be.
        let _ = client.get(&base).ok();
        let _ = client.put(&base, &json!({"botPassword": password})).ok();
        let _ = client.put(&base, &json!({"botPassword": format!("{password} 2")})).ok();
        let _ = client.get(&format!("{base}/changelog")).ok();
        let _ = client.post(&format!("{base}/duplicate"), &json!({})).ok();

        // The password where it is refused.
        for body in [
            json!({"botPassword": [password]}),
            json!({"botPassword": {"a": password}}),
            json!({"isPublic": password, "temperature": password, "reasoningEffort": password}),
            json!({"unknown": password}),
            json!({"botPassword": format!("{password}{}", "x".repeat(1 << 20))}),
            json!([password]),
            json!(password),
        ] {
            let answer = client.put(&base, &body);
            assert_eq!(answer.status(), 422, "{answer}");
        }
        for body in [
            format!(r#"{{"botPassword":"{password}""#),
            format!(r#"{{"botPassword":"{password}\u0000"}}"#),
            format!(r#"{{"botPassword":"{password}","botPassword":"{password}"}}"#),
            format!(r#"{{"{password}":"{password}"}} {password}"#),
            format!("botPassword={password}"),
        ] {
            let answer = client.request("PUT", &base).body(body).send();
            assert_eq!(answer.status(), 422, "{answer}");
        }
        let answer = client.delete_with(&base, &json!({"mode": password}));
        answer.problem(422, "not_allowed");

        // The token, and the password, where they do not belong.
        let anonymous = tenant.anonymous();
        for header in ["Authorization", "Cookie", "Referer", "User-Agent", "X-Request-Id", "Origin"]
        {
            let answer =
                anonymous.request("GET", &base).header(header, &format!("by {secret}")).send();
            answer.problem(401, "unauthenticated");
        }
        // An id of a request may look like a token, but no token is taken for one.
        let request = client.request("GET", &format!("{base}/nope"));
        request.header("X-Request-Id", &secret).send().problem(404, "unknown_path");
        for (header, value) in [
            ("X-Api-Key", format!("{secret}x")),
            ("X-Api-Key", format!(" {secret},{secret}")),
            ("X-Project-Api-Key", secret.replacen("by", "yb", 1)),
            ("X-Request-Id", format!("{secret} {password}")),
        ] {
            let answer = anonymous.request("GET", &base).header(header, &value).send();
            answer.problem(401, "unauthenticated");
        }
        for path in [
            format!("{base}?key={secret}"),
            format!("{BOTS}/{secret}"),
            format!("{BOTS}/{secret}/changelog"),
        ] {
            anonymous.get(&path).problem(401, "unauthenticated");
            let answer = client.get(&path);
            assert!(matches!(answer.status(), 401 | 404 | 422), "{answer}");
        }
        anonymous.get(&format!("/{secret}/botpw-secret")).problem(404, "unknown_path");
        client.delete(&format!("/api/external/{secret}")).problem(404, "unknown_path");
        client.get(&format!("{base}?limit=botpw-secret")).problem(422, "bad_query");
        let odd = format!("GET /{secret} botpw-secret HTTP/1.1\r\nX-Api-Key {secret}\r\n\r\n");
        let mut connection = anonymous.connect();
        connection.send(odd).expect("it goes out");
        connection.read("GET", "/").problem(400, "malformed_request");
    }
    let client = tenant.as_project();
    let body = json!({"name": tenant.text("x"), "botPassword": password});
    let made = client.post(BOTS, &body).ok();
    let _ = client.get(BOTS).ok();
    let _ = client.delete(&format!("{BOTS}/{}", made["_id"].as_str().unwrap())).ok();
    let (Caller::Bot(token) | Caller::Project(token)) = client.caller().clone() else {
        panic!("somebody with a token");
    };
    let texts = [password.as_str(), token.secret()];
    documents(&client, &format!("{BOTS}/{}/doc/upload", tenant.bot()), texts);
    tenant.revoke(&token);
    let status = client.get(BOTS).status();
    assert!(matches!(status, 200 | 401), "{status}");
    used.push(token);
    used
}
