//! Checks bodies in chunks strictly by RFC 9112, section 7.1.

use super::framing::BodyProgress;

/// Most bytes of chunk extensions and trailers in one body. Both are ignored, so no client needs more.
const IGNORED_BYTES: usize = 16 << 10;
/// Digits of the size of a chunk: no chunk is larger than 2^60 bytes.
const DIGITS: u8 = 15;

/// Chunks that are checked as they come in.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chunks {
    state: ChunkState,
    /// Bytes of extensions and trailers up to here.
    ignored: usize,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChunkState {
    /// A chunk size; its value and number of digits up to here.
    Size {
        size: u64,
        digits: u8,
    },
    /// White space behind the size.
    AfterSize {
        size: u64,
    },
    /// An extension.
    Extension {
        size: u64,
    },
    /// The LF behind the size.
    SizeEnd {
        size: u64,
    },
    /// The data of a chunk; the number of bytes left.
    Data(u64),
    /// The CR and the LF behind the chunk.
    DataCr,
    DataLf,
    /// The beginning of a line behind the last chunk.
    TrailerStart,
    /// The rest of such a line, and the LF behind it.
    Trailer,
    TrailerLf,
    /// The LF of the empty line.
    End,
    Complete,
}

impl Default for ChunkState {
    fn default() -> Self {
        Self::Size { size: 0, digits: 0 }
    }
}

impl Chunks {
    /// How many of these bytes belong to the body, and how far it has come with them.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> (usize, BodyProgress) {
        let mut rest = bytes;
        while self.state != ChunkState::Complete {
            if let ChunkState::Data(left) = self.state {
                let count = usize::try_from(left).map_or(rest.len(), |left| left.min(rest.len()));
                rest = rest.get(count..).unwrap_or_default();
                let left = left - count as u64;
                self.state = if left == 0 { ChunkState::DataCr } else { ChunkState::Data(left) };
                if left > 0 {
                    break;
                }
            }
            let [byte, behind @ ..] = rest else { break };
            match self.step(*byte) {
                Ok(state) => self.state = state,
                Err(fault) => return (bytes.len() - rest.len(), BodyProgress::Broken(fault)),
            }
            rest = behind;
        }
        let is_complete = self.state == ChunkState::Complete;
        let progress = if is_complete { BodyProgress::Complete } else { BodyProgress::More };
        (bytes.len() - rest.len(), progress)
    }

    /// What comes after this byte, which belongs to no chunk's data.
    fn step(&mut self, byte: u8) -> Result<ChunkState, &'static str> {
        use ChunkState::{
            AfterSize, Complete, Data, DataCr, DataLf, End, Extension, Size, SizeEnd, Trailer,
            TrailerLf, TrailerStart,
        };
        Ok(match (self.state, byte) {
            (Size { digits, .. }, _) if digits > DIGITS => return Err("a chunk is too large"),
            (Size { size, digits }, _) if byte.is_ascii_hexdigit() => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                Size { size: (size << 4) | u64::from(digit), digits: digits + 1 }
            }
            (Size { digits: 0, .. }, _) => return Err("a chunk does not begin with its size"),
            (Size { size, .. } | AfterSize { size } | Extension { size }, b'\r') => {
                SizeEnd { size }
            }
            (Size { size, .. } | AfterSize { size }, b' ' | b'\t') => {
                self.ignore(AfterSize { size })?
            }
            (Size { size, .. } | AfterSize { size }, b';') => self.ignore(Extension { size })?,
            (Extension { size }, _) if is_text(byte) => self.ignore(Extension { size })?,
            (SizeEnd { size: 0 }, b'\n') => TrailerStart,
            (SizeEnd { size }, b'\n') => Data(size),
            (DataCr, b'\r') => DataLf,
            (DataLf, b'\n') => Size { size: 0, digits: 0 },
            (DataCr | DataLf, _) => return Err("a chunk is longer than its size"),
            (TrailerStart, b'\r') => End,
            (Trailer, b'\r') => TrailerLf,
            (TrailerLf, b'\n') => TrailerStart,
            (TrailerStart | Trailer, _) if is_text(byte) => self.ignore(Trailer)?,
            (End, b'\n') => Complete,
            (Size { .. } | AfterSize { .. }, _) => return Err("the size of a chunk is malformed"),
            (Extension { .. } | SizeEnd { .. }, _) => {
                return Err("the line of a chunk's size is malformed");
            }
            (TrailerStart | Trailer | TrailerLf | End, _) => return Err("a trailer is malformed"),
            (Data(_) | Complete, _) => self.state,
        })
    }

    /// Counts one more ignored byte, and goes on to this state.
    fn ignore(&mut self, state: ChunkState) -> Result<ChunkState, &'static str> {
        self.ignored += 1;
        if self.ignored > IGNORED_BYTES {
            Err("its chunks have too much beside their data")
        } else {
            Ok(state)
        }
    }
}

