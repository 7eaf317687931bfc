//! Documents of Word (ECMA-376, part 1, section 17): headings, paragraphs, lists, tables.
//!
//! Where its pages end is not written in a document, so it has none.

use std::collections::HashMap;

use domain::document::ExtractionError;

use super::error::ReadError;
use super::image::EmbeddedImages;
use super::package::{Node, Package, Relations, Tag, Xml};
use super::writer::Writer;
use super::{Input, ReadOptions};
use crate::document::Document;

pub(super) fn read(file: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    let mut package = Package::open(file, &options.limits)?;
    let root = Relations::of(&mut package, "")?;
    let main = root.of_kind("officeDocument").unwrap_or("word/document.xml").to_owned();
    let relations = Relations::of(&mut package, &main)?;
    let mut story = Story {
        levels: levels(&mut package, relations.of_kind("styles"))?,
        images: EmbeddedImages::new(options),
        writer: Writer::new(&options.limits),
        paragraphs: Vec::new(),
        row: Vec::new(),
        tables: 0,
        runs: 0,
    };
    let body = package.needed(&main)?;
    story.read(&mut package, &body, &relations)?;
    for kind in ["footnotes", "endnotes"] {
        if let Some(name) = relations.of_kind(kind)
            && let Some(notes) = package.part(name)?
        {
            story.read(&mut package, &notes, &Relations::default())?;
        }
    }
    Ok(story.writer.finish())
}

/// The styles that are headings, by their ids, with their levels.
fn levels(package: &mut Package, part: Option<&str>) -> Result<HashMap<String, u8>, ReadError> {
    let mut levels = HashMap::new();
    let Some(bytes) = part.map(|part| package.part(part)).transpose()?.flatten() else {
        return Ok(levels);
    };
    let mut style = String::new();
    let mut xml = package.xml(&bytes);
    while let Some(node) = xml.next()? {
        let Node::Start(tag) = node else { continue };
        let level = match tag.name() {
            b"style" => {
                style = tag.attribute("styleId").unwrap_or_default();
                None
            }
            // The names of the styles that come with Word are English in every language.
            b"name" => tag.attribute("val").as_deref().and_then(level_of_name),
            b"basedOn" if !levels.contains_key(&style) => {
                tag.attribute("val").and_then(|base| levels.get(&base).copied())
            }
            b"outlineLvl" => outline_level(&tag),
            _ => None,
        };
        if let Some(level) = level {
            levels.insert(style.clone(), level);
        }
    }
    Ok(levels)
}

fn level_of_name(name: &str) -> Option<u8> {
    let name = name.to_ascii_lowercase();
    if name == "title" {
        return Some(1);
    }
    name.strip_prefix("heading ")?.parse().ok().filter(|level| (1..=9).contains(level))
}

/// Nine stands for text of the body.
fn outline_level(tag: &Tag<'_>) -> Option<u8> {
    tag.number("val")
        .and_then(|level| u8::try_from(level.saturating_add(1)).ok())
        .filter(|level| *level < 10)
}

/// A text that is read paragraph by paragraph.
struct Story {
    levels: HashMap<String, u8>,
    images: EmbeddedImages,
    writer: Writer,
    /// The paragraphs in which the reader is: those of a text box stand within another.
    paragraphs: Vec<Paragraph>,
    /// The cells of the row in which the reader is. A table within a cell is text of the cell.
    row: Vec<String>,
    tables: usize,
    runs: usize,
}

#[derive(Debug, Default)]
struct Paragraph {
    text: String,
    level: Option<u8>,
    is_item: bool,
    depth: u32,
}

impl Story {
    fn read(
        &mut self,
        package: &mut Package,
        part: &[u8],
        relations: &Relations,
    ) -> Result<(), ReadError> {
        let mut xml = package.xml(part);
        while let Some(node) = xml.next()? {
            match node {
                Node::Start(tag) if tag.name() == b"blip" => {
                    let image = tag.prefixed("embed");
                    if let Some(name) = image.as_deref().and_then(|id| relations.part(id)) {
                        self.image(package, name)?;
                    }
                }
                Node::Start(tag) => self.start(&tag, &mut xml)?,
                Node::End(tag) => self.end(tag.name())?,
                Node::Text(_) => {}
            }
        }
        Ok(())
    }

    fn start(&mut self, tag: &Tag<'_>, xml: &mut Xml<'_>) -> Result<(), ExtractionError> {
        match tag.name() {
            b"p" => self.paragraphs.push(Paragraph::default()),
            b"r" => self.runs += 1,
            b"tbl" => self.tables += 1,
            b"tr" if self.tables == 1 => self.row.clear(),
            b"tc" if self.tables == 1 => self.row.push(String::new()),
            // What was deleted, and what is there for those who do not understand what is before it.
            b"del" | b"moveFrom" | b"Fallback" => xml.skip()?,
            _ => {}
        }
        let is_run = self.runs > 0;
        let Some(paragraph) = self.paragraphs.last_mut() else {
            return Ok(());
        };
        match tag.name() {
            b"t" => paragraph.text.push_str(&xml.text()?),
            b"tab" if is_run => paragraph.text.push('\t'),
            b"br" | b"cr" if is_run => paragraph.text.push('\n'),
            b"noBreakHyphen" => paragraph.text.push('\u{2011}'),
            b"pStyle" => {
                let style = tag.attribute("val").unwrap_or_default();
                paragraph.level = self.levels.get(&style).copied();
            }
            b"outlineLvl" => paragraph.level = outline_level(tag),
            b"ilvl" => paragraph.depth = tag.number("val").unwrap_or(0),
            b"numId" => paragraph.is_item = tag.number("val").is_some_and(|list| list != 0),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &[u8]) -> Result<(), ExtractionError> {
        match name {
            b"p" => {
                let paragraph = self.paragraphs.pop().unwrap_or_default();
                return self.write(&paragraph);
            }
            b"r" => self.runs = self.runs.saturating_sub(1),
            b"tr" if self.tables == 1 => self.writer.row(&self.row)?,
            b"tbl" => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.writer.end_table();
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn write(&mut self, paragraph: &Paragraph) -> Result<(), ExtractionError> {
        if self.tables > 0
            && let Some(cell) = self.row.last_mut()
        {
            cell.push(' ');
            cell.push_str(&paragraph.text);
            return Ok(());
        }
        match paragraph.level {
            Some(level) => self.writer.heading(level, &paragraph.text),
            None if paragraph.is_item => {
                self.writer.item(paragraph.depth as usize, &paragraph.text)
            }
            None => self.writer.paragraph(&paragraph.text),
        }
    }

    fn image(&mut self, package: &mut Package, name: &str) -> Result<(), ReadError> {
        if !self.images.are_wanted() {
            return Ok(());
        }
        let Some(bytes) = package.part(name)? else {
            return Ok(());
        };
        let text = self.images.read(&bytes)?;
        Ok(self.write(&Paragraph { text, ..Paragraph::default() })?)
    }
}
