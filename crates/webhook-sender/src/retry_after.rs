//! `Retry-After` (RFC 9110, section 10.2.3): how long a receiver wants to be left alone.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use httpdate::parse_http_date;
use hyper::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// How long to wait, as these headers of an answer have it. A date is counted from the answer's own `Date`, which
/// comes from the same clock, or else from when the message was sent (seconds since 1970); one that has passed is zero.
/// What is neither a number of seconds nor a date says nothing.
pub(crate) fn retry_after(headers: &HeaderMap, sent: i64) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?;
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return value.parse().ok().map(Duration::from_secs);
    }
    let until = parse_http_date(value).ok()?;
    let now = date(headers, &DATE).or_else(|| since_1970(sent))?;
    Some(until.duration_since(now).unwrap_or_default())
}

fn date(headers: &HeaderMap, name: &HeaderName) -> Option<SystemTime> {
    parse_http_date(headers.get(name)?.to_str().ok()?).ok()
}

fn since_1970(seconds: i64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(seconds).ok()?))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    /// Sat, 01 Nov 2025 12:00:00 GMT.
    const SENT: i64 = 1_761_998_400;

    fn seconds(headers: &[(HeaderName, &[u8])]) -> Option<u64> {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_bytes(value).unwrap()));
        retry_after(&headers.collect(), SENT).map(|time| time.as_secs())
    }

    #[test]
    fn a_wait_is_a_number_of_seconds_or_a_date() {
        for (value, expected) in [
            ("0", Some(0)),
            ("120", Some(120)),
            ("31536000", Some(31_536_000)),
            ("Sat, 01 Nov 2025 12:02:00 GMT", Some(120)),
            ("Saturday, 01-Nov-25 12:02:00 GMT", Some(120)),
            ("Sat Nov  1 12:02:00 2025", Some(120)),
            ("Sat, 01 Nov 2025 12:00:00 GMT", Some(0)),
            ("Sat, 01 Nov 2025 11:00:00 GMT", Some(0)),
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("99999999999999999999", None),
            ("soon", None),
            ("Sat, 01 Nov 2025 12:02:00 CET", None),
            ("Sat, 41 Nov 2025 12:02:00 GMT", None),
            ("2025-11-01T12:02:00Z", None),
        ] {
            assert_eq!(seconds(&[(RETRY_AFTER, value.as_bytes())]), expected, "{value:?}");
        }
        assert_eq!(seconds(&[]), None);
        assert_eq!(seconds(&[(RETRY_AFTER, b"\xff")]), None);
    }

    #[test]
    fn a_date_is_counted_by_the_clock_of_the_receiver() {
        let until: (_, &[u8]) = (RETRY_AFTER, b"Sat, 01 Nov 2025 12:02:00 GMT");
        for (date, expected) in [
            ("Sat, 01 Nov 2025 12:01:50 GMT", 10),
            ("Sat, 01 Nov 2025 12:03:00 GMT", 0),
            ("Fri, 31 Oct 2025 12:02:00 GMT", 86_400),
            // Not a date, so the clock of the sender counts.
            ("yesterday", 120),
        ] {
            let found = seconds(&[until.clone(), (DATE, date.as_bytes())]);
            assert_eq!(found, Some(expected), "{date}");
        }
    }

    #[test]
    fn a_clock_that_can_not_be_makes_no_wait() {
        let until = [(RETRY_AFTER, HeaderValue::from_static("Sat, 01 Nov 2025 12:02:00 GMT"))];
        let headers = until.into_iter().collect();
        assert_eq!(retry_after(&headers, -1), None);
        assert!(retry_after(&headers, i64::MAX).is_none_or(|time| time.is_zero()));
    }

    proptest! {
        #[test]
        fn no_value_is_too_strange(value in "[ -~]{0,40}", date in "[ -~]{0,40}", sent: i64) {
            let headers = [(RETRY_AFTER, value), (DATE, date)];
            let headers = headers.map(|(name, value)| (name, HeaderValue::try_from(value).unwrap()));
            let _ = retry_after(&headers.into_iter().collect(), sent);
        }
    }
}
