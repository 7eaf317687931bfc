//! How long the JSON of a value is, without making it.

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
