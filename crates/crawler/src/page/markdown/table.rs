//! Tables of data, as GitHub Flavored Markdown has them.

/// How long the text of a cell is at most that is repeated in each row it stretches over, in bytes.
const REPEATED_MAX: usize = 100;
/// How many columns a table has at most. What lies beyond is left out.
const COLUMNS_MAX: usize = 128;
/// Up to how many columns rows are filled up that have fewer cells; they need not be.
const FILLED_MAX: usize = 16;

/// A cell.
#[derive(Debug)]
pub(super) struct Cell {
    pub text: String,
    pub is_header: bool,
    /// Over how many columns and rows it stretches.
    pub columns: u16,
    pub rows: u16,
}

/// A row.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub is_head: bool,
    pub cells: Vec<Cell>,
}

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// What stands in it outside of its cells.
    pub caption: Vec<String>,
    pub rows: Vec<Row>,
}

impl Row {
    fn is_header(&self) -> bool {
        let mut named = self.cells.iter().filter(|cell| !cell.text.is_empty()).peekable();
        self.is_head || (named.peek().is_some() && named.all(|cell| cell.is_header))
    }
}

impl Table {
    /// Takes a cell into the last row.
    pub(super) fn take(&mut self, cell: Cell) {
        if self.rows.is_empty() {
            self.rows.push(Row::default());
        }
        if let Some(row) = self.rows.last_mut() {
            row.cells.push(cell);
        }
    }

    /// Its lines, as many as fit into about so many bytes.
    pub(super) fn lines(&self, most: usize) -> String {
        let rows = self.grid(most);
        let columns = rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or_default();
        let has_headers =
            self.rows.iter().any(|row| row.is_head || row.cells.iter().any(|cell| cell.is_header));
        // Such a table must have a head. One without any headers is taken to have them in its first
        // row; one that has them elsewhere gets an empty one.
        let is_head = |(row, _): &(&Row, Vec<&str>)| row.is_header() || !has_headers;
        let head = rows.first().filter(|first| is_head(first));
        let mut lines = String::new();
        let mut write = |cells: &[&str], filler: &str, width: usize| {
            lines.push('|');
            for index in 0..width {
                let cell = cells.get(index).copied().unwrap_or(filler);
                lines.push(' ');
                lines.push_str(cell);
                lines.push_str(if cell.is_empty() { "|" } else { " |" });
            }
            lines.push('\n');
        };
        let head_cells: Vec<_> =
            head.into_iter().flat_map(|(_, cells)| cells).map(|cell| unmarked(cell)).collect();
        write(&head_cells, "", columns);
        write(&[], "---", columns);
        for (_, cells) in rows.iter().skip(usize::from(head.is_some())) {
            write(cells, "", if columns <= FILLED_MAX { columns } else { cells.len() });
        }
        lines.pop();
        lines
    }

    /// The texts of the rows, column by column. A header stands in each column that it stretches
    /// over, if it is not a title of all of them, and each cell in every row, so that each row can be read for itself.
    fn grid(&self, most: usize) -> Vec<(&Row, Vec<&str>)> {
        let mut grid = Vec::new();
        let mut size = 0;
        let mut carried: Vec<(u16, &str)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.cells.iter().any(|cell| !cell.text.is_empty()))
        {
            let mut texts = Vec::new();
            for cell in row.cells.iter().take(COLUMNS_MAX) {
                take_carried(&mut texts, &mut carried, false);
                for column in 0..cell.columns {
                    let is_shown = column == 0 || (cell.is_header && row.cells.len() > 1);
                    let text = if is_shown { cell.text.as_str() } else { "" };
                    let repeated = if text.len() <= REPEATED_MAX { text } else { "" };
                    if let Some(place) = carried.get_mut(texts.len()) {
                        *place = (cell.rows - 1, repeated);
                    } else {
                        carried.push((cell.rows - 1, repeated));
                    }
                    texts.push(if column == 0 { text } else { repeated });
                }
            }
            take_carried(&mut texts, &mut carried, true);
            texts.truncate(COLUMNS_MAX);
            texts.shrink_to_fit();
            carried.truncate(COLUMNS_MAX);
            while texts.last().is_some_and(|text| text.is_empty()) {
                texts.pop();
            }
            size += texts.iter().map(|text| text.len() + 3).sum::<usize>();
            if size > most {
                break;
            }
            grid.push((row, texts));
        }
        grid
    }
}

/// The text of a header, which is bold by itself.
fn unmarked(text: &str) -> &str {
    let inner = text.strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    inner.filter(|inner| !inner.contains("**")).unwrap_or(text)
}

/// Puts in what stretches down to this place: up to the next free column, or all of it.
fn take_carried<'a>(texts: &mut Vec<&'a str>, carried: &mut [(u16, &'a str)], is_all: bool) {
    let last = if is_all { carried.iter().rposition(|(rows, _)| *rows > 0) } else { None };
    while let Some((rows, text)) = carried.get_mut(texts.len()) {
        if *rows > 0 {
            *rows -= 1;
            texts.push(text);
        } else if last.is_some_and(|last| texts.len() < last) {
            texts.push("");
        } else {
            return;
        }
    }
}
