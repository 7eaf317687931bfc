//! What elements mean here, by their names.

use crate::page::content::Mark;

/// What an element means for the content of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// Nothing: what is in it is in what is around it. The same holds for all unknown elements.
    Plain,
    /// The page itself, or its head.
    Page,
    /// Begins and ends a block, and means nothing else.
    Part,
    Paragraph,
    /// `h1` to `h6`.
    Heading(u8),
    Main,
    Article,
    /// Navigation, and what stands at the edge of a page.
    Edge,
    /// What introduces the page or a part of it.
    Header,
    /// What ends the page or a part of it.
    Footer,
    Form,
    /// Text with a mark.
    Marked(Mark),
    /// A block of text with a mark.
    MarkedPart(Mark),
    Link,
    Quotation,
    Quote,
    Preformatted,
    List {
        is_ordered: bool,
    },
    Item,
    Definitions,
    Term,
    Definition,
    Table,
    /// A group of rows; whether it is the head.
    Rows {
        is_head: bool,
    },
    Row,
    /// A cell of a table; whether it is a header.
    Cell {
        is_header: bool,
    },
    Caption,
    /// How characters are read aloud, after them.
    Reading,
    /// A bracket around that, for readers that show it in the line. It gets others here.
    ReadingSign,
    /// What is there for readers without scripts.
    Fallback,
    /// Something to press or to fill in.
    Control,
    /// What something to fill in is called.
    Label,
    Title,
    /// Pictures made of markup. Their end tags may be left out by `/>`.
    Drawing,
    /// Nothing of it is for readers.
    Dropped,
    Leaf(Leaf),
}

/// An element without content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    Break,
    Rule,
    Image,
    /// Something to fill in.
    Input,
    Nothing,
}

/// An element by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    /// Stands for the name (FNV-1a).
    pub id: u64,
    pub kind: ElementKind,
}

impl Element {
    /// The element of this name, in lower case.
    pub(super) fn of(name: &[u8]) -> Self {
        let id = name.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self { id, kind: ElementKind::of(name) }
    }
}

impl ElementKind {
    fn of(name: &[u8]) -> Self {
        match name {
            b"html" | b"body" | b"head" | b"frameset" => Self::Page,
            b"p" => Self::Paragraph,
            b"div" | b"section" | b"address" | b"center" | b"details" | b"fieldset" | b"figure"
            | b"hgroup" | b"legend" => Self::Part,
            b"h1" => Self::Heading(1),
            b"h2" => Self::Heading(2),
            b"h3" => Self::Heading(3),
            b"h4" => Self::Heading(4),
            b"h5" => Self::Heading(5),
            b"h6" => Self::Heading(6),
            b"main" => Self::Main,
            b"article" => Self::Article,
            b"nav" | b"aside" | b"dialog" | b"search" => Self::Edge,
            b"header" => Self::Header,
            b"footer" => Self::Footer,
            b"form" => Self::Form,
            b"b" | b"strong" => Self::Marked(Mark::Bold),
            b"i" | b"em" | b"dfn" | b"var" => Self::Marked(Mark::Italic),
            b"s" | b"del" | b"strike" => Self::Marked(Mark::Struck),
            b"code" | b"kbd" | b"samp" | b"tt" => Self::Marked(Mark::Code),
            b"sup" => Self::Marked(Mark::Raised),
            b"sub" => Self::Marked(Mark::Lowered),
            b"summary" => Self::MarkedPart(Mark::Bold),
            b"figcaption" => Self::MarkedPart(Mark::Italic),
            b"a" => Self::Link,
            b"q" => Self::Quotation,
            b"blockquote" => Self::Quote,
            b"pre" | b"listing" | b"xmp" => Self::Preformatted,
            b"ul" | b"menu" | b"dir" => Self::List { is_ordered: false },
            b"ol" => Self::List { is_ordered: true },
            b"li" => Self::Item,
            b"dl" => Self::Definitions,
            b"dt" => Self::Term,
            b"dd" => Self::Definition,
            b"table" => Self::Table,
            b"thead" => Self::Rows { is_head: true },
            b"tbody" | b"tfoot" => Self::Rows { is_head: false },
            b"tr" => Self::Row,
            b"th" => Self::Cell { is_header: true },
            b"td" => Self::Cell { is_header: false },
            b"caption" => Self::Caption,
            b"rt" => Self::Reading,
            b"rp" => Self::ReadingSign,
            b"noscript" | b"noframes" => Self::Fallback,
            b"button" | b"select" | b"textarea" | b"datalist" | b"output" | b"meter"
            | b"progress" => Self::Control,
            b"label" => Self::Label,
            b"title" => Self::Title,
            b"svg" => Self::Drawing,
            b"script" | b"style" | b"template" | b"iframe" | b"object" | b"canvas" | b"video"
            | b"audio" | b"map" | b"noembed" | b"applet" | b"annotation" | b"annotation-xml" => {
                Self::Dropped
            }
            b"br" => Self::Leaf(Leaf::Break),
            b"hr" => Self::Leaf(Leaf::Rule),
            b"img" => Self::Leaf(Leaf::Image),
            b"input" => Self::Leaf(Leaf::Input),
            b"area" | b"base" | b"basefont" | b"bgsound" | b"col" | b"embed" | b"frame"
            | b"keygen" | b"link" | b"meta" | b"param" | b"source" | b"track" | b"wbr" => {
                Self::Leaf(Leaf::Nothing)
            }
            _ => Self::Plain,
        }
    }

    /// Whether it begins and ends a block, so that a paragraph before it ends.
    pub(super) const fn is_block(self) -> bool {
        match self {
            Self::Part
            | Self::Paragraph
            | Self::Heading(_)
            | Self::Main
            | Self::Article
            | Self::Edge
            | Self::Header
            | Self::Footer
            | Self::Form
            | Self::MarkedPart(_)
            | Self::Quote
            | Self::Preformatted
            | Self::List { .. }
            | Self::Item
            | Self::Definitions
            | Self::Term
            | Self::Definition
            | Self::Table
            | Self::Rows { .. }
            | Self::Row
            | Self::Cell { .. }
            | Self::Caption => true,
            Self::Leaf(leaf) => matches!(leaf, Leaf::Rule),
            Self::Plain
            | Self::Page
            | Self::Marked(_)
            | Self::Link
            | Self::Quotation
            | Self::Reading
            | Self::ReadingSign
            | Self::Fallback
            | Self::Control
            | Self::Label
            | Self::Title
            | Self::Drawing
            | Self::Dropped => false,
        }
    }

    /// Whether the end tags of what is outside of it mean nothing in it: the parts of a table.
    pub(super) const fn is_closed_off(self) -> bool {
        matches!(self, Self::Table | Self::Cell { .. } | Self::Caption)
    }

    /// Whether it, which belongs to a table, ends another that is open there.
    pub(super) const fn ends_in_table(self, other: Self) -> bool {
        matches!(
            (self, other),
            (_, Self::Cell { .. } | Self::Caption)
                | (Self::Row | Self::Rows { .. } | Self::Caption, Self::Row)
                | (Self::Rows { .. } | Self::Caption, Self::Rows { .. })
        )
    }

    /// Whether it belongs to a table.
    pub(super) const fn is_of_table(self) -> bool {
        matches!(self, Self::Rows { .. } | Self::Row | Self::Cell { .. } | Self::Caption)
    }
}
