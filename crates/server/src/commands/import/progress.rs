//! How far an import is.

use crate::terminal_bar::TerminalBar;

/// What an import shows of itself.
pub struct Progress(TerminalBar);

impl Progress {
    /// Nothing is shown yet.
    pub fn begin() -> Self {
        Self(TerminalBar::begin())
    }

    /// A file of so many bytes is being read, or one whose size is not known.
    pub fn reading(&self, size: Option<u64>) {
        if let Some(size) = size {
            self.0.set_length(size);
        }
        self.0.show(match size {
            Some(_) => "reading {bar:40} {bytes} of {total_bytes}",
            None => "reading {spinner} {bytes}",
        });
    }

    /// So many bytes were read so far.
    pub fn read(&self, bytes: u64) {
        self.0.set_position(bytes);
    }

    /// All was read, and so many lines are being stored, of which some were before.
    pub fn storing(&self, lines: u64, stored: u64) {
        self.0.set_length(lines);
        self.0.set_position(stored);
        self.0.show("storing {bar:40} {pos} of {len} lines");
    }

    /// So many lines were stored so far.
    pub fn stored(&self, lines: u64) {
        self.0.set_position(lines);
    }
}
