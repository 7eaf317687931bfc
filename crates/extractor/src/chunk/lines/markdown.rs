//! The lines of Markdown: headings, and what only looks like one.

use super::found::{Heading, LineMatch, Rank};

/// How many characters of a heading are kept.
const TITLE_MAX: usize = 200;
/// How many bytes a block of fields at the beginning of a text has at most.
const FRONT_MAX: usize = 16 << 10;

/// Reads lines of Markdown (CommonMark 0.31).
#[derive(Debug)]
pub(super) struct Markdown {
    /// Whether a heading is a better place for a break than a paragraph.
    ranks_headings: bool,
    /// Where a block of fields at the beginning of the text ends.
    front_end: usize,
    fence: Option<Fence>,
    is_after_blank: bool,
    /// Where the paragraph began that the next line may underline.
    paragraph: Option<usize>,
}

/// What a block of code is closed with: at least so many of this mark.
#[derive(Debug, Clone, Copy)]
struct Fence {
    mark: char,
    count: usize,
}

impl Markdown {
    pub(super) fn new(text: &str, ranks_headings: bool) -> Self {
        Self {
            ranks_headings,
            front_end: front(text).unwrap_or(0),
            fence: None,
            is_after_blank: false,
            paragraph: None,
        }
    }

    pub(super) fn read(&mut self, text: &str, at: usize, line: &str, found: &mut LineMatch) {
        if at < self.front_end {
            found.line(at, Rank::LINE);
            return;
        }
        let line = line.trim_end();
        if line.is_empty() {
            self.is_after_blank = true;
            self.paragraph = None;
            return;
        }
        let is_after_blank = std::mem::take(&mut self.is_after_blank);
        if let Some(fence) = self.fence {
            found.line(at, Rank::LINE);
            if fence.is_closed_by(line) {
                self.fence = None;
            }
            return;
        }
        let rank = if is_after_blank { Rank::PARAGRAPH } else { Rank::LINE };
        found.line(at, rank);
        let Some(content) = unindented(line) else {
            return;
        };
        self.fence = Fence::opened_by(content);
        if let Some((level, title)) = heading(content) {
            self.paragraph = None;
            self.found(at, level, title, found);
        } else if let Some((level, start)) = underline(content).zip(self.paragraph) {
            self.paragraph = None;
            self.found(start, level, text.get(start..at).unwrap_or_default(), found);
        } else if self.fence.is_some() || begins_other_block(content) {
            self.paragraph = None;
        } else {
            self.paragraph = self.paragraph.or(Some(at));
        }
    }

    fn found(&self, at: usize, level: u8, title: &str, found: &mut LineMatch) {
        if self.ranks_headings {
            found.raise(at, Rank::of_heading(level));
        }
        let words = title.split_whitespace();
        let mut title = String::new();
        for char in words.flat_map(|word| [" ", word]).flat_map(str::chars).skip(1).take(TITLE_MAX)
        {
            title.push(char);
        }
        if !title.is_empty() {
            found.headings.push_back(Heading { at, level, title });
        }
    }
}

impl Fence {
    fn opened_by(content: &str) -> Option<Self> {
        let mark = content.chars().next().filter(|char| ['`', '~'].contains(char))?;
        let after = content.trim_start_matches(mark);
        let count = content.len() - after.len();
        // Backticks after backticks are code within a line.
        (count >= 3 && (mark == '~' || !after.contains('`'))).then_some(Self { mark, count })
    }

    fn is_closed_by(self, line: &str) -> bool {
        let content = unindented(line).unwrap_or_default();
        content.len() >= self.count && content.chars().all(|char| char == self.mark)
    }
}

/// A line without the blanks before it; `None` if there are so many that it is code.
fn unindented(line: &str) -> Option<&str> {
    let content = line.trim_start_matches(' ');
    (line.len() - content.len() <= 3 && !content.starts_with('\t')).then_some(content)
}

/// The level and the title of a heading with `#` before it.
fn heading(content: &str) -> Option<(u8, &str)> {
    let title = content.trim_start_matches('#');
    let level = u8::try_from(content.len() - title.len()).ok()?;
    if !(1..=6).contains(&level) || !(title.is_empty() || title.starts_with([' ', '\t'])) {
        return None;
    }
    let bare = title.trim_end_matches('#');
    let title = if bare.ends_with([' ', '\t']) || bare.is_empty() { bare } else { title };
    Some((level, title.trim()))
}

/// The level of the heading that this line underlines.
fn underline(content: &str) -> Option<u8> {
    let is_all = |mark| content.chars().all(|char| char == mark);
    if is_all('=') { Some(1) } else { is_all('-').then_some(2) }
}

/// Whether a line begins what is no paragraph: a list, a quotation, a table.
fn begins_other_block(content: &str) -> bool {
    let after_number = content.trim_start_matches(|char: char| char.is_ascii_digit());
    let is_numbered = after_number.len() < content.len() && after_number.starts_with(['.', ')']);
    let is_item = ["- ", "* ", "+ "].iter().any(|mark| content.starts_with(mark));
    is_numbered || is_item || content.starts_with(['>', '|'])
}

/// Where a block of fields between lines of `---` ends, with which a text may begin.
fn front(text: &str) -> Option<usize> {
    let mut end = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let line_end = end + line.len();
        match (index, line.trim_end()) {
            (0, "---") => {}
            (0, _) | (1, "") => return None,
            (_, "---" | "...") => return Some(line_end),
            _ if line_end > FRONT_MAX => return None,
            _ => {}
        }
        end = line_end;
    }
    None
}
