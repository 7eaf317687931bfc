//! Metrics of the process as a whole: their recorder, and gauges that are set every few seconds.
//!
//! What is counted is recorded where it happens, and a gauge that follows what a request does is moved by it. All else
//! that `/metrics` shows, sizes, queues and the process, is measured by [`Sampler`] beside the requests, so that a
//! scrape costs no query and waits for no disk.

mod disks;
mod sampler;

use anyhow::Result;
use metrics::{describe_counter, describe_gauge, gauge};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

pub use self::sampler::{PAUSE, Sampler};

/// Upper bounds of the buckets in which times are counted, in seconds.
const SECONDS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];
/// The same for how long units of work hold the writer or a session. That is to be under 50 ms, so the buckets
/// are narrow there.
const UNIT_SECONDS: [f64; 16] = [
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.2, 0.5, 1.0, 5.0,
];
/// The same for how many units share a commit.
const UNITS: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Installs the recorder of this process, which everything that counts needs to be there first.
///
/// # Errors
/// If there is one already.
pub fn install_recorder() -> Result<PrometheusHandle> {
    let suffix = Matcher::Suffix("_seconds".to_owned());
    let of_units = Matcher::Full("botyard_unit_seconds".to_owned());
    let of_commits = Matcher::Full("botyard_commit_seconds".to_owned());
    let of_batches = Matcher::Full("botyard_storage_batch_units".to_owned());
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(suffix, &SECONDS)?
        .set_buckets_for_metric(of_units, &UNIT_SECONDS)?
        .set_buckets_for_metric(of_commits, &UNIT_SECONDS)?
        .set_buckets_for_metric(of_batches, &UNITS)?;
    let handle = builder.install_recorder()?;
    describe_gauge!("botyard_build_info", "1; the version is a label.");
    gauge!("botyard_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    describe_counter!(
        "botyard_log_lines_dropped_total",
        "Lines of the log that were dropped, because standard error was not read."
    );
    Ok(handle)
}
