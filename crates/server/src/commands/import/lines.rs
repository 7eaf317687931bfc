//! A file taken apart into its lines, one at a time, and no more of them in memory than is looked at.

use std::io::{self, BufRead, Read as _};

/// The lines of a file.
pub struct Lines<R> {
    input: R,
    longest: usize,
    buffer: Vec<u8>,
    read: u64,
}

impl<R: BufRead> Lines<R> {
    /// From here to the end. Of lines with more than `longest` bytes only so much is kept that they
    /// are seen to be too long.
    pub const fn new(input: R, longest: usize) -> Self {
        Self { input, longest, buffer: Vec::new(), read: 0 }
    }

    /// The next line, without what ends it: LF, CRLF or, for the last one, the end of the file.
    /// `None` after that.
    ///
    /// # Errors
    /// If the file can't be read.
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.buffer.clear();
        // One byte too many, and what ends the line.
        let most = self.longest as u64 + 3;
        let count = self.input.by_ref().take(most).read_until(b'\n', &mut self.buffer)?;
        if count == 0 {
            return Ok(None);
        }
        self.read += count as u64;
        let whole = self.buffer.strip_suffix(b"\n");
        if whole.is_none() && count as u64 == most {
            self.read += self.input.skip_until(b'\n')? as u64;
        }
        let line = whole.unwrap_or(&self.buffer);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// How many bytes were read so far.
    pub const fn bytes_read(&self) -> u64 {
        self.read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a text, and the bytes read.
    fn lines(text: &str, longest: usize) -> (Vec<String>, u64) {
        let mut lines = Lines::new(text.as_bytes(), longest);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(String::from_utf8(line.to_vec()).unwrap());
        }
        (found, lines.bytes_read())
    }

    #[test]
    fn a_line_ends_with_lf_or_crlf_or_the_file() {
        for (text, expected) in [
            ("", &[][..]),
            ("\n", &[""]),
            ("a", &["a"]),
            ("a\n", &["a"]),
            ("a\r\n", &["a"]),
            ("a\r", &["a"]),
            ("a\r\r\n", &["a\r"]),
            ("a\n\nb", &["a", "", "b"]),
            ("a\r\n\r\nb\r\n", &["a", "", "b"]),
            ("a\rb\n", &["a\rb"]),
        ] {
            let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
            assert_eq!(lines(text, 8), (expected, text.len() as u64), "{text:?}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_next_one_is_whole() {
        for end in ["\n", "\r\n"] {
            // Without any length the last line would be none.
            for length in 1..30 {
                let line = "x".repeat(length);
                let text = format!("{line}{end}{line}{end}next{end}{line}");
                let (found, read) = lines(&text, 8);
                assert_eq!((found.len(), read), (4, text.len() as u64), "{length}");
                assert_eq!(found[2], "next");
                for (found, is_last) in [(&found[0], false), (&found[1], false), (&found[3], true)]
                {
                    let expected = if length <= 8 { length } else { found.len() };
                    assert_eq!(found.len(), expected, "{length} {is_last}");
                    assert_eq!(found.len() > 8, length > 8, "{length}");
                    assert!(line.starts_with(found.as_str()), "{length}");
                }
            }
        }
    }
}
