//! The cells of a sheet.

use domain::document::ExtractionError;

use super::numbers::Formats;
use super::strings;
use crate::read::package::{Node, Tag, Xml};
use crate::read::writer::Writer;

/// Cells that are further than this from the one before them stand next to it: ten thousand empty columns
/// would make a table unreadable.
const GAP_MAX: usize = 64;

/// What the sheets of a file share.
#[derive(Debug)]
pub(super) struct Book {
    pub(super) strings: Vec<String>,
    pub(super) formats: Formats,
}

impl Book {
    pub(super) fn read(
        &self,
        xml: &mut Xml<'_>,
        writer: &mut Writer,
    ) -> Result<(), ExtractionError> {
        let mut row: Vec<String> = Vec::new();
        while let Some(node) = xml.next()? {
            match node {
                Node::Start(tag) if tag.name() == b"row" => row.clear(),
                Node::Start(tag) if tag.name() == b"c" => {
                    let text = self.cell(&tag, xml)?;
                    let column = tag.attribute("r").and_then(|place| column(&place));
                    let column =
                        column.filter(|column| (row.len()..row.len() + GAP_MAX).contains(column));
                    if !text.trim().is_empty() {
                        row.resize(column.unwrap_or(row.len()), String::new());
                        row.push(text);
                    } else if column.is_none() {
                        row.push(String::new());
                    }
                }
                Node::End(tag) if tag.name() == b"row" => {
                    if row.iter().any(|cell| !cell.is_empty()) {
                        writer.row(&row)?;
                    }
                }
                Node::Start(_) | Node::End(_) | Node::Text(_) => {}
            }
        }
        Ok(())
    }

    fn cell(&self, tag: &Tag<'_>, xml: &mut Xml<'_>) -> Result<String, ExtractionError> {
        let kind = tag.attribute("t").unwrap_or_default();
        let (mut value, mut inline) = (String::new(), String::new());
        while let Some(node) = xml.next()? {
            match node {
                Node::Start(tag) if tag.name() == b"v" => value = xml.text()?,
                Node::Start(tag) if tag.name() == b"is" => inline = strings::text(xml, b"is")?,
                Node::End(tag) if tag.name() == b"c" => break,
                Node::Start(_) | Node::End(_) | Node::Text(_) => {}
            }
        }
        let shared =
            || value.trim().parse::<usize>().ok().and_then(|index| self.strings.get(index));
        Ok(match kind.as_str() {
            "s" => shared().cloned().unwrap_or_default(),
            "inlineStr" => inline,
            "b" => if value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "str" => strings::unescaped(&value).into_owned(),
            "e" | "d" => value,
            _ => self.formats.write(&value, tag.number("s")),
        })
    }
}

/// The column of a cell by its place, counted from 0: `C7` is in column 2.
fn column(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let number = letters.fold(0, |number, letter| {
        number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    number.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_from_their_letters() {
        let columns = ["A1", "Z9", "AA1", "XFD1048576", "1", ""].map(column);
        assert_eq!(columns, [Some(0), Some(25), Some(26), Some(16_383), None, None]);
    }
}
