//! How far an import is.

use std::time::Duration;

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

    /// All was read, and so many lines are being stored. They are stored at once, so there is nothing
    /// to count.
    pub fn storing(&self, lines: usize) {
        self.0.show("storing {spinner} {msg} lines");
        self.0.set_message(lines.to_string());
        self.0.enable_steady_tick(Duration::from_millis(100));
    }
}
