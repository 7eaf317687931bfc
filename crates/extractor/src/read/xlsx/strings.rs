//! The texts that cells share.

use std::borrow::Cow;

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
            Node::Start(tag) if tag.name() == b"t" => text.push_str(&unescaped(&xml.text()?)),
            Node::Start(tag) if tag.name() == b"rPh" => xml.skip()?,
            Node::End(tag) if tag.name() == until => break,
            Node::Start(_) | Node::End(_) | Node::Text(_) => {}
        }
    }
    Ok(text)
}

/// A text in which characters that XML has not are written as `_x000D_` (ECMA-376, part 1, 22.9.2.19).
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains("_x") {
        return text.into();
    }
    let (mut plain, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("_x") {
        let (before, escape) = rest.split_at(at);
        plain.push_str(before);
        match escape.get(2..7).and_then(character) {
            Some(character) => {
                plain.push(character);
                rest = escape.get(7..).unwrap_or_default();
            }
            None => {
                plain.push('_');
                rest = escape.get(1..).unwrap_or_default();
            }
        }
    }
    plain.push_str(rest);
    plain.into()
}

/// The character of four hexadecimal digits and an underscore.
fn character(escape: &str) -> Option<char> {
    let digits = escape.strip_suffix('_')?;
    let is_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_digits);
    number.and_then(char::from_u32).filter(|character| *character != '\0')
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn characters_that_xml_has_not_are_escaped() {
        for (text, expected) in [
            ("plain_xyz", "plain_xyz"),
            ("a_x000D__x000A_b", "a\r\nb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_x00e4_", "ä"),
            ("_x0000_ _xD800_ _x+00D_ _x00", "_x0000_ _xD800_ _x+00D_ _x00"),
            ("ä_xö", "ä_xö"),
        ] {
            assert_eq!(unescaped(text), expected);
        }
    }
}
