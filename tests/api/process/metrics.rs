//! What `/metrics` shows, and that Prometheus' own check finds nothing wrong with it.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Database, Form, TestApp, each_database};
use serde_json::json;
use test_postgres::not_run;

use super::jobs::{LATE, QUEUED, insert};
use super::setup::NOBODY;

/// The program that checks metrics and rules, if it is named here or is among the installed ones.
const PROMTOOL: &str = "BOTYARD_TEST_PROMTOOL";

pub fn metrics(app: &TestApp) -> String {
    app.anonymous().get("/metrics").text().to_owned()
}

/// The value of a series, given as it stands in front of its value.
fn value(metrics: &str, series: &str) -> Option<f64> {
    let found = metrics.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    found.and_then(|value| value.parse().ok())
}

/// Waits until a series has such a value; returns it.
#[track_caller]
fn awaited(app: &TestApp, series: &str, fits: impl Fn(f64) -> bool) -> f64 {
    eventually(series, || value(&metrics(app), series).filter(|value| fits(*value)))
}

/// The names of all metrics, without what histograms put behind them.
pub fn names(metrics: &str) -> BTreeSet<String> {
    let types = metrics.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    types.filter_map(|rest| Some(rest.split_once(' ')?.0.to_owned())).collect()
}

/// A server that has done some of everything that is counted.
#[track_caller]
pub fn used(database: Database) -> TestApp {
    let app = TestApp::start(database, &[]);
    let tenant = app.tenant();
    let _ = tenant.as_bot(tenant.bot()).put("/api/external/bot", &json!({"name": "n"})).ok();
    app.anonymous().get("/api/external/bot").problem(401, "unauthenticated");
    // The last that is measured.
    awaited(&app, "botyard_jobs_queued{kind=\"sweep_blobs\"}", |_| true);
    awaited(&app, "botyard_database_bytes", |_| true);
    awaited(&app, "botyard_job_seconds_count{kind=\"sweep_blobs\"}", |count| count > 0.0);
    app
}

/// Runs promtool; `None`, with a word about that, where it is not installed.
pub fn promtool(arguments: &[&str], input: &str) -> Option<(bool, String)> {
    let program = env::var(PROMTOOL).ok().filter(|program| !program.is_empty());
    let program = program.unwrap_or_else(|| "promtool".to_owned());
    let mut command = Command::new(&program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        not_run(format_args!("{program} is not there (Debian: the package prometheus)"));
        return None;
    };
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    Some((output.status.success(), String::from_utf8(said).unwrap()))
}

