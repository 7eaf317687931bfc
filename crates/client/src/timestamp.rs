//! Times and days as the API writes them.

use std::fmt;

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, UtcOffset};

const TIMESTAMP: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// A time: RFC 3339 in UTC, written to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub OffsetDateTime);

/// A day in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub Date);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_offset(UtcOffset::UTC).format(TIMESTAMP).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.format(DAY).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let time = self.0.to_offset(UtcOffset::UTC);
        serializer.serialize_str(&time.format(TIMESTAMP).map_err(S::Error::custom)?)
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.format(DAY).map_err(S::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        OffsetDateTime::parse(&text, &Rfc3339).map(Self).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Date::parse(&text, DAY).map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn a_time_is_written_in_utc_to_the_millisecond() {
        let time = Timestamp(datetime!(2026-11-25 18:00:00.12 +1));
        let written = serde_json::to_string(&time).unwrap();
        assert_eq!(written, "\"2026-11-25T17:00:00.120Z\"");
        assert_eq!(serde_json::from_str::<Timestamp>(&written).unwrap(), time);
    }

    #[test]
    fn a_day_has_no_time() {
        let day = Day(date!(2026 - 11 - 05));
        assert_eq!(serde_json::to_string(&day).unwrap(), "\"2026-11-05\"");
        assert!(serde_json::from_str::<Day>("\"2026-11-05T00:00:00Z\"").is_err());
    }
}
