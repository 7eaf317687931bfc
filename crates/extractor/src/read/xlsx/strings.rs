//! The texts that cells share.

use domain::document::ExtractionError;

use crate::read::package::{Node, Xml};

pub(super) fn read(xml: &mut Xml<'_>, limit: u64) -> Result<Vec<String>, ExtractionError> {
    let mut strings = Vec::new();
    let mut bytes = 0;
    while let Some(node) = xml.next()? {
        if let Node::Start(tag) = node
            && tag.name() == b"si"
        {
            let string = text(xml, b"si")?;
            bytes += string.len() as u64;
            if bytes > limit {
                return Err(ExtractionError::TooLarge);
            }
            strings.push(string);
        }
    }
    Ok(strings)
}

/// The text up to the end of this element, without how it is pronounced.
pub(super) fn text(xml: &mut Xml<'_>, until: &[u8]) -> Result<String, ExtractionError> {
    let mut text = String::new();
    while let Some(node) = xml.next()? {
        match node {
            Node::Start(tag) if tag.name() == b"t" => text.push_str(&xml.text()?),
            Node::Start(tag) if tag.name() == b"rPh" => xml.skip()?,
            Node::End(tag) if tag.name() == until => break,
            Node::Start(_) | Node::End(_) | Node::Text(_) => {}
        }
    }
    Ok(text)
}
