//! How far a backup is: a bar on a terminal, and nothing at all where standard error is no terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const BYTES: &str = "{msg} {bar:40} {bytes} of {total_bytes}";
const ROWS: &str = "{msg} {bar:40} {pos} of {len} rows";
const SPINNER: &str = "{msg} {spinner} {elapsed}";

/// The bar, which goes when this is dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Nothing is shown yet.
    pub fn begin() -> Self {
        // It draws nothing where standard error is no terminal.
        Self(ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()))
    }

    /// Files of so many bytes come next.
    pub fn files(&self, what: &'static str, bytes: u64) {
        self.0.disable_steady_tick();
        self.0.reset();
        self.0.set_length(bytes);
        self.0.set_message(what);
        self.0.set_style(style(BYTES));
    }

    /// A file of so many bytes is done.
    pub fn file(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    /// The database comes next.
    pub fn database(&self) {
        self.0.reset();
        self.0.set_message("database");
        self.0.set_style(style(SPINNER));
        self.0.enable_steady_tick(Duration::from_millis(100));
    }

    /// So many rows of the database are done.
    pub fn rows(&self, done: u64, total: u64) {
        if self.0.length() != Some(total) {
            self.0.set_length(total);
            self.0.set_style(style(ROWS));
        }
        self.0.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The bar looks plain where the template is none.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
