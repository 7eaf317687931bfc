//! Writes what a file says as Markdown, and no more of it than is allowed.

use domain::document::ExtractionError;

use crate::document::{Document, Page};
use crate::limits::Limits;

/// Markdown that grows block by block.
#[derive(Debug)]
pub(super) struct Writer {
    text: String,
    last: Block,
    text_max: u64,
    pages_max: u32,
    pages: Vec<Page>,
    /// The page that began last, until there is text on it, and how many there were.
    new_page: Option<u32>,
    page: u32,
    /// How many characters and bytes were counted.
    counted: (u64, usize),
}

/// What the text ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Whole,
    Item,
    /// A table whose rows have so many cells.
    Table(usize),
}

impl Writer {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            text: String::new(),
            last: Block::Whole,
            text_max: limits.text_bytes,
            pages_max: limits.pages,
            pages: Vec::new(),
            new_page: None,
            page: 0,
            counted: (0, 0),
        }
    }

    /// Begins a page. One without text counts, but leaves no trace.
    pub(super) fn page(&mut self) -> Result<(), ExtractionError> {
        self.page += 1;
        self.new_page = Some(self.page);
        self.last = Block::Whole;
        if self.page > self.pages_max { Err(ExtractionError::TooLarge) } else { Ok(()) }
    }

    /// A heading of this level; those below the sixth are as the sixth.
    pub(super) fn heading(&mut self, level: u8, title: &str) -> Result<(), ExtractionError> {
        let title = one_line(title);
        if title.is_empty() {
            return Ok(());
        }
        let marks = "#".repeat(level.clamp(1, 6).into());
        self.block(Block::Whole, &format!("{marks} {title}"))
    }

    /// A paragraph, whose lines stay lines.
    pub(super) fn paragraph(&mut self, text: &str) -> Result<(), ExtractionError> {
        self.lines("", text)
    }

    /// A paragraph that is said beside the text.
    pub(super) fn aside(&mut self, text: &str) -> Result<(), ExtractionError> {
        self.lines("> ", text)
    }

    /// An item of a list that stands in so many others.
    pub(super) fn item(&mut self, depth: usize, text: &str) -> Result<(), ExtractionError> {
        let text = one_line(text);
        if text.is_empty() {
            return Ok(());
        }
        let indent = "  ".repeat(depth.min(8));
        self.block(Block::Item, &format!("{indent}- {text}"))
    }

    /// A row of a table; the first one is its head.
    pub(super) fn row(&mut self, cells: &[String]) -> Result<(), ExtractionError> {
        let width = match self.last {
            Block::Table(width) => width,
            Block::Whole | Block::Item => cells.len(),
        };
        let mut row = String::from("|");
        let missing = width.saturating_sub(cells.len());
        let none = std::iter::repeat_n(const { &String::new() }, missing);
        for cell in cells.iter().chain(none) {
            row.push(' ');
            row.push_str(&one_line(cell).replace('|', "\\|"));
            row.push_str(" |");
        }
        if !matches!(self.last, Block::Table(_)) {
            row.push_str("\n|");
            row.push_str(&" --- |".repeat(width));
        }
        self.block(Block::Table(width), &row)
    }

    /// Ends a table, so that the next row begins another.
    pub(super) fn end_table(&mut self) {
        self.last = Block::Whole;
    }

    /// What is Markdown already.
    pub(super) fn markdown(&mut self, text: &str) -> Result<(), ExtractionError> {
        let text = text.trim_end();
        let text = text.trim_start_matches(['\n', '\r']);
        if text.is_empty() { Ok(()) } else { self.block(Block::Whole, text) }
    }

    pub(super) fn finish(self) -> Document {
        Document { text: self.text, pages: self.pages, is_markdown: true }
    }

    fn lines(&mut self, before: &str, text: &str) -> Result<(), ExtractionError> {
        let mut block = String::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            block.push_str(if block.is_empty() { "" } else { "\n" });
            block.push_str(before);
            block.push_str(if means_more(line) { "\\" } else { "" });
            block.push_str(line);
        }
        if block.is_empty() { Ok(()) } else { self.block(Block::Whole, &block) }
    }

    fn block(&mut self, block: Block, text: &str) -> Result<(), ExtractionError> {
        let goes_on = block != Block::Whole && self.last == block;
        if !self.text.is_empty() {
            self.text.push_str(if goes_on { "\n" } else { "\n\n" });
        }
        if let Some(number) = self.new_page.take() {
            let (chars, bytes) = self.counted;
            let chars = chars + self.text.get(bytes..).unwrap_or_default().chars().count() as u64;
            self.counted = (chars, self.text.len());
            self.pages.push(Page { start: chars, number });
        }
        self.text.push_str(text);
        self.last = block;
        if self.text.len() as u64 > self.text_max { Err(ExtractionError::TooLarge) } else { Ok(()) }
    }
}

fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
    }
    line
}

/// Whether a line of plain text would be a heading, underline one, or begin code.
fn means_more(line: &str) -> bool {
    let is_all = |mark| line.chars().all(|char| char == mark);
    line.starts_with('#')
        || line.starts_with("```")
        || line.starts_with("~~~")
        || is_all('=')
        || is_all('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_parted_and_plain_text_stays_plain() {
        let mut writer = Writer::new(&Limits::default());
        let row = |cells: &[&str]| cells.iter().map(ToString::to_string).collect::<Vec<_>>();
        writer.heading(9, " A\nb ").unwrap();
        writer.paragraph("# one\n\n two \n---\n```").unwrap();
        writer.item(0, "x\ny").unwrap();
        writer.item(1, "z").unwrap();
        writer.item(1, " ").unwrap();
        writer.row(&row(&["a|b", "c\nd"])).unwrap();
        writer.row(&row(&["1"])).unwrap();
        writer.end_table();
        writer.row(&row(&["2"])).unwrap();
        writer.aside("said\nbeside").unwrap();
        let expected = "###### A b\n\n\\# one\ntwo\n\\---\n\\```\n\n- x y\n  - z\n\n\
            | a\\|b | c d |\n| --- | --- |\n| 1 |  |\n\n| 2 |\n| --- |\n\n> said\n> beside";
        assert_eq!(writer.finish().text, expected);
    }

    #[test]
    fn pages_begin_with_their_text() {
        let mut writer = Writer::new(&Limits { pages: 3, ..Limits::default() });
        for text in ["Ä", "", "c"] {
            writer.page().unwrap();
            writer.paragraph(text).unwrap();
        }
        assert_eq!(writer.page(), Err(ExtractionError::TooLarge));
        let document = writer.finish();
        assert_eq!(document.text, "Ä\n\nc");
        assert_eq!(document.pages, [Page { start: 0, number: 1 }, Page { start: 3, number: 3 }]);
    }

    #[test]
    fn text_is_bounded() {
        let mut writer = Writer::new(&Limits { text_bytes: 5, ..Limits::default() });
        assert_eq!(writer.paragraph("12345"), Ok(()));
        assert_eq!(writer.paragraph("6"), Err(ExtractionError::TooLarge));
    }
}
