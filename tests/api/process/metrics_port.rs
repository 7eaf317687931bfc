//! Metrics on an address of their own.

use std::net::SocketAddr;

use botyard_tests::waiting::eventually;
use botyard_tests::{Server, TestApp, each_database};
use serde_json::Value;

use super::wire::Wire;

/// Where the metrics are, as the log tells.
pub fn metrics_address(server: &Server) -> SocketAddr {
    eventually("the log tells the address of the metrics", || {
        let log = server.log();
        let line = log.lines().find(|line| line.contains("metrics are served"))?;
        let line: Value = serde_json::from_str(line).ok()?;
        line["address"].as_str()?.parse().ok()
    })
}

each_database! {
    fn metrics_move_to_an_address_of_their_own(database: Database) {
        let mut app = TestApp::start(database, &[("METRICS__LISTEN", "127.0.0.1:0")]);
        let address = metrics_address(app.server());
        {
            let tenant = app.tenant();
            let _ = tenant.as_bot(tenant.bot()).get("/api/external/bot").ok();
        }
        app.anonymous().get("/metrics").problem(404, "unknown_path");

        let mut wire = Wire::open(address).expect("metrics are served");
        let answer = wire.ask("GET", "/metrics", None).expect("an answer");
        assert_eq!(answer.status(), 200);
        assert!(answer.header("content-type").unwrap().starts_with("text/plain"), "{answer}");
        let text = answer.text();
        let counted = text.lines().find(|line| {
            line.starts_with("botyard_http_requests_total{") && line.contains("operation=\"getBot\"")
                && line.contains("status=\"200\"")
        });
        assert!(counted.is_some_and(|line| line.ends_with(" 1")), "{text}");

        // Nothing else is there: no health that would bypass a proxy, and no API.
        for path in ["/", "/healthz", "/readyz", "/docs", "/api/external/bot", "/openapi.json"] {
            let answer = wire.ask("GET", path, None).expect("an answer");
            answer.problem(404, "unknown_path");
        }
        let head = wire.ask("HEAD", "/metrics", None).expect("an answer");
        assert_eq!((head.status(), head.bytes().len()), (200, 0), "{head}");
        assert_eq!(head.header("content-type"), answer.header("content-type"));
        assert!(head.header("x-request-id").is_some());
        let refused = wire.ask("POST", "/metrics", None).expect("an answer");
        refused.problem(405, "method_not_allowed");
        assert_eq!(refused.header("allow"), Some("GET, HEAD"));

        assert_eq!(app.server_mut().stop(), 0);
        assert!(Wire::open(address).is_err());
    }

    fn metrics_are_beside_the_api_otherwise(database: Database) {
        let app = TestApp::start(database, &[]);
        assert_eq!(app.anonymous().get("/metrics").status(), 200);
        assert!(!app.server().log().contains("metrics are served"));
    }
}
