//! The tokens of RFC 8259, read from the front of a text.

use super::escape::escape;

/// Where the text stops being JSON, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed {
    /// The offset in bytes.
    pub(super) at: usize,
    /// What is wrong, as the end of a sentence.
    pub(super) reason: &'static str,
}

/// A string that was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quoted<'a> {
    /// What stands between the quotes.
    pub(super) raw: &'a str,
    /// Whether it is free of U+0000 and of half surrogate pairs.
    pub(super) is_valid: bool,
}

/// The white space of RFC 8259, section 2.
pub(super) const fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// A text that is being read.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// How many bytes were read.
    pub(super) const fn at(&self) -> usize {
        self.at
    }

    /// The text from `start` to what was read last.
    pub(super) fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads this byte, if it is the next one.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let taken = self.peek() == Some(byte);
        self.at += usize::from(taken);
        taken
    }

    /// Reads the next byte, which the caller has peeked at.
    pub(super) fn skip(&mut self) {
        self.at += usize::from(self.peek().is_some());
    }

    pub(super) fn skip_whitespace(&mut self) {
        while self.peek().is_some_and(is_whitespace) {
            self.at += 1;
        }
    }

    /// The next byte is not what must stand here.
    pub(super) fn malformed(&self, reason: &'static str) -> Malformed {
        let reason = match self.peek() {
            Some(_) => reason,
            None => "it ends too early",
        };
        Malformed { at: self.at, reason }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// `true`, `false` or `null`.
    pub(super) fn literal(&mut self, literal: &'static str) -> Result<(), Malformed> {
        if !self.rest().starts_with(literal.as_bytes()) {
            return Err(self.malformed("expected a value"));
        }
        self.at += literal.len();
        Ok(())
    }

    /// A number (section 6); gives its text.
    pub(super) fn number(&mut self) -> Result<&'a str, Malformed> {
        let start = self.at;
        self.take(b'-');
        if self.take(b'0') {
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.malformed("a number can't have leading zeros"));
            }
        } else {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        Ok(self.since(start))
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Malformed> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.malformed("expected a digit"));
        }
        self.at += count;
        Ok(())
    }

    /// A string (section 7), from its first quote on.
    pub(super) fn string(&mut self) -> Result<Quoted<'a>, Malformed> {
        self.skip();
        let start = self.at;
        let mut is_valid = true;
        loop {
            self.at += plain(self.rest());
            match self.peek() {
                Some(b'"') => {
                    let raw = self.since(start);
                    self.at += 1;
                    return Ok(Quoted { raw, is_valid });
                }
                Some(b'\\') => {
                    let after = self.rest().get(1..).unwrap_or_default();
                    let (unit, length) = escape(after)
                        .ok_or_else(|| self.malformed("a string holds an unknown escape"))?;
                    is_valid &= unit.is_valid();
                    self.at += 1 + length;
                }
                _ => {
                    return Err(self.malformed("a control character in a string isn't escaped"));
                }
            }
        }
    }
}

/// How many bytes from the front are neither a quote nor a backslash nor a control character.
///
/// Eight at a time, by the test for a byte below a bound that "Bit Twiddling Hacks" (S. E. Anderson,
/// section "Determine if a word has a byte less than n") gives: a borrow may spoil bytes above the
/// first hit, but not below, and so the first one is always right.
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGHS: u64 = ONES << 7;
    const fn below(word: u64, bound: u8) -> u64 {
        word.wrapping_sub(ONES * bound as u64) & !word
    }

    let (words, tail) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = below(word ^ (ONES * b'"' as u64), 1);
        let backslash = below(word ^ (ONES * b'\\' as u64), 1);
        let hits = (below(word, b' ') | quote | backslash) & HIGHS;
        if hits != 0 {
            return index * size_of::<u64>() + hits.trailing_zeros() as usize / 8;
        }
    }
    let is_plain = |&&byte: &&u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    bytes.len() - tail.len() + tail.iter().take_while(is_plain).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_bytes_end_at_the_first_special_one() {
        for filler in [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xa2, 0xdc, 0xff] {
            for (byte, at) in (0..=0xff).flat_map(|byte| (0..20).map(move |at| (byte, at))) {
                let mut bytes = [filler; 20];
                bytes[at] = byte;
                let is_special = byte < 0x20 || byte == b'"' || byte == b'\\';
                assert_eq!(plain(&bytes), if is_special { at } else { 20 }, "{byte} {filler}");
                bytes[at..].fill(byte);
                assert_eq!(plain(&bytes), if is_special { at } else { 20 }, "{byte} {filler}");
            }
        }
    }
}
