//! The values of headers, which the framework cuts out of what it has read of a connection.

use actix_web::http::header::{HeaderMap, HeaderValue};

/// How many headers a request has at most, as a rule.
const USUAL: usize = 14;

/// Gives each value memory of its own, and them together no more room than they need.
///
/// The framework keeps the heads of up to 256 answered requests for each worker, to use them again. Until then their
/// values would keep what they were cut out of: all that was read of the connection at once, 64 KiB or more. And a table
/// of the framework has room for 28 headers, 7 KiB.
pub fn make_compact(headers: &mut HeaderMap) {
    if headers.capacity() > USUAL && headers.len() <= USUAL {
        let mut compact = HeaderMap::with_capacity(headers.len());
        for (name, value) in headers.iter() {
            compact.append(name.clone(), copy(value));
        }
        *headers = compact;
    } else {
        headers.retain(|_, value| {
            *value = copy(value);
            true
        });
    }
}

fn copy(value: &HeaderValue) -> HeaderValue {
    // What was a value is one.
    HeaderValue::from_bytes(value.as_bytes()).unwrap_or_else(|_| value.clone())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{ACCEPT, HOST, HeaderName};
    use bytes::Bytes;

    use super::*;

    fn of(headers: &HeaderMap, name: HeaderName) -> Vec<&[u8]> {
        headers.get_all(name).map(HeaderValue::as_bytes).collect()
    }

    #[test]
    fn values_do_not_keep_what_they_were_cut_out_of() {
        for capacity in [0, 16] {
            let buffer = Bytes::from(b"text/html,example.org,*/*".to_vec());
            let value = |range| HeaderValue::from_maybe_shared(buffer.slice(range)).unwrap();
            let mut headers = HeaderMap::with_capacity(capacity);
            headers.append(ACCEPT, value(0..9));
            headers.append(HOST, value(10..21));
            headers.append(ACCEPT, value(22..25));
            assert!(!buffer.is_unique());
            make_compact(&mut headers);
            assert!(buffer.is_unique());
            assert_eq!(of(&headers, ACCEPT), [&b"text/html"[..], b"*/*"]);
            assert_eq!(of(&headers, HOST), [b"example.org"]);
        }
    }

    #[test]
    fn a_table_has_no_more_room_than_usual_unless_it_is_needed() {
        for count in [0, 1, USUAL, USUAL + 1] {
            let mut headers = HeaderMap::with_capacity(16);
            for number in 0..count {
                let name = HeaderName::try_from(format!("x-{number}")).unwrap();
                headers.append(name, HeaderValue::from(number));
            }
            make_compact(&mut headers);
            assert_eq!(headers.len(), count);
            assert_eq!(headers.capacity() <= USUAL, count <= USUAL, "{}", headers.capacity());
        }
    }
}
