//! Copying the rows of one bot to another bit by bit.

use uuid::Uuid;

/// How far the copying of one table is, and how much more this unit of work copies.
#[derive(Debug)]
pub struct CopyStep {
    /// The last row that was copied.
    after: Option<Uuid>,
    /// How many more bytes this unit copies.
    remaining: u64,
    is_empty: bool,
}

impl CopyStep {
    /// A step that goes on after this row, and copies so many bytes.
    #[must_use]
    pub const fn new(after: Option<Uuid>, bytes: u64) -> Self {
        Self { after, remaining: bytes, is_empty: true }
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

    /// Whether a row of `bytes` bytes is within what the unit copies; if so, it is subtracted. The first row of a
    /// step always is, so that every step makes progress.
    pub const fn try_spend(&mut self, bytes: u64) -> bool {
        let is_within = self.is_empty || bytes <= self.remaining;
        if is_within {
            self.is_empty = false;
            self.remaining = self.remaining.saturating_sub(bytes);
        }
        is_within
    }

    /// Remembers the last row that was copied; `None` at the end of a table.
    pub const fn set_after(&mut self, row: Option<Uuid>) {
        self.after = row;
    }
}
