//! Books (EPUB 3.3): their chapters are HTML, in the order of the spine.

use std::collections::HashMap;

use domain::document::ExtractionError;
use percent_encoding::percent_decode_str;

use super::error::ReadError;
use super::package::{Node, Package, relative};
use super::writer::Writer;
use super::{Input, ReadOptions};
use crate::document::Document;

/// How fonts are made hard to copy, which leaves the text as it is.
const OF_FONTS: [&str; 2] =
    ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

pub(super) fn read(file: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    let mut package = Package::open(file, &options.limits)?;
    refuse_encrypted(&mut package)?;
    let container = package.needed("META-INF/container.xml")?;
    let main = first(&package, &container, b"rootfile", "full-path")?;
    let main = main.ok_or(ExtractionError::Corrupt)?;
    let book = package.needed(&main)?;
    let mut chapters = HashMap::new();
    let mut writer = Writer::new(&options.limits);
    let mut xml = package.xml(&book);
    while let Some(node) = xml.next()? {
        let Node::Start(tag) = node else { continue };
        match tag.name() {
            b"item" => {
                let properties = tag.attribute("properties").unwrap_or_default();
                let is_contents = properties.split_whitespace().any(|property| property == "nav");
                if let (Some(id), Some(part), false) =
                    (tag.attribute("id"), tag.attribute("href"), is_contents)
                {
                    chapters.insert(id, part);
                }
            }
            b"itemref" => {
                let id = tag.attribute("idref").unwrap_or_default();
                // One that is named twice is read once.
                let Some(part) = chapters.remove(&id) else { continue };
                let part = percent_decode_str(&part).decode_utf8_lossy();
                if let Some(chapter) = package.part(&relative(&main, &part))?
                    && let Some(markdown) = (options.html)(&chapter)
                {
                    writer.markdown(&markdown)?;
                }
            }
            _ => {}
        }
    }
    Ok(writer.finish())
}

/// The attribute of the first element of this name.
fn first(
    package: &Package,
    part: &[u8],
    name: &[u8],
    attribute: &str,
) -> Result<Option<String>, ReadError> {
    let mut xml = package.xml(part);
    while let Some(node) = xml.next()? {
        if let Node::Start(tag) = node
            && tag.name() == name
        {
            return Ok(tag.attribute(attribute));
        }
    }
    Ok(None)
}

fn refuse_encrypted(package: &mut Package) -> Result<(), ReadError> {
    let Some(encryption) = package.part("META-INF/encryption.xml")? else {
        return Ok(());
    };
    let mut xml = package.xml(&encryption);
    while let Some(node) = xml.next()? {
        if let Node::Start(tag) = node
            && tag.name() == b"EncryptionMethod"
            && tag.attribute("Algorithm").is_some_and(|method| !OF_FONTS.contains(&method.as_str()))
        {
            return Err(ExtractionError::Encrypted.into());
        }
    }
    Ok(())
}
