//! From content to Markdown: CommonMark, with the tables and the struck text of GitHub.
//!
//! Libraries that do this begin with HTML. They would read again what was read already, with other ideas
//! of what broken HTML means, and that alone takes several times as long as all of this.

mod containers;
mod escape;
mod line;
mod table;

use domain::crawl::CrawlUrl;
use url::Url;

use super::content::{Block, Content, Event, Style};
use containers::Containers;
use escape::TextPosition;
use line::Line;
use table::{Cell, Row, Table};

/// Writes the content of a page.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    content: &'a Content,
    base: Option<&'a CrawlUrl>,
    /// About how many bytes it may write.
    most: usize,
    out: String,
    line: Line,
    containers: Containers,
    /// The blocks that are open, with how many containers there were before them.
    open: Vec<(OpenBlock, usize)>,
    heading: Option<u8>,
    /// The code that is being read, and its language.
    code: Option<(String, &'a str)>,
    table: Option<Table>,
    /// Whether a term was written that the next paragraph says the meaning of.
    has_term: bool,
    link: Link,
}

/// A block that is open.
#[derive(Debug)]
enum OpenBlock {
    /// It is done once its containers are.
    Plain,
    Heading,
    Code,
    Term,
    Table,
    Cell {
        is_header: bool,
        columns: u16,
        rows: u16,
    },
    /// A part of a table's cell, or of code, that can't be a block of its own there.
    Flat,
    FlatCode,
}

/// The link that was looked at last.
#[derive(Debug, Default)]
struct Link {
    number: u32,
    /// Where it leads; `None` if it is not written.
    address: Option<String>,
    /// Whether it is in the paragraph that is being read.
    is_here: bool,
}

impl<'a> Writer<'a> {
    /// Writes about so many bytes at most, with addresses resolved against that of the page if it has one.
    pub(super) fn new(content: &'a Content, base: Option<&'a CrawlUrl>, most: usize) -> Self {
        Self {
            content,
            base,
            most,
            out: String::new(),
            line: Line::default(),
            containers: Containers::default(),
            open: Vec::new(),
            heading: None,
            code: None,
            table: None,
            has_term: false,
            link: Link::default(),
        }
    }

    /// Writes these events, which are in balance.
    pub(super) fn write(&mut self, events: &[Event]) {
        for event in events {
            if self.out.len() > self.most {
                return;
            }
            self.event(event);
        }
        self.end_paragraph();
    }

