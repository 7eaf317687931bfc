//! Time as an input: the clock port, and the one form in which times go out.

use serde::{Serialize, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::input::{FieldType, FieldValue, ValueLocation};
use crate::violation::{ViolationCode, Violations};

/// Tells the time; tests set it.
pub trait Clock: Send + Sync {
    /// Now, in whole milliseconds.
    fn now(&self) -> Timestamp;
}

/// A point in time of the years 1970 to 9999: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

/// The position of an item in a list that is ordered by time, and by identifier where times are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeCursor<I> {
    /// The time of the item.
    pub at: Timestamp,
    /// The identifier of the item.
    pub id: I,
}

/// The times from one to another, both included; an end that is missing is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// The first time.
    pub from: Option<Timestamp>,
    /// The last time.
    pub to: Option<Timestamp>,
}

/// The last millisecond that RFC 3339 can write.
const LAST: i64 = 253_402_300_799_999;

impl Timestamp {
    /// The last one.
    pub const LAST: Self = Self(LAST);

    /// From milliseconds since the epoch. Of what lies outside of the years 1970 to 9999, the nearest
    /// point inside of them.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        if millis < 0 {
            Self(0)
        } else if millis > LAST {
            Self(LAST)
        } else {
            Self(millis)
        }
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Reads RFC 3339 with whatever offset, from the year 1970 to 9999 in UTC. What is finer than a
    /// millisecond is cut.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let moment = OffsetDateTime::parse(text, &Rfc3339).ok()?;
        let millis = moment.unix_timestamp_nanos().div_euclid(1_000_000);
        i64::try_from(millis).ok().filter(|millis| (0..=LAST).contains(millis)).map(Self)
    }

    /// This point moved by a duration; saturates at the first and the last time.
    #[must_use]
    pub fn plus(self, duration: std::time::Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// This point moved back by a duration; saturates at the first and the last time.
    #[must_use]
    pub fn minus(self, duration: std::time::Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self::from_millis(self.0.saturating_sub(millis))
    }
}

/// A time as text. It is written digit by digit, because lists have several times in each item, and a general
/// formatter takes much longer.
#[derive(Clone, Copy)]
pub struct TimestampText([u8; 24]);

impl TimestampText {
    /// RFC 3339 in UTC with milliseconds: `2026-01-31T12:00:00.000Z`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl Timestamp {
    /// The time as text.
    #[must_use]
    pub fn text(self) -> TimestampText {
        let moment = OffsetDateTime::from_unix_timestamp(self.0.div_euclid(1_000));
        // No time is outside of what the type can hold.
        let moment = moment.unwrap_or(OffsetDateTime::UNIX_EPOCH);
        let (year, month, day) = moment.to_calendar_date();
        let (hour, minute, second) = moment.to_hms();
        let (year, millis) = (year.unsigned_abs(), self.0.rem_euclid(1_000) as u32);
        let [[y0, y1], [y2, y3], [m0, m1], [d0, d1]] =
            [year / 100, year % 100, u8::from(month).into(), day.into()].map(digits);
        let [[h0, h1], [n0, n1], [s0, s1]] =
            [hour.into(), minute.into(), second.into()].map(digits);
        let [[_, t0], [t1, t2]] = [millis / 100, millis % 100].map(digits);
        TimestampText([
            y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1, b'T', h0, h1, b':', n0, n1, b':', s0, s1,
            b'.', t0, t1, t2, b'Z',
        ])
    }
}

/// The two digits of a number below 100.
const fn digits(number: u32) -> [u8; 2] {
    [b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text().as_str())
    }
}

impl FieldValue for Timestamp {
    fn field_type() -> FieldType {
        FieldType::Text
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        let text = String::read(raw, location, violations)?;
        let time = Self::parse(&text);
        if time.is_none() {
            let what = "must be a time like 2026-01-31T12:00:00Z, of the years 1970 to 9999";
            location.violation(violations, ViolationCode::BadFormat, what);
        }
        time
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text().as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::format_description;

    use super::*;

    proptest! {
        #[test]
        fn a_time_is_written_as_a_general_formatter_writes_it(millis in 0..=LAST) {
            let format = format_description!(
                "[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z"
            );
            let nanos = i128::from(millis) * 1_000_000;
            let moment = OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap();
            let time = Timestamp::from_millis(millis);
            prop_assert_eq!(time.to_string(), moment.format(format).unwrap());
            prop_assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        }
    }

    #[test]
    fn a_time_is_read_whatever_its_offset() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-01-31T12:00:00.007Z", 1_769_860_800_007),
            ("2026-01-31T14:30:00.0079999+02:30", 1_769_860_800_007),
            ("2026-01-31T12:00:00.007123456-00:00", 1_769_860_800_007),
            ("9999-12-31T23:59:59.999999Z", LAST),
        ] {
            assert_eq!(Timestamp::parse(text), Some(Timestamp::from_millis(millis)), "{text}");
        }
        for text in [
            "",
            "now",
            "2026-01-31",
            "2026-01-31T12:00:00",
            "2026-02-30T12:00:00Z",
            "1970-01-01T00:00:00+00:01",
            "9999-12-31T23:59:59-00:01",
            "2026-01-31T12:00:00Z ",
            "20260131T120000Z",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn times_are_rfc_3339_with_milliseconds() {
        assert_eq!(Timestamp::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            Timestamp::from_millis(1_769_860_800_007).to_string(),
            "2026-01-31T12:00:00.007Z"
        );
        assert_eq!(Timestamp::from_millis(i64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
    }
}
