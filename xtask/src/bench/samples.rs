//! How long requests took, one by one.

use std::time::Duration;

/// How long requests took, and how many of them failed.
#[derive(Debug, Default)]
pub struct Samples {
    /// In milliseconds, those of failed requests included.
    times: Vec<f64>,
    pub failed: usize,
    /// What went wrong first.
    pub failure: Option<String>,
}

impl Samples {
    /// Adds a request that took so long.
    pub fn add(&mut self, time: Duration, outcome: anyhow::Result<()>) {
        self.times.push(time.as_secs_f64() * 1_000.0);
        if let Err(error) = outcome {
            self.fail(1, || format!("{error:#}"));
        }
    }

    /// Adds failures without a time.
    pub fn fail(&mut self, count: usize, reason: impl FnOnce() -> String) {
        if count > 0 {
            self.failed += count;
            self.failure.get_or_insert_with(reason);
        }
    }

    pub fn extend(&mut self, other: Self) {
        self.times.extend(other.times);
        self.fail(other.failed, || other.failure.unwrap_or_default());
    }

    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// The time in milliseconds within which so many of 100 requests were answered; none without requests.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.times.clone();
        sorted.sort_by(f64::total_cmp);
        let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn percentiles_are_times_of_requests() {
        let mut samples = Samples::default();
        assert!(samples.percentile(99).is_nan());
        for number in (1..=200).rev() {
            samples.add(Duration::from_millis(number), Ok(()));
        }
        let same = |percent, expected: f64| (samples.percentile(percent) - expected).abs() < 1e-9;
        assert!(same(50, 100.0) && same(99, 198.0) && same(100, 200.0));
    }

    #[test]
    fn failures_are_counted_and_the_first_is_kept() {
        let mut samples = Samples::default();
        samples.add(Duration::from_millis(1), Err(anyhow!("first")));
        let mut others = Samples::default();
        others.add(Duration::from_millis(2), Err(anyhow!("second")));
        others.fail(2, || "third".to_owned());
        samples.extend(others);
        samples.fail(0, || "none".to_owned());
        assert_eq!((samples.len(), samples.failed), (2, 4));
        assert_eq!(samples.failure.as_deref(), Some("first"));
    }
}