    /// What was written.
    pub(super) fn finish(mut self) -> String {
        self.out.truncate(self.out.trim_end().len());
        self.out
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Open(block) => self.begin(block),
            Event::Close => self.end(),
            Event::Text(style, span) => self.text(*style, self.content.text(span)),
            Event::Image { alt, source } => {
                self.image(self.content.text(alt), self.content.note(source));
            }
            Event::Edge => self.edge(),
            Event::Break => match &mut self.code {
                Some((code, _)) => code.push('\n'),
                None if self.line.is_at_break() && self.table.is_none() => self.edge(),
                None => self.line.line_break(),
            },
            Event::Rule if self.code.is_none() && self.table.is_none() => {
                self.end_paragraph();
                self.block("---");
            }
            Event::Rule => self.edge(),
            Event::Nothing => {}
        }
    }

    fn text(&mut self, mut style: Style, text: &str) {
        if let Some((code, _)) = &mut self.code {
            return code.push_str(text);
        }
        style.code |= self.open.iter().any(|(open, _)| matches!(open, OpenBlock::FlatCode));
        if self.heading.is_some() {
            style.bold = false;
        }
        // A sign that leads to where it stands, or back from there.
        if style.link > 0
            && (self.heading.is_some() || self.content.address(style.link).starts_with('#'))
            && !text.contains(char::is_alphanumeric)
        {
            return;
        }
        self.look_at_link(style.link);
        match &self.link.address {
            Some(address) if style.link > 0 => {
                self.link.is_here |= !text.trim().is_empty();
                self.line.text(text, style, address);
            }
            _ => self.line.text(text, Style { link: 0, ..style }, ""),
        }
    }

    fn look_at_link(&mut self, number: u32) {
        if number == 0 || number == self.link.number {
            return;
        }
        let has_room = self.out.len() + self.line.len() < self.most;
        let address = self.content.address(number);
        let address = if has_room { self.resolve(address) } else { None };
        self.link = Link { number, address, is_here: false };
    }

    /// Where an address leads, wherever it is read; `None` if to this page or to nothing.
    fn resolve(&self, address: &str) -> Option<String> {
        // The second condition finds addresses that swallowed markup, because their end is missing.
        if address.starts_with('#') || address.contains(['<', '>', '"']) {
            return None;
        }
        let url = Url::options().base_url(self.base.map(CrawlUrl::url)).parse(address).ok()?;
        ["http", "https", "mailto", "tel"].contains(&url.scheme()).then(|| url.into())
    }

    fn image(&mut self, alt: &str, source: &str) {
        let has_room = self.out.len() + self.line.len() < self.most;
        let source = if source.is_empty() || !has_room { None } else { self.resolve(source) };
        match source {
            Some(source) if self.heading.is_none() && self.code.is_none() => {
                self.line.image(alt, &source);
            }
            _ => self.text(Style::default(), alt),
        }
    }

    fn begin(&mut self, block: &Block) {
        let containers = self.containers.len();
        let open = if self.code.is_some() {
            self.edge();
            OpenBlock::Flat
        } else if self.table.is_some() {
            self.begin_in_table(block)
        } else {
            self.end_paragraph();
            self.begin_block(block)
        };
        self.open.push((open, containers));
    }

    fn begin_block(&mut self, block: &Block) -> OpenBlock {
        match block {
            Block::Heading(level) => {
                self.heading = Some(*level);
                self.line.place = TextPosition::Heading;
                return OpenBlock::Heading;
            }
            Block::Code(language) => {
                self.code = Some((String::new(), self.content.note(language)));
                return OpenBlock::Code;
            }
            Block::Table { is_data: true } => {
                self.table = Some(Table::default());
                self.line.place = TextPosition::Cell;
                return OpenBlock::Table;
            }
            Block::Term => {
                self.has_term = false;
                if self.containers.term(false) {
                    return OpenBlock::Term;
                }
            }
            Block::Definition => {
                self.containers.term(true);
            }
            Block::Quote => self.containers.quote(),
            Block::List(first) => self.containers.list(*first, false),
            Block::Definitions => self.containers.list(None, true),
            Block::Item(number) => self.containers.item(*number),
            Block::Table { .. } | Block::Row { .. } | Block::Cell { .. } | Block::Caption => {}
        }
        OpenBlock::Plain
    }

    fn begin_in_table(&mut self, block: &Block) -> OpenBlock {
        let Some(table) = &mut self.table else {
            return OpenBlock::Flat;
        };
        match block {
            Block::Row { is_head } => {
                table.rows.push(Row { is_head: *is_head, ..Row::default() });
            }
            Block::Cell { is_header, columns, rows } => {
                if !self.line.is_empty() {
                    table.caption.push(self.line.finish());
                }
                return OpenBlock::Cell { is_header: *is_header, columns: *columns, rows: *rows };
            }
            Block::Code(_) => {
                self.edge();
                return OpenBlock::FlatCode;
            }
            Block::Heading(_)
            | Block::Quote
            | Block::List(_)
            | Block::Item(_)
            | Block::Definitions
            | Block::Term
            | Block::Definition
            | Block::Table { .. }
            | Block::Caption => self.edge(),
        }
        OpenBlock::Flat
    }

    fn end(&mut self) {
        let Some((open, containers)) = self.open.pop() else {
            return;
        };
        match open {
            OpenBlock::Flat | OpenBlock::FlatCode => self.edge(),
            OpenBlock::Plain => {
                self.end_paragraph();
                self.containers.truncate(containers);
            }
            OpenBlock::Heading => {
                self.end_paragraph();
                self.heading = None;
                self.line.place = TextPosition::Paragraph;
            }
            OpenBlock::Term => {
                let before = self.out.len();
                self.end_paragraph();
                self.has_term = self.out.len() > before;
            }
            OpenBlock::Code => self.end_code(),
            OpenBlock::Cell { is_header, columns, rows } => {
                let text = self.line.finish();
                if let Some(table) = &mut self.table {
                    table.take(Cell { text, is_header, columns, rows });
                }
            }
            OpenBlock::Table => self.end_table(),
        }
    }

    /// A paragraph ends here, or at least a line of what can't have paragraphs.
    fn edge(&mut self) {
        if let Some((code, _)) = &mut self.code {
            if !code.is_empty() && !code.ends_with('\n') {
                code.push('\n');
            }
        } else if self.table.is_some() || self.heading.is_some() {
            self.line.line_break();
        } else {
            self.end_paragraph();
        }
    }

    fn end_paragraph(&mut self) {
        let text = self.line.finish();
        if text.is_empty() {
            return;
        }
        // A link around several paragraphs is one in the first of them.
        if std::mem::take(&mut self.link.is_here) {
            self.link.address = None;
        }
        if let Some(level) = self.heading {
            let marks = "#".repeat(usize::from(level));
            return self.block(&format!("{marks} {}", escape::heading(&text)));
        }
        let lines: Vec<_> = text.split('\n').map(escape::line_start).collect();
        let text = lines.join("\n");
        if std::mem::take(&mut self.has_term) {
            // It goes on with the line of the term.
            self.out.truncate(self.out.trim_end().len());
            let has_colon = self.out.trim_end_matches('*').ends_with(':');
            self.out.push_str(if has_colon { " " } else { ": " });
            let mut lines = text.split('\n');
            self.out.push_str(lines.next().unwrap_or_default());
            self.out.push('\n');
            for line in lines {
                self.containers.line(&mut self.out, line);
            }
        } else {
            self.block(&text);
        }
    }

    fn end_code(&mut self) {
        let Some((code, language)) = self.code.take() else {
            return;
        };
        let code = code.strip_prefix('\n').unwrap_or(&code).replace('\r', "");
        let code = code.replace(super::text::is_unseen_in_code, "");
        let code = code.trim_end();
        if code.trim().is_empty() {
            return;
        }
        let longest = code.split(|char| char != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        self.block(&format!("{fence}{language}\n{code}\n{fence}"));
    }

    fn end_table(&mut self) {
        let Some(mut table) = self.table.take() else {
            return;
        };
        if !self.line.is_empty() {
            table.caption.push(self.line.finish());
        }
        self.line.place = TextPosition::Paragraph;
        for caption in &table.caption {
            self.block(&escape::line_start(caption));
        }
        if table.rows.iter().any(|row| row.cells.iter().any(|cell| !cell.text.is_empty())) {
            self.block(&table.lines(self.most));
        }
    }

    fn block(&mut self, text: &str) {
        self.has_term = false;
        self.containers.part(&mut self.out);
        for line in text.split('\n') {
            self.containers.line(&mut self.out, line);
        }
    }
}
