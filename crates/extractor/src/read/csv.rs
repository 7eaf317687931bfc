//! Tables of values (RFC 4180), each row of them as lines of `name: value`: a row is read, and found, alone,
//! and must say what its values are wherever it ends up.

use csv::{ReaderBuilder, StringRecord};
use domain::document::ExtractionError;

use super::error::ReadError;
use super::{Input, ReadOptions, text};
use crate::document::Document;

/// What values may be parted by.
const DELIMITERS: [u8; 4] = *b",;\t|";

pub(super) fn read(file: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    let table = text::decode(file, &options.limits)?;
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter(&table))
        .flexible(true)
        .has_headers(true)
        .from_reader(table.as_bytes());
    let names = reader.headers().map_err(|_| ExtractionError::Corrupt)?.clone();
    let mut text = String::new();
    let mut row = StringRecord::new();
    while reader.read_record(&mut row).map_err(|_| ExtractionError::Corrupt)? {
        push(&mut text, &names, &row);
        if text.len() as u64 > options.limits.text_bytes {
            return Err(ExtractionError::TooLarge.into());
        }
    }
    // A table of nothing but its head is a line of text.
    if text.is_empty() {
        text = table;
    }
    Ok(Document { text, ..Document::default() })
}

fn push(text: &mut String, names: &StringRecord, row: &StringRecord) {
    let mut is_first = true;
    for (index, value) in row.iter().enumerate() {
        let value = value.trim();
        if value.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str(if is_first { "\n\n" } else { "\n" });
        }
        is_first = false;
        let name = names.get(index).unwrap_or_default().trim();
        if !name.is_empty() {
            text.push_str(name);
            text.push_str(": ");
        }
        text.push_str(value);
    }
}

/// What the first line is parted by most often.
fn delimiter(table: &str) -> u8 {
    let line = table.lines().next().unwrap_or_default();
    let count = |delimiter: u8| line.bytes().filter(|byte| *byte == delimiter).count();
    DELIMITERS.into_iter().rev().max_by_key(|delimiter| count(*delimiter)).unwrap_or(b',')
}
