//! For how long units of work hold SQLite's writer, on which all other changes wait meanwhile.

use anyhow::{Context as _, Result};

use crate::bench::server::Botyard;

/// How many of 1 000 units may hold it for longer than 50 ms.
pub const LONG_MAX: f64 = 1.0;

const ALL: &str = r#"botyard_unit_seconds_count{mode="write"}"#;
const SHORT: &str = r#"botyard_unit_seconds_bucket{mode="write",le="0.05"}"#;

/// How many of 1 000 units that write took longer than 50 ms, since the server was started.
pub fn long_of_1000(server: &Botyard) -> Result<f64> {
    long_by(&server.ask(&server.request("GET", "/metrics"))?.body)
}

fn long_by(metrics: &str) -> Result<f64> {
    let (all, short) = (value(metrics, ALL)?, value(metrics, SHORT)?);
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
                       botyard_unit_seconds_count{mode=\"write\"} 2000\n";
        assert!((long_by(metrics).unwrap() - 1.0).abs() < 1e-9);
        assert!(long_by("").is_err());
    }
}
