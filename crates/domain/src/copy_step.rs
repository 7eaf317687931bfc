//! Copying the rows of one bot to another bit by bit.

use uuid::Uuid;

/// How far the copying of one table is, and how much more this unit of work copies.
#[derive(Debug)]
pub struct CopyStep {
    /// The last row that was copied.
    after: Option<Uuid>,
    /// Bytes that still fit into this unit.
    room: u64,
    is_empty: bool,
}

impl CopyStep {
    /// A step that goes on after this row, and copies so many bytes.
    #[must_use]
    pub const fn new(after: Option<Uuid>, bytes: u64) -> Self {
        Self { after, room: bytes, is_empty: true }
    }

    /// A step that copies everything.
    #[must_use]
    pub const fn whole() -> Self {
        Self::new(None, u64::MAX)
    }

    /// The row after which the next one comes, of the table that is being copied.
    #[must_use]
    pub const fn after(&self) -> Option<Uuid> {
        self.after
    }

    /// Takes the room for a row of so many bytes. The first row of a step always has room, so that every
    /// step comes further.
    pub const fn take_room(&mut self, bytes: u64) -> bool {
        let has_room = self.is_empty || bytes <= self.room;
        if has_room {
            self.is_empty = false;
            self.room = self.room.saturating_sub(bytes);
        }
        has_room
    }

    /// Remembers the last row that was copied; `None` at the end of a table.
    pub const fn set_after(&mut self, row: Option<Uuid>) {
        self.after = row;
    }
}