/// A file of the documents.
pub fn document(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

each_database! {
    fn prometheus_finds_nothing_wrong(database: Database) {
        let metrics = metrics(&used(database));
        if let Some(checked) = promtool(&["check", "metrics"], &metrics) {
            assert_eq!(checked, (true, String::new()), "{metrics}");
            let (passes, said) = promtool(&["check", "metrics"], "a_total 1\n").unwrap();
            assert!(!passes && said.contains("no help text"), "{said}");
        }
    }

    fn every_metric_is_documented(database: Database) {
        let real = names(&metrics(&used(database)));
        let document = document("monitoring.md");
        let rows = document.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        let is_metric = |name: &&str| name.starts_with("botyard_") || name.starts_with("process_");
        let names = rows.map(|(name, _)| name).filter(is_metric);
        let mut documented: BTreeSet<_> = names.map(str::to_owned).collect();
        // Those appear when they are first counted.
        for rare in [
            "botyard_http_connections_closed_total",
            "botyard_log_lines_dropped_total",
            "botyard_http_body_bytes",
            "botyard_webhook_message_seconds",
        ] {
            assert!(documented.contains(rare), "{rare}");
            if !real.contains(rare) {
                documented.remove(rare);
            }
        }
        if database == Database::Postgres {
            for of_sqlite in ["botyard_database_wal_bytes", "botyard_commit_seconds"] {
                assert!(documented.remove(of_sqlite), "{of_sqlite}");
            }
        }
        assert_eq!(real, documented);
    }

    fn sizes_and_connections_are_measured(database: Database) {
        let app = used(database);
        let metrics = metrics(&app);
        let value = |series: &str| value(&metrics, series).unwrap_or_else(|| panic!("{series}: {metrics}"));
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(value(&format!("botyard_build_info{{version=\"{version}\"}}")), 1.0);
        // This request is one of them.
        assert!(value("botyard_http_requests_in_flight") >= 1.0);
        assert!(value("botyard_http_connections") >= 1.0);
        let [read, idle] = ["in_use", "idle"]
            .map(|state| value(&format!("botyard_storage_connections{{mode=\"read\",state=\"{state}\"}}")));
        assert!(read + idle >= 1.0);
        assert!(value("botyard_database_bytes") > 10_000.0);
        let mut places = vec!["data_dir", "files"];
        if database == Database::Sqlite {
            places.push("database");
            // The first measurement may come ahead of the first change.
            awaited(&app, "botyard_database_wal_bytes", |bytes| bytes > 0.0);
        }
        for place in places {
            let of = |name: &str| value(&format!("botyard_disk_{name}_bytes{{place=\"{place}\"}}"));
            assert!(of("free") > 0.0 && of("free") <= of("size"), "{place}");
        }
        assert_eq!(value("botyard_disk_reserve_bytes"), f64::from(64 << 20));
        // That is counted in whole seconds.
        assert!(value("process_cpu_seconds_total") >= 0.0);
        for series in [
            "process_resident_memory_bytes",
            "process_open_fds",
            "process_start_time_seconds",
        ] {
            assert!(value(series) > 0.0, "{series}");
        }
    }

    fn jobs_are_counted_by_what_they_wait_for(database: Database) {
        let app = TestApp::start(database, &[]);
        let installation = app.installation();
        insert(installation, NOBODY, "teardown_bot", "no bot", QUEUED, 1);
        let other = "00000000-0000-7000-8000-00000000000b";
        insert(installation, other, "remove_blob", NOBODY, QUEUED, LATE);
        awaited(&app, "botyard_jobs_failed{kind=\"teardown_bot\"}", |count| count == 1.0);
        awaited(&app, "botyard_jobs_queued{kind=\"remove_blob\"}", |count| count == 1.0);
        let metrics = metrics(&app);
        let zero = |series: &str| assert_eq!(value(&metrics, series), Some(0.0), "{series}");
        zero("botyard_jobs_queued{kind=\"teardown_bot\"}");
        zero("botyard_jobs_failed{kind=\"remove_blob\"}");
        zero("botyard_jobs_overdue_seconds{kind=\"remove_blob\"}");
        zero("botyard_jobs_running{kind=\"remove_blob\"}");
    }

    fn a_document_that_can_not_be_read_is_no_success(database: Database) {
        let app = TestApp::start(database, &[]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let form = Form::new().file("a.pdf", "application/pdf", b"%PDF-1.7 and no more");
        let path = "/api/external/projectapi/doc/upload";
        let made = client.request("POST", path).form(&form).send().ok();
        let id = made["projectDoc"]["_id"].as_str().unwrap().to_owned();
        let document = eventually("the extraction ends", || {
            let document = client.get(&format!("/api/external/projectapi/doc/files/{id}")).ok();
            (document["extraction"]["status"] == "failed").then_some(document)
        });
        let word = document["extraction"]["error"].as_str().unwrap();
        let series = |outcome: &str| {
            format!("botyard_job_attempts_total{{kind=\"extract\",outcome=\"{outcome}\"}}")
        };
        awaited(&app, &series(word), |count| count == 1.0);
        for other in ["done", "failed"] {
            assert_eq!(value(&metrics(&app), &series(other)), Some(0.0), "{other}");
        }
        until("nothing runs any more", || {
            value(&metrics(&app), "botyard_jobs_running{kind=\"extract\"}") == Some(0.0)
        });
    }
}