/// Whether this byte may stand in an extension or a trailer.
fn is_text(byte: u8) -> bool {
    byte == b'\t' || (byte >= b' ' && byte != 0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn advance(bytes: &str) -> (usize, BodyProgress) {
        let whole = Chunks::default().advance(bytes.as_bytes());
        let (mut chunks, mut count, mut progress) = (Chunks::default(), 0, BodyProgress::More);
        for byte in bytes.as_bytes() {
            if progress == BodyProgress::More {
                let (passed, now) = chunks.advance(std::slice::from_ref(byte));
                (count, progress) = (count + passed, now);
            }
        }
        assert_eq!((count, progress), whole, "{bytes:?} byte by byte");
        whole
    }

    #[test]
    fn chunks_end_behind_the_last_one() {
        for body in [
            "0\r\n\r\n",
            "5\r\nhello\r\n0\r\n\r\n",
            "5\r\nhello\r\n1\r\n!\r\n000\r\n\r\n",
            "a\r\n0123456789\r\nA;b=\"c;\"\r\n0123456789\r\n0\r\n\r\n",
            "1 \t\r\n\n\r\n0 ; a\r\nX: y\r\nZ:\r\n\r\n",
        ] {
            let count = body.len();
            assert_eq!(advance(body), (count, BodyProgress::Complete), "{body:?}");
            assert_eq!(advance(&format!("{body}GET")), (count, BodyProgress::Complete), "{body:?}");
            for end in 0..count {
                let part = body.get(..end).unwrap();
                assert_eq!(advance(part), (end, BodyProgress::More), "{part:?}");
            }
        }
    }

    #[test]
    fn what_is_wrong_breaks_the_body_where_it_is() {
        for (body, count) in [
            ("zz\r\n", 0),
            ("\r\n", 0),
            (";a\r\n", 0),
            ("-1\r\n", 0),
            ("5 5\r\n", 2),
            ("5\nhello\r\n", 1),
            ("5\r\rhello", 2),
            ("5;a\nhello", 3),
            ("5;\u{1}", 2),
            ("3\r\nhello\r\n", 6),
            ("5\r\nhello\n", 8),
            ("5\r\nhello\r0", 9),
            ("5\r\nhello\r\nzz", 10),
            ("0\r\n\n", 3),
            ("0\r\nX: y\n", 7),
            ("0\r\n\r\r", 4),
            ("1000000000000000f\r\n", 16),
        ] {
            let (passed, progress) = advance(body);
            assert!(matches!(progress, BodyProgress::Broken(_)), "{body:?}");
            assert_eq!(passed, count, "{body:?}");
        }
        assert_eq!(advance("fffffffffffffff\r\na"), (18, BodyProgress::More));
    }

    #[test]
    fn what_is_ignored_is_bounded() {
        let long = "x".repeat(1 << 20);
        let many = "1;xxxxxxx\r\na\r\n".repeat(IGNORED_BYTES / 8);
        for (body, is_broken) in [
            (format!("5;{long}\r\nhello\r\n0\r\n\r\n"), true),
            (format!("5{}\r\nhello", " ".repeat(IGNORED_BYTES + 1)), true),
            (format!("0\r\n{long}\r\n\r\n"), true),
            (format!("{many}0\r\n\r\n"), false),
            (format!("{many}1;\r\n"), true),
        ] {
            let (_, progress) = Chunks::default().advance(body.as_bytes());
            assert_eq!(matches!(progress, BodyProgress::Broken(_)), is_broken);
        }
    }
}
