//! What is on a page, between HTML and Markdown: a list of events over one text.
//!
//! Blocks are opened and closed in balance; marks on text are not events but belong to the text, so that
//! they may overlap as they do on real pages.

use std::ops::Range;

/// A place in one of the texts of a [`Content`].
pub(super) type Span = Range<u32>;

/// What is on a page.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub events: Vec<Event>,
    /// The text that is shown.
    pub text: String,
    /// Addresses, and the names of programming languages.
    pub notes: String,
    /// Where links lead, in `notes`.
    pub links: Vec<Span>,
}

/// What comes next on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// A block begins.
    Open(Block),
    /// The block that was opened last ends.
    Close,
    /// A paragraph ends, if there is one.
    Edge,
    /// Some text.
    Text(Style, Span),
    /// A line ends.
    Break,
    /// A line across the page.
    Rule,
    /// A picture: what it shows, and in `notes` where it is.
    Image { alt: Span, source: Span },
    /// Something that turned out not to be wanted.
    Nothing,
}

/// A block that means something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// Of level 1 to 6.
    Heading(u8),
    Quote,
    /// Code in the language of this name, in `notes`.
    Code(Span),
    /// The number of the first item, if they have any.
    List(Option<u32>),
    /// An item, with its number if it has one of its own.
    Item(Option<u32>),
    Definitions,
    Term,
    Definition,
    /// Whether it says something by its rows and columns; otherwise it only puts blocks in places.
    Table {
        is_data: bool,
    },
    Row {
        is_head: bool,
    },
    Cell {
        is_header: bool,
        columns: u16,
        rows: u16,
    },
    Caption,
}

/// A mark on text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Bold,
    Italic,
    Struck,
    Code,
    Raised,
    Lowered,
}

/// How a text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    pub bold: bool,
    pub italic: bool,
    pub struck: bool,
    pub code: bool,
    pub raised: bool,
    pub lowered: bool,
    /// The number of the link that it belongs to, from 1; 0 if to none.
    pub link: u32,
}

impl Style {
    /// The style with a mark or without it.
    pub(super) const fn set(&mut self, mark: Mark, is_set: bool) {
        match mark {
            Mark::Bold => self.bold = is_set,
            Mark::Italic => self.italic = is_set,
            Mark::Struck => self.struck = is_set,
            Mark::Code => self.code = is_set,
            Mark::Raised => self.raised = is_set,
            Mark::Lowered => self.lowered = is_set,
        }
    }
}

impl Content {
    /// A part of the text.
    pub(super) fn text(&self, span: &Span) -> &str {
        slice(&self.text, span)
    }

    /// A part of the notes.
    pub(super) fn note(&self, span: &Span) -> &str {
        slice(&self.notes, span)
    }

    /// Where a link leads, as the page says it.
    pub(super) fn address(&self, link: u32) -> &str {
        let index = usize::try_from(link).unwrap_or_default().checked_sub(1);
        index.and_then(|index| self.links.get(index)).map_or("", |span| self.note(span))
    }

    /// Puts a text into the notes.
    pub(super) fn take_note(&mut self, note: &str) -> Span {
        let start = end(&self.notes);
        self.notes.push_str(note);
        start..end(&self.notes)
    }
}

/// A part of a text; nothing if it is no part of it.
pub(super) fn slice<'a>(text: &'a str, span: &Span) -> &'a str {
    let (start, end) = (usize::try_from(span.start), usize::try_from(span.end));
    let (Ok(start), Ok(end)) = (start, end) else {
        return "";
    };
    text.get(start..end).unwrap_or_default()
}

/// Where the next thing in this text begins. Pages are far below the size where this would not fit.
pub(super) fn end(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}
