//! How far a long command is: a bar on a terminal.

use std::ops::Deref;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on a terminal, and nothing at all where standard error is no terminal. It goes when this is dropped.
pub struct TerminalBar(ProgressBar);

impl TerminalBar {
    /// Nothing is shown yet.
    pub fn begin() -> Self {
        Self(ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()))
    }

    /// What is shown from now on, as a template of indicatif.
    pub fn show(&self, template: &str) {
        // The bar looks plain where the template is none.
        let style = ProgressStyle::with_template(template);
        self.0.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    }
}

impl Deref for TerminalBar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for TerminalBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
