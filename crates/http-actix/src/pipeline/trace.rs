//! The trace of a caller, as W3C Trace Context writes it: a request is one span, that is a part of something that
//! several services do.
//!
//! The service begins no traces: a request without one has its request id.

use std::fmt;

use actix_web::http::header::{HeaderMap, HeaderName};

pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
/// From the draft of level 3; levels 1 and 2 say nothing of answers.
pub(crate) const TRACERESPONSE: HeaderName = HeaderName::from_static("traceresponse");

/// The flags that the standard defines: the caller may record the trace, and made its id at random.
const FLAGS: u8 = 0b11;
const SAMPLED: u8 = 0b01;

/// A trace, and which span of it this request is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trace {
    /// 32 hexadecimal digits.
    pub(crate) trace_id: String,
    /// The caller's span, 16 hexadecimal digits.
    pub(crate) parent_id: String,
    /// The span of this request, 16 hexadecimal digits.
    pub(crate) span_id: String,
    flags: u8,
}

impl Trace {
    /// The trace that a request belongs to. `number` is that of the span, which no other has.
    ///
    /// `None` if there is no header, several, or one that is not valid.
    pub(crate) fn of(headers: &HeaderMap, number: impl FnOnce() -> u64) -> Option<Self> {
        let mut given = headers.get_all(TRACEPARENT);
        let (Some(value), None) = (given.next(), given.next()) else {
            return None;
        };
        let (trace_id, parent_id, flags) = parse(value.as_bytes())?;
        let span_id = format!("{:016x}", number().max(1));
        let (trace_id, parent_id) = (trace_id.to_owned(), parent_id.to_owned());
        Some(Self { trace_id, parent_id, span_id, flags: flags & FLAGS })
    }

    /// Whether the caller may record the trace, so that this span belongs to what is recorded.
    pub(crate) const fn is_sampled(&self) -> bool {
        self.flags & SAMPLED != 0
    }
}

impl fmt::Display for Trace {
    /// The value of the header of an answer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-{:02x}", self.trace_id, self.span_id, self.flags)
    }
}

/// The ids of the trace and of the caller's span, and the flags. A version that is not known yet may have more behind
/// them.
fn parse(value: &[u8]) -> Option<(&str, &str, u8)> {
    let text = str::from_utf8(value).ok()?;
    let mut fields = text.split('-');
    let mut field = |digits: usize| {
        let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
        fields.next().filter(|field| field.len() == digits && field.bytes().all(is_digit))
    };
    let (version, trace_id, parent_id, flags) = (field(2)?, field(32)?, field(16)?, field(2)?);
    let is_nothing = |id: &str| id.bytes().all(|byte| byte == b'0');
    let is_valid = version != "ff" && !is_nothing(trace_id) && !is_nothing(parent_id);
    if !is_valid || (version == "00" && fields.next().is_some()) {
        return None;
    }
    Some((trace_id, parent_id, u8::from_str_radix(flags, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    const ID: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn of(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(TRACEPARENT, HeaderValue::from_str(value).unwrap());
        }
        Trace::of(&headers, || 7).map(|trace| trace.to_string())
    }

    #[test]
    fn a_valid_trace_is_taken_over() {
        for (rest, flags) in [
            ("-00f067aa0ba902b7-01", "01"),
            ("-00f067aa0ba902b7-00", "00"),
            // Flags that nobody knows are not passed on.
            ("-00f067aa0ba902b7-ff", "03"),
        ] {
            let expected = format!("00-{ID}-0000000000000007-{flags}");
            assert_eq!(of(&[&format!("00-{ID}{rest}")]), Some(expected));
        }
        // A later version begins in the same way.
        let expected = Some(format!("00-{ID}-0000000000000007-01"));
        for later in ["cc", "01", "fe"] {
            assert_eq!(of(&[&format!("{later}-{ID}-00f067aa0ba902b7-01")]), expected);
            assert_eq!(of(&[&format!("{later}-{ID}-00f067aa0ba902b7-01-what-else")]), expected);
        }
    }

    #[test]
    fn anything_else_is_no_trace() {
        let zeros = "00000000000000000000000000000000";
        let valid = format!("00-{ID}-00f067aa0ba902b7-01");
        for wrong in [
            String::new(),
            valid.to_uppercase(),
            format!("{valid}-"),
            format!("{valid}-00"),
            format!("{valid}.00"),
            format!("cc-{ID}-00f067aa0ba902b7-01.what"),
            format!("ff-{ID}-00f067aa0ba902b7-01"),
            format!("0-{ID}-00f067aa0ba902b7-01"),
            format!("0x-{ID}-00f067aa0ba902b7-01"),
            format!("00-{zeros}-00f067aa0ba902b7-01"),
            format!("00-{ID}-0000000000000000-01"),
            format!("00-{}-00f067aa0ba902b7-01", ID.strip_prefix('4').unwrap()),
            format!("00-{ID}0-00f067aa0ba902b7-01"),
            format!("00-{ID}-00f067aa0ba902b-01"),
            format!("00-{ID}-00f067aa0ba902b7-1"),
            format!("00-{ID}-00f067aa0ba902b7-.1"),
            format!("00-{ID}-00f067aa0ba902b7"),
            format!("00_{ID}_00f067aa0ba902b7_01"),
            format!("{valid}, {valid}"),
        ] {
            assert_eq!(of(&[&wrong]), None, "{wrong}");
        }
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[&valid, &valid]), None);
    }

    #[test]
    fn a_span_id_is_never_zero() {
        let mut headers = HeaderMap::new();
        let valid = format!("00-{ID}-00f067aa0ba902b7-01");
        headers.append(TRACEPARENT, HeaderValue::from_str(&valid).unwrap());
        let trace = Trace::of(&headers, || 0).unwrap();
        assert_eq!(trace.span_id, "0000000000000001");
    }
}
