//! How far an import is: a bar on a terminal, and nothing at all where standard error is no terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar, which goes when this is dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Nothing is shown yet.
    pub fn begin() -> Self {
        // It draws nothing where standard error is no terminal.
        Self(ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()))
    }

    /// A file of so many bytes is being read, or one whose size is not known.
    pub fn reading(&self, size: Option<u64>) {
        if let Some(size) = size {
            self.0.set_length(size);
        }
        self.0.set_style(style(match size {
            Some(_) => "reading {bar:40} {bytes} of {total_bytes}",
            None => "reading {spinner} {bytes}",
        }));
    }

    /// So many bytes were read so far.
    pub fn read(&self, bytes: u64) {
        self.0.set_position(bytes);
    }

    /// All was read, and so many lines are being stored. They are stored at once, so there is nothing
    /// to count.
    pub fn storing(&self, lines: usize) {
        self.0.set_style(style("storing {spinner} {msg} lines"));
        self.0.set_message(lines.to_string());
        self.0.enable_steady_tick(Duration::from_millis(100));
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
