//! A day of the calendar, in UTC.

use std::fmt;

use serde::{Serialize, Serializer};
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use crate::clock::Timestamp;
use crate::input::{FieldType, FieldValue, ValueLocation};
use crate::violation::{ViolationCode, Violations};

const FORMAT: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// The last second of the last day.
const LAST_SECOND: i64 = 253_402_300_799;

/// A day from `1970-01-01` to `9999-12-31`, in UTC, written so (RFC 3339, `full-date`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(Date);

impl Day {
    /// The first day that there is.
    pub const FIRST: Self = Self(time::macros::date!(1970 - 01 - 01));

    /// The day of a point in time; the first or the last one for a time outside of them.
    #[must_use]
    pub fn of(at: Timestamp) -> Self {
        let seconds = at.millis().div_euclid(1_000).clamp(0, LAST_SECOND);
        OffsetDateTime::from_unix_timestamp(seconds).map_or(Self::FIRST, |at| Self(at.date()))
    }

    /// The first and the last millisecond of the day.
    #[must_use]
    pub fn ends(self) -> (Timestamp, Timestamp) {
        let first = self.0.midnight().assume_utc().unix_timestamp().saturating_mul(1_000);
        (Timestamp::from_millis(first), Timestamp::from_millis(first.saturating_add(86_399_999)))
    }

    /// Reads the one accepted spelling.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let date = (text.len() == 10).then(|| Date::parse(text, FORMAT).ok()).flatten()?;
        (1970..=9999).contains(&date.year()).then_some(Self(date))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(date) = self;
        write!(f, "{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day())
    }
}

impl FieldValue for Day {
    fn field_type() -> FieldType {
        FieldType::Text
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        let text = String::read(raw, location, violations)?;
        let day = Self::parse(&text);
        if day.is_none() {
            let what = "must be a day like 2026-01-31, of the years 1970 to 9999";
            location.violation(violations, ViolationCode::BadFormat, what);
        }
        day
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The days from one to another, both included; an end that is missing is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DayRange {
    /// The first day.
    pub from: Option<Day>,
    /// The last day.
    pub to: Option<Day>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_at_midnight() {
        for (millis, expected) in [
            (0, "1970-01-01"),
            (-1, "1970-01-01"),
            (1_769_903_999_999, "2026-01-31"),
            (1_769_904_000_000, "2026-02-01"),
            (i64::MAX, "9999-12-31"),
        ] {
            assert_eq!(Day::of(Timestamp::from_millis(millis)).to_string(), expected);
        }
    }

    #[test]
    fn a_day_begins_and_ends_at_midnight() {
        for (day, first, last) in [
            ("1970-01-01", 0, 86_399_999),
            ("2026-01-31", 1_769_817_600_000, 1_769_903_999_999),
            ("9999-12-31", 253_402_214_400_000, 253_402_300_799_999),
        ] {
            let ends = Day::parse(day).unwrap().ends();
            assert_eq!(
                ends,
                (Timestamp::from_millis(first), Timestamp::from_millis(last)),
                "{day}"
            );
            assert_eq!([ends.0, ends.1].map(|end| Day::of(end).to_string()), [day, day]);
        }
    }

    #[test]
    fn a_day_has_one_spelling() {
        for text in ["1970-01-01", "2024-02-29", "9999-12-31"] {
            assert_eq!(Day::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "2023-02-29",
            "2024-2-29",
            "2024-02-30",
            "1969-12-31",
            "2024-02-29 ",
            "+2024-02-2",
            "20240229",
            "2024-02-29T00:00:00Z",
        ] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }
}
