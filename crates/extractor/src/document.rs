//! What a reader makes of a file.

/// A file as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) text: String,
    /// Where the pages begin, in their order; empty if the file has none.
    pub(crate) pages: Vec<Page>,
    /// Whether `#` begins a heading in it.
    pub(crate) is_markdown: bool,
}

/// Where a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Page {
    /// In the text, in characters.
    pub(crate) start: u64,
    /// Counted from 1.
    pub(crate) number: u32,
}
