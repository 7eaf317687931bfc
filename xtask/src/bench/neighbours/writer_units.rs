//! For how long units of work and commits hold SQLite's writer, on which all other changes wait meanwhile.

use anyhow::{Context as _, Result};

use crate::bench::server::Botyard;

/// How many of 1 000 may hold it for longer than 50 ms.
pub const LONG_MAX: f64 = 1.0;

/// All of a kind, and those that took 50 ms at most.
type Series = [&'static str; 2];

const UNITS: Series = [
    r#"botyard_unit_seconds_count{mode="write"}"#,
    r#"botyard_unit_seconds_bucket{mode="write",le="0.05"}"#,
];
const COMMITS: Series =
    ["botyard_commit_seconds_count", r#"botyard_commit_seconds_bucket{le="0.05"}"#];

/// How many of 1 000 took longer than 50 ms.
pub struct LongOf1000 {
    pub units: f64,
    pub commits: f64,
}

/// Of the units that write and their commits, since the server was started.
pub fn long_of_1000(server: &Botyard) -> Result<LongOf1000> {
    let metrics = server.ask(&server.request("GET", "/metrics"))?.body;
    Ok(LongOf1000 { units: long_by(&metrics, UNITS)?, commits: long_by(&metrics, COMMITS)? })
}

fn long_by(metrics: &str, [all, short]: Series) -> Result<f64> {
    let (all, short) = (value(metrics, all)?, value(metrics, short)?);
    Ok(if all > 0.0 { (all - short) / all * 1_000.0 } else { 0.0 })
}

fn value(metrics: &str, series: &str) -> Result<f64> {
    let value = metrics.lines().find_map(|line| line.strip_prefix(series));
    let value = value.with_context(|| format!("the metrics have no {series}"))?;
    value.trim().parse().with_context(|| series.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_counted_by_the_buckets_of_the_metric() {
        let metrics = "botyard_unit_seconds_bucket{mode=\"read\",le=\"0.05\"} 1\n\
                       botyard_unit_seconds_bucket{mode=\"write\",le=\"0.04\"} 3\n\
                       botyard_unit_seconds_bucket{mode=\"write\",le=\"0.05\"} 1998\n\
                       botyard_unit_seconds_bucket{mode=\"write\",le=\"+Inf\"} 2000\n\
                       botyard_unit_seconds_count{mode=\"write\"} 2000\n\
                       botyard_commit_seconds_bucket{le=\"0.05\"} 99\n\
                       botyard_commit_seconds_count 100\n";
        assert!((long_by(metrics, UNITS).unwrap() - 1.0).abs() < 1e-9);
        assert!((long_by(metrics, COMMITS).unwrap() - 10.0).abs() < 1e-9);
        assert!(long_by("", UNITS).is_err());
    }
}
