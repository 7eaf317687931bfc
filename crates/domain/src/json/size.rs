//! How long the JSON of a value is, and parts of it, without making all of it.

use std::io;

use serde::Serialize;

/// Whether the JSON of a value takes at most so many bytes. No more of it than that is written to find out.
pub(crate) fn takes_at_most(bytes: usize, value: &impl Serialize) -> bool {
    serde_json::to_writer(Size { room: bytes }, value).is_ok()
}

/// How many bytes the JSON of a value takes.
pub(crate) fn size_of(value: &impl Serialize) -> usize {
    let mut size = Size { room: usize::MAX };
    // It never fails.
    let _ = serde_json::to_writer(&mut size, value);
    usize::MAX - size.room
}

/// A writer that keeps nothing and fails when more comes than it has room for.
struct Size {
    room: usize,
}

impl io::Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.room.checked_sub(bytes.len());
        self.room = room.ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A part of the JSON of a value: what comes after the first `from` bytes, at most so many, in whole characters. Empty
/// if there is no more. What comes before is not kept, and what comes after not written.
pub(crate) fn part_of(value: &impl Serialize, from: usize, most: usize) -> String {
    let mut part = Part { before: from, room: most, bytes: Vec::new() };
    // It fails when it is full.
    let _ = serde_json::to_writer(&mut part, value);
    String::from_utf8(part.bytes).unwrap_or_else(|error| {
        let whole = error.utf8_error().valid_up_to();
        let mut bytes = error.into_bytes();
        bytes.truncate(whole);
        String::from_utf8(bytes).unwrap_or_default()
    })
}

/// A writer that keeps a part of what comes, and fails when it has that.
struct Part {
    /// Bytes that are still to come before it.
    before: usize,
    room: usize,
    bytes: Vec<u8>,
}

impl io::Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (skipped, rest) = bytes.split_at(self.before.min(bytes.len()));
        self.before -= skipped.len();
        let (kept, over) = rest.split_at(self.room.min(rest.len()));
        self.bytes.extend_from_slice(kept);
        self.room -= kept.len();
        if over.is_empty() { Ok(bytes.len()) } else { Err(io::ErrorKind::FileTooLarge.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_value_are_its_text() {
        let value =
            serde_json::json!({"a": "€uro".repeat(5), "b": [1, true, null, "x\n"], "c": 1.5});
        let text = value.to_string();
        for most in 3..=text.len() + 1 {
            let mut parts = String::new();
            loop {
                let part = part_of(&value, parts.len(), most);
                assert!(part.len() <= most && part.len() + 2 >= most.min(text.len() - parts.len()));
                if part.is_empty() {
                    break;
                }
                parts.push_str(&part);
            }
            assert_eq!(parts, text);
        }
    }
}
