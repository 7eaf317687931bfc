//! The lines of YAML, read as text: comments stay where they are, and what is not quite YAML does no harm.

use super::found::{LineMatch, Rank};

/// Reads lines of YAML. Each key of the outermost mapping begins a chunk, with the comments above it.
#[derive(Debug, Default)]
pub(super) struct Yaml {
    /// Where comments began that stand above the next line, or what begins a document.
    above: Option<Above>,
}

#[derive(Debug, Clone, Copy)]
enum Above {
    Comments(usize),
    /// `---`, and perhaps comments.
    Document,
}

impl Yaml {
    pub(super) fn read(&mut self, at: usize, line: &str, found: &mut LineMatch) {
        let line = line.trim_end();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let content = line.trim_start();
        if content.is_empty() {
            // What stands above an empty line belongs to nothing below, unless it begins a document.
            if let Some(Above::Comments(_)) = self.above {
                self.above = None;
            }
            return;
        }
        let is_outermost = indent == 0 && content.len() == line.len();
        if is_outermost && (content == "---" || content.starts_with("--- ")) {
            found.line(at, Rank::MUST);
            self.above = Some(Above::Document);
            return;
        }
        // What stands above a line is not parted from it.
        let rank = if self.above.is_some() { Rank::LINE } else { Rank::of_indent(indent) };
        found.line(at, rank);
        if is_outermost && content.starts_with(['#', '%']) {
            self.above = self.above.or(Some(Above::Comments(at)));
            return;
        }
        let above = self.above.take();
        if is_outermost && is_key(content) {
            match above {
                None => found.raise(at, Rank::MUST),
                Some(Above::Comments(start)) => found.raise(start, Rank::MUST),
                Some(Above::Document) => {}
            }
        }
    }
}

fn is_key(content: &str) -> bool {
    let is_other =
        content.starts_with("- ") || content == "-" || content.starts_with(['{', '}', '[', ']']);
    !is_other && (content.ends_with(':') || content.contains(": "))
}
