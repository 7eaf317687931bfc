//! Escape sequences in strings (RFC 8259, section 7).

use std::str::Chars;

/// One character of a string, or what stands in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DecodedChar {
    /// A Unicode character.
    Char(char),
    /// Half of a surrogate pair without the other half: RFC 8259's grammar allows it, but it is no
    /// text and has no UTF-8 form.
    Lone(u16),
}

impl DecodedChar {
    /// Whether it may stand in a string that botyard interprets. PostgreSQL's text can't hold
    /// U+0000.
    pub(super) const fn is_valid(self) -> bool {
        !matches!(self, Self::Char('\0') | Self::Lone(_))
    }
}

/// What the escape sequence means whose backslash was just read, and how many bytes it takes up
/// after that backslash. `None` if it is unknown or cut short.
pub(super) fn escape(after: &[u8]) -> Option<(DecodedChar, usize)> {
    let (&kind, digits) = after.split_first()?;
    let char = match kind {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(digits),
        _ => return None,
    };
    Some((DecodedChar::Char(char), 1))
}

/// `\uXXXX`, or two of them if they are a surrogate pair. A second one that does not belong to the
/// first is left for the next call.
fn unicode(digits: &[u8]) -> Option<(DecodedChar, usize)> {
    let first = four_digits(digits)?;
    let second = match first {
        0xd800..=0xdbff => {
            digits.get(4..).and_then(|rest| rest.strip_prefix(b"\\u")).and_then(four_digits)
        }
        _ => None,
    };
    Some(match char::decode_utf16([first].into_iter().chain(second)).next()? {
        Ok(char) if char.len_utf16() == 2 => (DecodedChar::Char(char), "uXXXX\\uXXXX".len()),
        Ok(char) => (DecodedChar::Char(char), "uXXXX".len()),
        Err(lone) => (DecodedChar::Lone(lone.unpaired_surrogate()), "uXXXX".len()),
    })
}

fn four_digits(bytes: &[u8]) -> Option<u16> {
    bytes.get(..4)?.iter().try_fold(0, |value, &byte| {
        let digit = char::from(byte).to_digit(16)?;
        Some(value << 4 | u16::try_from(digit).ok()?)
    })
}

/// The characters of a string whose escapes are known to be well-formed, from between its quotes.
pub(super) struct DecodedChars<'a>(Chars<'a>);

impl<'a> DecodedChars<'a> {
    pub(super) fn of(raw: &'a str) -> Self {
        Self(raw.chars())
    }
}

impl Iterator for DecodedChars<'_> {
    type Item = DecodedChar;

    fn next(&mut self) -> Option<DecodedChar> {
        let char = self.0.next()?;
        if char != '\\' {
            return Some(DecodedChar::Char(char));
        }
        let (decoded, length) = escape(self.0.as_str().as_bytes())?;
        // An escape sequence is ASCII, so that its bytes are its characters.
        self.0.nth(length - 1);
        Some(decoded)
    }
}
