//! Texts, sheets and slides of OpenDocument (version 1.3, part 3): all of them lie in one file.

use domain::document::ExtractionError;

use super::error::ReadError;
use super::image::EmbeddedImages;
use super::package::{Node, Package, Tag, Xml};
use super::writer::Writer;
use super::{Input, ReadOptions};
use crate::document::Document;

pub(super) fn read(file: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    let mut package = Package::open(file, &options.limits)?;
    if let Some(manifest) = package.part("META-INF/manifest.xml")? {
        let mut xml = package.xml(&manifest);
        while let Some(node) = xml.next()? {
            if let Node::Start(tag) = node
                && tag.name() == b"encryption-data"
            {
                return Err(ExtractionError::Encrypted.into());
            }
        }
    }
    let content = package.needed("content.xml")?;
    let mut story = Story {
        images: EmbeddedImages::new(options),
        writer: Writer::new(&options.limits),
        paragraphs: Vec::new(),
        lists: 0,
        tables: 0,
        row: Vec::new(),
        is_sheet: false,
    };
    let mut xml = package.xml(&content);
    while let Some(node) = xml.next()? {
        match node {
            Node::Start(tag) if tag.name() == b"image" => {
                if let Some(name) = tag.attribute("href").filter(|_| story.images.are_wanted()) {
                    story.image(&mut package, &name)?;
                }
            }
            Node::Start(tag) => story.start(&tag, &mut xml)?,
            Node::End(tag) => story.end(tag.name())?,
            Node::Text(text) => story.text(&text),
        }
    }
    Ok(story.writer.finish())
}

struct Story {
    images: EmbeddedImages,
    writer: Writer,
    /// The paragraphs in which the reader is: those of a note stand within another.
    paragraphs: Vec<Paragraph>,
    lists: usize,
    tables: usize,
    /// The cells of the row in which the reader is. A table within a cell is text of the cell.
    row: Vec<String>,
    is_sheet: bool,
}

#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    level: Option<u8>,
}

impl Story {
    fn start(&mut self, tag: &Tag<'_>, xml: &mut Xml<'_>) -> Result<(), ExtractionError> {
        match tag.name() {
            b"p" => self.paragraphs.push(Paragraph::default()),
            b"h" => {
                let level = tag.number("outline-level").unwrap_or(1).min(9) as u8;
                self.paragraphs.push(Paragraph { level: Some(level), ..Paragraph::default() });
            }
            b"s" => {
                let count = tag.number("c").unwrap_or(1).min(100) as usize;
                self.text(&" ".repeat(count));
            }
            b"tab" => self.text("\t"),
            b"line-break" => self.text("\n"),
            b"list" => self.lists += 1,
            b"spreadsheet" => self.is_sheet = true,
            b"page" => self.writer.page()?,
            b"table" => {
                self.tables += 1;
                if self.is_sheet && self.tables == 1 {
                    self.writer.heading(1, &tag.attribute("name").unwrap_or_default())?;
                }
            }
            b"table-row" if self.tables == 1 => self.row.clear(),
            b"table-cell" | b"covered-table-cell" if self.tables == 1 => {
                self.row.push(String::new());
            }
            // What was deleted, what was said of the text, and what the text is laid out by.
            b"tracked-changes" | b"annotation" | b"note-citation" | b"forms" => xml.skip()?,
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &[u8]) -> Result<(), ExtractionError> {
        match name {
            b"p" | b"h" => {
                let paragraph = self.paragraphs.pop().unwrap_or_default();
                self.write(&paragraph)?;
            }
            b"list" => self.lists = self.lists.saturating_sub(1),
            b"table-row" if self.tables == 1 => {
                while self.row.last().is_some_and(String::is_empty) {
                    self.row.pop();
                }
                if !self.row.is_empty() {
                    self.writer.row(&self.row)?;
                }
            }
            b"table" => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.writer.end_table();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(paragraph) = self.paragraphs.last_mut() {
            paragraph.text.push_str(text);
        }
    }

    fn write(&mut self, paragraph: &Paragraph) -> Result<(), ExtractionError> {
        if self.tables > 0
            && let Some(cell) = self.row.last_mut()
        {
            cell.push_str(if cell.is_empty() { "" } else { " " });
            cell.push_str(&paragraph.text);
            return Ok(());
        }
        match (paragraph.level, self.lists) {
            (Some(level), _) => self.writer.heading(level, &paragraph.text),
            (None, 0) => self.writer.paragraph(&paragraph.text),
            (None, lists) => self.writer.item(lists - 1, &paragraph.text),
        }
    }

    fn image(&mut self, package: &mut Package, name: &str) -> Result<(), ReadError> {
        let Some(bytes) = package.part(name)? else {
            return Ok(());
        };
        let text = self.images.read(&bytes)?;
        Ok(self.write(&Paragraph { text, level: None })?)
    }
}
