//! From bytes to text: in which charset a page is (WHATWG Encoding Standard).

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How far into a page its charset may be named, in bytes.
const NAMED_WITHIN: usize = 1_024;

/// The text of a page. A byte order mark decides, then what the header says, then what the page says;
/// a page of which nothing is known is in UTF-8 if it can be.
pub(super) fn decode<'a>(bytes: &'a [u8], of_header: Option<&str>, is_html: bool) -> Cow<'a, str> {
    let of_header = of_header.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let charset = of_header
        .or_else(|| if is_html { named(bytes) } else { None })
        .unwrap_or_else(|| if str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 });
    charset.decode(bytes).0
}

/// What the first `<meta>` that names a charset says.
fn named(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.get(..NAMED_WITHIN).unwrap_or(bytes).to_ascii_lowercase();
    // All charsets that a page can name itself in are ASCII where it matters here.
    let start: String = start.iter().map(|byte| char::from(*byte)).collect();
    let mut rest = start.as_str();
    loop {
        let (_, after) = rest.split_once('<')?;
        rest = if let Some(comment) = after.strip_prefix("!--") {
            comment.split_once("-->")?.1
        } else {
            let meta = after.strip_prefix("meta").filter(|meta| !meta.starts_with(is_of_name));
            if let Some(charset) = meta.and_then(|meta| of_meta(meta.split('>').next()?)) {
                return Some(charset);
            }
            after
        };
    }
}

const fn is_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '-'
}

/// The charset in `charset=utf-8` or in `content="text/html; charset=utf-8"`.
fn of_meta(attributes: &str) -> Option<&'static Encoding> {
    attributes.split("charset").skip(1).find_map(|after| {
        let value = after.trim_start().strip_prefix('=')?.trim_start();
        let label = value.trim_start_matches(['"', '\'']);
        let end = |char: char| matches!(char, '"' | '\'' | ';' | '/') || char.is_whitespace();
        let charset = Encoding::for_label(label.split(end).next()?.as_bytes())?;
        // A page in UTF-16 could not have been read up to here.
        let is_utf_16 = charset == UTF_16BE || charset == UTF_16LE;
        Some(if is_utf_16 { UTF_8 } else { charset })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_is_found_in_its_order() {
        let late = format!("{}<meta charset=iso-8859-1>\u{e4}", " ".repeat(1_024));
        for (bytes, of_header, expected) in [
            (b"\xef\xbb\xbf\xc3\xa4".as_slice(), Some("iso-8859-1"), "ä"),
            (b"\xff\xfe\xe4\0", Some("utf-8"), "ä"),
            (b"\xe4", Some(" ISO-8859-1 "), "ä"),
            (b"<meta charset=utf-8>\xe4", Some("latin1"), "<meta charset=utf-8>ä"),
            (b"\x83A", Some("Shift_JIS"), "ア"),
            (b"\xe4", Some("no-such-charset"), "ä"),
            (b"\xc3\xa4", None, "ä"),
            (b"\x80", None, "€"),
            (b"<META Charset = 'koi8-r'>\xc1", None, "<META Charset = 'koi8-r'>а"),
            (
                b"<meta name=charset><meta content='text/html; charset=koi8-r'/>\xc1",
                None,
                "<meta name=charset><meta content='text/html; charset=koi8-r'/>а",
            ),
            (b"<meta charset=utf-16>\xc3\xa4", None, "<meta charset=utf-16>ä"),
            (b"<!--<meta charset=koi8-r>-->\xc3\xa4", None, "<!--<meta charset=koi8-r>-->ä"),
            (b"<metadata charset=koi8-r>\xc3\xa4", None, "<metadata charset=koi8-r>ä"),
            (late.as_bytes(), None, late.as_str()),
        ] {
            assert_eq!(decode(bytes, of_header, true), expected, "{}", bytes.escape_ascii());
        }
        assert_eq!(decode(b"<meta charset=koi8-r>\xc3\xa4", None, false), "<meta charset=koi8-r>ä");
    }
}
