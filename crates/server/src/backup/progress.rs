//! How far a backup is.

use std::time::Duration;

use crate::terminal_bar::TerminalBar;

const BYTES: &str = "{msg} {bar:40} {bytes} of {total_bytes}";
const ROWS: &str = "{msg} {bar:40} {pos} of {len} rows";
const SPINNER: &str = "{msg} {spinner} {elapsed}";

/// What a backup or a restore shows of itself.
pub struct Progress(TerminalBar);

impl Progress {
    /// Nothing is shown yet.
    pub fn begin() -> Self {
        Self(TerminalBar::begin())
    }

    /// Files of so many bytes come next.
    pub fn files(&self, what: &'static str, bytes: u64) {
        self.0.disable_steady_tick();
        self.0.reset();
        self.0.set_length(bytes);
        self.0.set_message(what);
        self.0.show(BYTES);
    }

    /// A file of so many bytes is done.
    pub fn file(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    /// The database comes next.
    pub fn database(&self) {
        self.0.reset();
        self.0.set_message("database");
        self.0.show(SPINNER);
        self.0.enable_steady_tick(Duration::from_millis(100));
    }

    /// So many rows of the database are done.
    pub fn rows(&self, done: u64, total: u64) {
        if self.0.length() != Some(total) {
            self.0.set_length(total);
            self.0.show(ROWS);
        }
        self.0.set_position(done);
    }
}
