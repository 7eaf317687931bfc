//! Sheets of Excel (ECMA-376, part 1, section 18): each is a table under a heading.

mod numbers;
mod sheet;
mod strings;

use super::error::ReadError;
use super::package::{Node, Package, Relations};
use super::writer::Writer;
use super::{Input, ReadOptions};
use crate::document::Document;
use numbers::Formats;
use sheet::Book;

pub(super) fn read(file: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    let mut package = Package::open(file, &options.limits)?;
    let root = Relations::of(&mut package, "")?;
    let main = root.of_kind("officeDocument").unwrap_or("xl/workbook.xml").to_owned();
    let relations = Relations::of(&mut package, &main)?;
    let workbook = package.needed(&main)?;
    let strings = part(&mut package, relations.of_kind("sharedStrings"))?;
    let styles = part(&mut package, relations.of_kind("styles"))?;
    let mut book = Book {
        strings: strings::read(&mut package.xml(&strings), options.limits.text_bytes)?,
        formats: Formats::read(&mut package.xml(&styles))?,
    };
    let mut writer = Writer::new(&options.limits);
    let mut xml = package.xml(&workbook);
    while let Some(node) = xml.next()? {
        let Node::Start(tag) = node else { continue };
        match tag.name() {
            b"workbookPr" => {
                let is_1904 = tag.attribute("date1904");
                book.formats.is_1904 = is_1904.is_some_and(|value| value == "1" || value == "true");
            }
            b"sheet" => {
                let id = tag.prefixed("id").unwrap_or_default();
                // A sheet may be a diagram, or be missing.
                let bytes = part(&mut package, relations.part(&id))?;
                writer.heading(1, &tag.attribute("name").unwrap_or_default())?;
                book.read(&mut package.xml(&bytes), &mut writer)?;
                writer.end_table();
            }
            _ => {}
        }
    }
    Ok(writer.finish())
}

fn part(package: &mut Package, name: Option<&str>) -> Result<Vec<u8>, ReadError> {
    let part = name.map(|name| package.part(name)).transpose()?;
    Ok(part.flatten().unwrap_or_default())
}
