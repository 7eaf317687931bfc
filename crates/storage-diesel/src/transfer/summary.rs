//! What a table has, in short: how many rows, and a checksum that is the same on both databases.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::TransferError;
use super::progress::{Progress, TransferPhase};
use super::row::{Cell, Cells, for_each_row};
use super::side::Side;
use super::tables::{TABLES, Table};
use crate::open::DatabaseUrl;

/// What a table has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSummary {
    /// The name of the table.
    pub table: String,
    /// How many rows it has.
    pub rows: u64,
    /// 32 hexadecimal digits, which depend on every stored column of every row, but not on the order of the rows, nor
    /// on which database it is. Another version of the tables may give other ones.
    pub checksum: String,
}

/// What each table of a database has, in one state of it. This blocks until all was read.
///
/// # Errors
/// [`TransferError`]
pub fn summarize(
    database: &DatabaseUrl,
    report: &mut dyn FnMut(Progress),
) -> Result<Vec<TableSummary>, TransferError> {
    let mut side = Side::open(database)?;
    side.begin_reading()?;
    let total = side.count_all()?;
    summarize_all(&mut side, total, report)
}

/// Takes in the rows of a table one by one.
#[derive(Default)]
pub(crate) struct Summary {
    rows: u64,
    /// The sum of the rows' own checksums, which is the same in any order.
    sum: u128,
}

impl Summary {
    pub(crate) fn add(&mut self, Cells(cells): &Cells) {
        let mut hash = Sha256::new();
        for cell in cells {
            match cell {
                Cell::Null => hash.update([0]),
                Cell::Number(number) => {
                    hash.update([1]);
                    hash.update(number.to_be_bytes());
                }
                Cell::Double(number) => {
                    hash.update([2]);
                    // SQLite does not keep the sign of a zero.
                    hash.update((number + 0.0).to_be_bytes());
                }
                Cell::Text(text) => {
                    hash.update([3]);
                    hash.update((text.len() as u64).to_be_bytes());
                    hash.update(text);
                }
                Cell::Bytes(bytes) => {
                    hash.update([4]);
                    hash.update((bytes.len() as u64).to_be_bytes());
                    hash.update(bytes);
                }
            }
        }
        let row = hash.finalize().iter().take(16).fold(0, |sum, byte| sum << 8 | u128::from(*byte));
        self.sum = self.sum.wrapping_add(row);
        self.rows += 1;
    }

    pub(crate) fn of(self, table: &Table) -> TableSummary {
        let Self { rows, sum } = self;
        TableSummary { table: table.name.to_owned(), rows, checksum: format!("{sum:032x}") }
    }
}

/// Reads all tables.
pub(crate) fn summarize_all(
    side: &mut Side,
    total: u64,
    report: &mut dyn FnMut(Progress),
) -> Result<Vec<TableSummary>, TransferError> {
    let mut done = 0;
    let of_table = |table: &Table| {
        let mut summary = Summary::default();
        for_each_row(side, table, |row| {
            summary.add(&row);
            done += 1;
            report(Progress { phase: TransferPhase::Comparing, table: table.name, done, total });
            Ok(())
        })?;
        Ok(summary.of(table))
    };
    TABLES.iter().map(of_table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary<const N: usize>(rows: [Vec<Cell>; N]) -> TableSummary {
        let mut summary = Summary::default();
        for row in rows {
            summary.add(&Cells(row));
        }
        summary.of(TABLES.first().unwrap())
    }

    #[test]
    fn a_checksum_depends_on_every_cell_and_not_on_the_order() {
        let text = |text: &str| Cell::Text(text.to_owned());
        let row = |first: Cell, second: Cell| vec![first, second];
        let all = summary([row(text("a"), Cell::Null), row(text("b"), Cell::Number(1))]);
        assert_eq!(all, summary([row(text("b"), Cell::Number(1)), row(text("a"), Cell::Null)]));
        assert_eq!(all.rows, 2);
        let others = [
            summary([row(text("a"), Cell::Null), row(text("b"), Cell::Number(2))]),
            summary([row(text("a"), Cell::Number(0)), row(text("b"), Cell::Number(1))]),
            summary([row(Cell::Null, text("a")), row(text("b"), Cell::Number(1))]),
            summary([row(text("ab"), Cell::Null), row(text(""), Cell::Number(1))]),
            summary([row(Cell::Bytes(b"a".to_vec()), Cell::Null), row(text("b"), Cell::Number(1))]),
            summary([row(text("a"), Cell::Null), row(text("b"), Cell::Double(1.0))]),
        ];
        for other in others {
            assert_ne!(all.checksum, other.checksum);
        }
    }

    #[test]
    fn the_sign_of_a_zero_does_not_count() {
        assert_eq!(summary([vec![Cell::Double(0.0)]]), summary([vec![Cell::Double(-0.0)]]));
        assert_ne!(summary([vec![Cell::Double(0.5)]]), summary([vec![Cell::Double(-0.5)]]));
    }
}
