//! Slides of PowerPoint (ECMA-376, part 1, section 19): each is a page, with its title as a heading.

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
    let main = root.of_kind("officeDocument").unwrap_or("ppt/presentation.xml").to_owned();
    let relations = Relations::of(&mut package, &main)?;
    let presentation = package.needed(&main)?;
    let mut images = EmbeddedImages::new(options);
    let mut writer = Writer::new(&options.limits);
    let mut xml = package.xml(&presentation);
    while let Some(node) = xml.next()? {
        let Node::Start(tag) = node else { continue };
        if tag.name() != b"sldId" {
            continue;
        }
        writer.page()?;
        if let Some(name) = tag.prefixed("id").as_deref().and_then(|id| relations.part(id)) {
            slide(&mut package, name, &mut images, &mut writer)?;
        }
    }
    Ok(writer.finish())
}

fn slide(
    package: &mut Package,
    name: &str,
    images: &mut EmbeddedImages,
    writer: &mut Writer,
) -> Result<(), ReadError> {
    let relations = Relations::of(package, name)?;
    let bytes = package.needed(name)?;
    let slide = Slide::read(&mut package.xml(&bytes))?;
    writer.heading(1, &slide.title)?;
    for block in &slide.blocks {
        match block {
            Block::Text(text) => writer.paragraph(text)?,
            Block::Item(depth, text) => writer.item(*depth, text)?,
            Block::Row(cells) => writer.row(cells)?,
            Block::TableEnd => writer.end_table(),
            Block::Image(id) if images.are_wanted() => {
                let part = relations.part(id).map(|part| package.part(part)).transpose()?;
                if let Some(bytes) = part.flatten() {
                    writer.paragraph(&images.read(&bytes)?)?;
                }
            }
            Block::Image(_) => {}
        }
    }
    let Some(notes) = relations.of_kind("notesSlide").map(str::to_owned) else {
        return Ok(());
    };
    let Some(bytes) = package.part(&notes)? else {
        return Ok(());
    };
    for block in Slide::read(&mut package.xml(&bytes))?.blocks {
        if let Block::Text(text) | Block::Item(_, text) = block {
            writer.aside(&text)?;
        }
    }
    Ok(())
}

/// What is on a slide. Its title need not come first in the file.
#[derive(Debug, Default)]
struct Slide {
    title: String,
    blocks: Vec<Block>,
}

#[derive(Debug)]
enum Block {
    Text(String),
    Item(usize, String),
    Row(Vec<String>),
    TableEnd,
    /// An image by the id of its relation.
    Image(String),
}

/// What a shape is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceholderRole {
    Title,
    Body,
    /// Date, number and whatever else is on every slide.
    Edge,
    Other,
}

impl Slide {
    fn read(xml: &mut Xml<'_>) -> Result<Self, ExtractionError> {
        let mut slide = Self::default();
        let mut place = PlaceholderRole::Other;
        let (mut paragraph, mut depth) = (String::new(), 0);
        // The cells of the row in which the reader is.
        let mut row: Option<Vec<String>> = None;
        while let Some(node) = xml.next()? {
            match node {
                Node::Start(tag) => match tag.name() {
                    b"sp" => place = PlaceholderRole::Other,
                    b"ph" => place = PlaceholderRole::of(&tag),
                    b"p" => (paragraph, depth) = (String::new(), 0),
                    b"pPr" => depth = tag.number("lvl").unwrap_or(0) as usize,
                    b"t" => paragraph.push_str(&xml.text()?),
                    b"br" => paragraph.push('\n'),
                    b"tr" => row = Some(Vec::new()),
                    b"tc" => row.get_or_insert_default().push(String::new()),
                    b"blip" => slide.blocks.extend(tag.prefixed("embed").map(Block::Image)),
                    b"Fallback" => xml.skip()?,
                    _ => {}
                },
                Node::End(tag) => match tag.name() {
                    b"p" => {
                        let text = std::mem::take(&mut paragraph);
                        if let Some(cell) = row.as_mut().and_then(|row| row.last_mut()) {
                            cell.push(' ');
                            cell.push_str(&text);
                        } else {
                            slide.push(place, depth, text);
                        }
                    }
                    b"tr" => slide.blocks.extend(row.take().map(Block::Row)),
                    b"tbl" => slide.blocks.push(Block::TableEnd),
                    b"sp" => place = PlaceholderRole::Other,
                    _ => {}
                },
                Node::Text(_) => {}
            }
        }
        Ok(slide)
    }

    fn push(&mut self, place: PlaceholderRole, depth: usize, text: String) {
        match place {
            PlaceholderRole::Title => {
                self.title.push(' ');
                self.title.push_str(&text);
            }
            PlaceholderRole::Body => self.blocks.push(Block::Item(depth, text)),
            PlaceholderRole::Other => self.blocks.push(Block::Text(text)),
            PlaceholderRole::Edge => {}
        }
    }
}

impl PlaceholderRole {
    fn of(tag: &Tag<'_>) -> Self {
        match tag.attribute("type").as_deref() {
            Some("title" | "ctrTitle") => Self::Title,
            Some("body" | "obj") | None => Self::Body,
            Some("sldNum" | "dt" | "ftr" | "hdr" | "sldImg") => Self::Edge,
            Some(_) => Self::Other,
        }
    }
}
