//! What the documents about monitoring name exists.

use std::collections::BTreeSet;
use std::fs;

use botyard_tests::each_database;
use serde_json::Value;

use super::metrics::{document, metrics, names, promtool, used};

/// The metrics that rules or a dashboard ask for, without what histograms put behind their names.
fn named(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = text.split(|letter| !is_part(letter));
    let words = words.filter(|word| word.starts_with("botyard_") || word.starts_with("process_"));
    let base = |word: &str| {
        let histogram = ["_bucket", "_sum", "_count"].iter().find_map(|end| word.strip_suffix(end));
        histogram.unwrap_or(word).to_owned()
    };
    words.map(base).collect()
}

/// The expressions of all panels.
fn expressions(dashboard: &Value) -> Vec<&str> {
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.filter_map(|panel| panel["targets"].as_array()).flatten();
    targets.map(|target| target["expr"].as_str().unwrap()).collect()
}

#[test]
fn prometheus_takes_the_alert_rules() {
    let folder = tempfile::tempdir().unwrap();
    let check = |rules: &str| {
        let file = folder.path().join("rules.yml");
        fs::write(&file, rules).unwrap();
        promtool(&["check", "rules", file.to_str().unwrap()], "")
    };
    let rules = document("alerts.yml");
    if let Some((passes, said)) = check(&rules) {
        assert!(passes && said.contains("SUCCESS"), "{said}");
        let wrong = rules.replacen("up{job", "up{{job", 1);
        let (passes, said) = check(&wrong).unwrap();
        assert!(!passes, "{said}");
    }
}

#[test]
fn the_dashboard_asks_the_chosen_source() {
    let dashboard: Value = serde_json::from_str(&document("dashboard.json")).unwrap();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let source = variables.iter().find(|variable| variable["name"] == "datasource").unwrap();
    assert_eq!(source["type"], "datasource");
    for panel in dashboard["panels"].as_array().unwrap() {
        if panel["type"] != "row" {
            assert_eq!(panel["datasource"]["uid"], "${datasource}", "{}", panel["title"]);
        }
    }
    assert!(expressions(&dashboard).len() > 20);
}

each_database! {
    fn every_metric_that_rules_or_dashboard_name_is_there(database: Database) {
        let mut real = names(&metrics(&used(database)));
        // They appear when they are first counted, or on the other database.
        real.extend(
            [
                "botyard_database_wal_bytes",
                "botyard_http_body_bytes",
                "botyard_http_connections_closed_total",
                "botyard_log_lines_dropped_total",
            ]
            .map(str::to_owned),
        );
        let dashboard: Value = serde_json::from_str(&document("dashboard.json")).unwrap();
        let asked = [document("alerts.yml"), expressions(&dashboard).join("\n")];
        for text in asked {
            let named = named(&text);
            assert!(named.len() > 8, "{named:?}");
            let missing: Vec<_> = named.difference(&real).collect();
            assert!(missing.is_empty(), "{missing:?}");
        }
    }
}
