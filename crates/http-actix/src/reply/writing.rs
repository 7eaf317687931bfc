//! How the items of a list are written.

use domain::choice;
use serde::Serialize;

use super::csv::{self, Columns};
use crate::problem::Problem;

choice! {
    /// In which form a list is asked for.
    ListFormat {
        Json "json",
        Csv "csv",
    }
}

/// How the items of a list are written, one after the other, on any thread.
pub(super) trait WriteList<T>: Copy + Send + 'static {
    /// Writes what stands before the first item.
    fn begin(&self, out: &mut Vec<u8>) -> Result<(), Problem>;

    /// Writes an item, behind another one unless it is the first.
    fn item(&self, out: &mut Vec<u8>, item: T, is_first: bool) -> Result<(), Problem>;

    /// Writes what stands behind the last item.
    fn end(&self, out: &mut Vec<u8>);
}

/// A JSON array of what clients see of the items.
pub(super) struct JsonArray<T, V>(pub(super) fn(T) -> V);

impl<T, V> Clone for JsonArray<T, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, V> Copy for JsonArray<T, V> {}

impl<T: 'static, V: Serialize + 'static> WriteList<T> for JsonArray<T, V> {
    fn begin(&self, out: &mut Vec<u8>) -> Result<(), Problem> {
        out.push(b'[');
        Ok(())
    }

    fn item(&self, out: &mut Vec<u8>, item: T, is_first: bool) -> Result<(), Problem> {
        if !is_first {
            out.push(b',');
        }
        let written = serde_json::to_writer(out, &(self.0)(item));
        written.map_err(|error| Problem::internal(error.to_string()))
    }

    fn end(&self, out: &mut Vec<u8>) {
        out.push(b']');
    }
}

/// A table of the same.
pub(super) struct Table<T, V>(pub(super) fn(T) -> V);

impl<T, V> Clone for Table<T, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, V> Copy for Table<T, V> {}

impl<T: 'static, V: Columns + 'static> WriteList<T> for Table<T, V> {
    fn begin(&self, out: &mut Vec<u8>) -> Result<(), Problem> {
        csv::header::<V>(out)
    }

    fn item(&self, out: &mut Vec<u8>, item: T, _: bool) -> Result<(), Problem> {
        csv::row(out, &(self.0)(item))
    }

    fn end(&self, _: &mut Vec<u8>) {}
}
