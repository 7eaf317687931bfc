//! How a document is written, which decides where its elements end.

/// What of a file is looked at to see how it is written, in bytes.
const START: usize = 1_024;

/// How a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::page) enum Syntax {
    /// A slash at the end of a start tag means nothing: what the element begins goes on.
    Html,
    /// With a slash at the end of its start tag an element is empty.
    Xml,
}

impl Syntax {
    /// How a file is written that has no type: as XML if it says so, or declares the namespace of XHTML.
    pub(super) fn of_file(text: &str) -> Self {
        let start = text.get(..text.floor_char_boundary(START)).unwrap_or_default();
        let is_xml = start.trim_start_matches('\u{feff}').trim_start().starts_with("<?xml")
            || start.contains("http://www.w3.org/1999/xhtml");
        if is_xml { Self::Xml } else { Self::Html }
    }
}
