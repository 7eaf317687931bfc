//! Tables that say something by their rows and columns, and tables that only put things in places.

use super::element::ElementKind;

/// How long the text of a cell without headers is at most, in bytes.
const CELL_MAX: usize = 400;

/// What is known of a table while it is read.
#[derive(Debug, Default)]
pub(super) struct TableShape {
    /// Where among the events it begins.
    pub event: Option<usize>,
    is_for_looks: bool,
    rows: usize,
    columns: usize,
    columns_of_row: usize,
    has_headers: bool,
    has_blocks: bool,
    has_table: bool,
    longest: usize,
}

impl TableShape {
    /// A table that begins, and whether it says of itself that it is there for its looks.
    pub(super) fn new(event: Option<usize>, is_for_looks: bool) -> Self {
        Self { event, is_for_looks, ..Self::default() }
    }

    /// An element begins in it.
    pub(super) fn take(&mut self, kind: ElementKind) {
        self.has_table |= kind == ElementKind::Table;
        self.has_headers |=
            matches!(kind, ElementKind::Rows { is_head: true } | ElementKind::Caption);
        self.has_blocks |= is_layout(kind);
        if kind == ElementKind::Row {
            self.rows += 1;
            self.columns_of_row = 0;
        } else if let ElementKind::Cell { is_header } = kind {
            self.columns_of_row += 1;
            self.columns = self.columns.max(self.columns_of_row);
            self.has_headers |= is_header;
        }
    }

    /// A cell ends that has so much text.
    pub(super) fn end_cell(&mut self, text: usize) {
        self.longest = self.longest.max(text);
    }

    /// Whether its rows and columns say something.
    pub(super) fn is_data(&self) -> bool {
        let is_plain = !self.has_blocks && self.longest <= CELL_MAX;
        let is_grid = self.rows > 1 && self.columns > 1;
        !self.is_for_looks && !self.has_table && (self.has_headers || (is_grid && is_plain))
    }
}

/// What stands in places, rather than in cells.
fn is_layout(kind: ElementKind) -> bool {
    matches!(
        kind,
        ElementKind::Heading(_)
            | ElementKind::Quote
            | ElementKind::Preformatted
            | ElementKind::List { .. }
            | ElementKind::Definitions
            | ElementKind::Form
    )
}
