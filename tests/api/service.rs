//! What lies beside the API: health, metrics, the API document and its reader.

use botyard_tests::each_database;
use http_actix::operations;
use serde_json::{Value, json};

each_database! {
    fn the_server_is_alive_and_ready(app: &TestApp) {
        let client = app.anonymous();
        assert_eq!(client.get("/healthz").ok(), json!({"status": "alive"}));
        assert_eq!(client.get("/readyz").ok(), json!({"status": "ready"}));
    }

    fn metrics_count_requests_by_operation_and_status(app: &TestApp) {
        let tenant = app.tenant();
        let _ = tenant.as_project().get("/api/external/projectapi/bots").ok();
        app.anonymous().get("/api/external/bot").problem(401, "unauthenticated");
        let answer = app.anonymous().get("/metrics");
        assert_eq!(answer.status(), 200);
        let metrics = answer.text();
        for (operation, status) in [("listBots", 200), ("getBot", 401)] {
            let counted = metrics.lines().any(|line| {
                line.starts_with("botyard_http_requests_total{")
                    && line.contains(&format!("operation=\"{operation}\""))
                    && line.contains(&format!("status=\"{status}\""))
            });
            assert!(counted, "{operation} {status}");
        }
    }

    fn metrics_say_how_long_units_held_the_database(app: &TestApp) {
        let tenant = app.tenant();
        let _ = tenant.as_bot(tenant.bot()).put("/api/external/bot", &json!({"name": "n"})).ok();
        let metrics = app.anonymous().get("/metrics").text();
        for mode in ["read", "write"] {
            // The bound that units are to keep is that of a bucket.
            let bucket = format!("botyard_unit_seconds_bucket{{mode=\"{mode}\",le=\"0.05\"}} ");
            let count = format!("botyard_unit_seconds_count{{mode=\"{mode}\"}} ");
            let number = |line: &str| {
                let value = metrics.lines().find_map(|found| found.strip_prefix(line));
                value.unwrap_or_else(|| panic!("{line} in {metrics}")).parse::<u64>().unwrap()
            };
            assert!(number(&count) > 0 && number(&bucket) <= number(&count));
        }
    }

    fn metrics_name_nothing_that_belongs_to_a_tenant(app: &TestApp) {
        let tenant = app.tenant();
        let _ = tenant.as_project().get("/api/external/projectapi/bots").ok();
        let _ = tenant.as_bot(tenant.bot()).get("/api/external/bot").ok();
        let metrics = app.anonymous().get("/metrics").text();
        let (project, bot) = (tenant.project().id.to_string(), tenant.bot().to_string());
        for text in [project.as_str(), bot.as_str(), tenant.marker(), "byb_", "byp_"] {
            assert!(!metrics.contains(text), "{text}");
        }
    }

    fn the_api_document_lists_every_operation_and_no_other(app: &TestApp) {
        let document = app.anonymous().get("/openapi.json").ok();
        assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
        let mut documented = Vec::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            // What all operations of a path have in common stands beside them.
            let methods = methods.as_object().unwrap().iter();
            for (method, operation) in methods.filter(|(name, _)| *name != "parameters") {
                let id = operation["operationId"].as_str().unwrap().to_owned();
                documented.push((path.clone(), method.to_uppercase(), id));
            }
        }
        documented.retain(|(path, _, _)| path.starts_with("/api/external"));
        documented.sort();
        let mut expected: Vec<_> = operations()
            .into_iter()
            .map(|operation| (operation.path, operation.method.to_string(), operation.id))
            .collect();
        expected.sort();
        assert_eq!(documented, expected);
    }

    fn the_api_document_tells_the_statuses_of_each_operation(app: &TestApp) {
        let document = app.anonymous().get("/openapi.json").ok();
        for operation in operations() {
            let method = operation.method.as_str().to_lowercase();
            let documented = &document["paths"][&operation.path][&method];
            let mut statuses: Vec<u16> = documented["responses"]
                .as_object()
                .unwrap()
                .keys()
                .map(|status| status.parse().unwrap())
                .collect();
            statuses.sort_unstable();
            assert_eq!(statuses, operation.statuses(), "{}", operation.id);
            let scheme = operation.scheme.as_str();
            assert_eq!(
                documented["security"].as_array().map(|all| all[0].get(scheme).is_some()),
                Some(true),
                "{}",
                operation.id
            );
        }
    }

    fn every_reference_in_the_api_document_leads_somewhere(app: &TestApp) {
        fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
            match value {
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                Value::Object(members) => {
                    found.extend(members.get("$ref").and_then(Value::as_str));
                    members.values().for_each(|value| references(value, found));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        let document = app.anonymous().get("/openapi.json").ok();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(!found.is_empty());
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    fn the_reader_of_the_document_loads_nothing_from_elsewhere(app: &TestApp) {
        let client = app.anonymous();
        for (path, location) in
            [("/", "/docs"), ("/docs", "/docs/index.html"), ("/docs/", "/docs/index.html")]
        {
            let start = client.get(path);
            assert_eq!((start.status(), start.header("location")), (302, Some(location)), "{path}");
        }
        let page = client.get("/docs/index.html");
        assert_eq!(page.status(), 200);
        assert!(page.header("content-type").unwrap().starts_with("text/html"));
        let html = page.text();
        let quoted = html.split('"').skip(1).step_by(2);
        let loaded: Vec<_> = quoted
            .filter(|text| [".js", ".css", ".png"].iter().any(|end| text.ends_with(end)))
            .map(|text| text.trim_start_matches("./"))
            .collect();
        assert!(loaded.len() >= 3, "{loaded:?}");
        for file in loaded {
            assert!(!file.contains("//"), "{file}");
            assert_eq!(client.get(&format!("/docs/{file}")).status(), 200, "{file}");
        }
        let settings = client.get("/docs/swagger-initializer.js").text();
        for setting in [
            r#""persistAuthorization": true"#,
            r#""filter": true"#,
            r#""docExpansion": "none""#,
            r#""validatorUrl": "none""#,
        ] {
            assert!(settings.contains(setting), "{setting} in {settings}");
        }
        client.get("/docs/nope.js").problem(404, "unknown_path");
    }

    fn the_paths_beside_the_api_take_no_other_method(app: &TestApp) {
        for path in ["/healthz", "/readyz", "/metrics", "/openapi.json", "/", "/docs", "/docs/"] {
            let answer = app.anonymous().post(path, &json!({}));
            answer.problem(405, "method_not_allowed");
            assert_eq!(answer.header("allow"), Some("GET, HEAD"), "{path}");
        }
    }
}
