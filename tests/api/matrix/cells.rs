//! The cells of a matrix: each is checked, and those that fail are reported all together.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use botyard_tests::Response;
use http_actix::Operation;

use super::call::Call;
use super::verdict::{self, Verdict};
use super::world::World;

/// What a matrix has found so far.
pub struct Cells {
    rule: String,
    /// How many cells of each operation were checked.
    checked: BTreeMap<String, usize>,
    failed: Vec<String>,
}

impl Cells {
    /// A matrix over these operations; `rule` is what holds in every cell.
    pub fn over<'a>(rule: &str, operations: impl IntoIterator<Item = &'a Operation>) -> Self {
        let checked = operations.into_iter().map(|operation| (operation.id.clone(), 0)).collect();
        Self { rule: rule.to_owned(), checked, failed: Vec::new() }
    }

    /// Checks one cell. A panic, say of the harness that checks every answer, is a failure of this
    /// cell and of no other.
    pub fn check(&mut self, operation: &Operation, row: &str, cell: impl FnOnce() -> Verdict) {
        *self.checked.entry(operation.id.clone()).or_default() += 1;
        let verdict = catch_unwind(AssertUnwindSafe(cell));
        if let Err(violation) = verdict.unwrap_or_else(|panic| Err(said(panic.as_ref()))) {
            self.failed
                .push(format!("{} {} × {row}: {violation}", operation.method, operation.path));
        }
    }

    /// Checks the answer to a call. Whatever it is, the operation must own up to its status.
    pub fn answer(
        &mut self,
        row: &str,
        call: &Call<'_>,
        expect: impl FnOnce(&Response) -> Verdict,
    ) {
        self.check(call.operation(), &named(row, call), || {
            let answer = call.send();
            expect(&answer)?;
            verdict::is_documented(call.operation(), &answer)
        });
    }

    /// The same for a call that must not change anything in the database.
    pub fn refusal(
        &mut self,
        row: &str,
        call: &Call<'_>,
        world: &World<'_>,
        expect: impl FnOnce(&Response) -> Verdict,
    ) {
        self.check(call.operation(), &named(row, call), || {
            world.unchanged_by(|| {
                let answer = call.send();
                expect(&answer)?;
                verdict::is_documented(call.operation(), &answer)
            })
        });
    }

    /// Ends the matrix.
    ///
    /// # Panics
    /// If a cell failed, or an operation has no cell; the text has a line for each.
    #[track_caller]
    #[expect(clippy::print_stdout, reason = "`--nocapture` shows how large the matrix is")]
    pub fn finish(mut self) {
        let count: usize = self.checked.values().sum();
        let idle = self.checked.iter().filter(|(_, cells)| **cells == 0);
        self.failed.extend(idle.map(|(id, _)| format!("{id}: no cell was checked")));
        let (rule, failed) = (self.rule, self.failed);
        println!("{rule}: {count} cells");
        assert!(count > 0, "{rule}: the matrix is empty");
        let list = failed.join("\n  ");
        assert!(failed.is_empty(), "{rule}: {} of {count} cells failed\n  {list}", failed.len());
    }
}

/// The name of a row, with what the operation itself does not say of the call.
fn named(row: &str, call: &Call<'_>) -> String {
    if call.is_head() { format!("{row}, by HEAD") } else { row.to_owned() }
}

/// The text of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a matrix says at its end.
    fn end(cells: Cells) -> String {
        catch_unwind(AssertUnwindSafe(|| cells.finish()))
            .err()
            .map_or_else(String::new, |panic| said(panic.as_ref()))
    }

    #[test]
    fn every_cell_that_fails_is_reported() {
        let operations = http_actix::operations();
        let mut cells = Cells::over("all is well", &operations);
        for operation in &operations {
            cells.check(operation, "valid", || Ok(()));
        }
        let (first, second) = (&operations[0], &operations[1]);
        cells.check(first, "odd", || Err("expected 401, got 200".to_owned()));
        cells.check(second, "broken", || panic!("no answer"));
        let count = operations.len() + 2;
        let named = |operation: &Operation| format!("{} {}", operation.method, operation.path);
        let said = end(cells);
        let lines: Vec<_> = said.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                format!("all is well: 2 of {count} cells failed"),
                format!("{} × odd: expected 401, got 200", named(first)),
                format!("{} × broken: no answer", named(second)),
            ]
        );
    }

    #[test]
    fn a_matrix_that_leaves_an_operation_out_fails() {
        let operations = http_actix::operations();
        let mut cells = Cells::over("all is well", &operations);
        for operation in operations.iter().skip(1) {
            cells.check(operation, "valid", || Ok(()));
        }
        let said = end(cells);
        assert!(said.contains(&format!("{}: no cell was checked", operations[0].id)), "{said}");
        assert!(end(Cells::over("nothing", &[])).contains("the matrix is empty"));
    }
}
