//! Spans of time.

use std::time::Duration;

use super::number::measured;
use super::{Scalar, Shape};

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", SECOND), ("m", MINUTE), ("h", HOUR), ("d", DAY)];

/// A hundred years. Adding a longer span to a point in time could leave the range of the type, and that
/// panics.
const LONGEST: u64 = 36_500 * DAY;

/// Reads a span of time as the settings write it, for arguments of commands.
///
/// # Errors
/// What is wrong with it, going on after its name.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    Duration::read(text)
}

impl Scalar for Duration {
    type Value = Self;
    const SHAPE: Shape = Shape::new("duration", "500ms, 30s, 10m, 12h or 90d", "DURATION");

    fn read(text: &str) -> Result<Self, String> {
        // Nought is the same in every unit, so it needs none.
        let milliseconds = match text {
            "0" => 0,
            _ => measured(text, &UNITS).ok_or_else(|| Self::SHAPE.mismatch())?,
        };
        if milliseconds > LONGEST {
            return Err("is too long; the most is 36500d".to_owned());
        }
        Ok(Self::from_millis(milliseconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_one_unit() {
        for (text, seconds) in [
            ("0", 0.0),
            ("0s", 0.0),
            ("500ms", 0.5),
            ("30s", 30.0),
            ("10m", 600.0),
            ("12h", 43_200.0),
            ("90d", 7_776_000.0),
            ("36500d", 3_153_600_000.0),
        ] {
            assert_eq!(<Duration as Scalar>::read(text), Ok(Duration::from_secs_f64(seconds)));
        }
        for bad in ["", "30", "s", "1.5s", "-1s", "30 s", "30S", "1m30s", "30sec", "1w"] {
            let complaint = <Duration as Scalar>::read(bad).unwrap_err();
            assert!(complaint.starts_with("is no duration; write 500ms"), "{bad}");
        }
        for long in ["36501d", "99999999999999999999d"] {
            let complaint = <Duration as Scalar>::read(long).unwrap_err();
            assert_eq!(complaint, "is too long; the most is 36500d");
        }
    }
}
