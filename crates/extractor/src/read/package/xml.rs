//! XML as a row of tags and text: no document type, no entities but the five, and only so deep.

use std::borrow::Cow;

use domain::document::ExtractionError;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesEnd, BytesStart, Event};

/// Reads XML from its beginning to its end.
pub(in crate::read) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    depth: u32,
    depth_max: u32,
}

/// What comes next.
#[derive(Debug)]
pub(in crate::read) enum Node<'a> {
    Start(Tag<'a>),
    End(EndTag<'a>),
    Text(Cow<'a, str>),
}

/// The beginning of an element. Names are without their prefixes: what could be mistaken for another does
/// not occur in the same file.
#[derive(Debug)]
pub(in crate::read) struct Tag<'a>(BytesStart<'a>);

/// The end of an element.
#[derive(Debug)]
pub(in crate::read) struct EndTag<'a>(BytesEnd<'a>);

impl<'a> Xml<'a> {
    pub(super) fn new(xml: &'a [u8], depth_max: u32) -> Self {
        let mut reader = Reader::from_reader(xml);
        reader.config_mut().expand_empty_elements = true;
        Self { reader, depth: 0, depth_max }
    }

    /// What comes next; `None` at the end.
    pub(in crate::read) fn next(&mut self) -> Result<Option<Node<'a>>, ExtractionError> {
        loop {
            let node = match self.reader.read_event().map_err(|_| ExtractionError::Corrupt)? {
                Event::Start(tag) => {
                    self.depth += 1;
                    if self.depth > self.depth_max {
                        return Err(ExtractionError::TooLarge);
                    }
                    Node::Start(Tag(tag))
                }
                Event::End(tag) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::End(EndTag(tag))
                }
                Event::Text(text) => Node::Text(text.decode().map_err(corrupt)?),
                Event::CData(text) => Node::Text(text.decode().map_err(corrupt)?),
                Event::GeneralRef(reference) => {
                    let char = reference.resolve_char_ref().map_err(corrupt)?;
                    if let Some(char) = char {
                        Node::Text(Cow::Owned(char.to_string()))
                    } else {
                        let name = reference.decode().map_err(corrupt)?;
                        let text = resolve_predefined_entity(&name);
                        Node::Text(Cow::Borrowed(text.ok_or(ExtractionError::Corrupt)?))
                    }
                }
                Event::DocType(_) => return Err(ExtractionError::Corrupt),
                Event::Eof if self.depth > 0 => return Err(ExtractionError::Corrupt),
                Event::Eof => return Ok(None),
                Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
            };
            return Ok(Some(node));
        }
    }

    /// Goes on behind the end of the element that began last.
    pub(in crate::read) fn skip(&mut self) -> Result<(), ExtractionError> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            if self.next()?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// The text in the element that began last, and the position behind its end.
    pub(in crate::read) fn text(&mut self) -> Result<String, ExtractionError> {
        let outside = self.depth.saturating_sub(1);
        let mut all = String::new();
        while self.depth > outside {
            match self.next()? {
                Some(Node::Text(text)) => all.push_str(&text),
                Some(Node::Start(_) | Node::End(_)) => {}
                None => break,
            }
        }
        Ok(all)
    }
}

impl Tag<'_> {
    pub(in crate::read) fn name(&self) -> &[u8] {
        self.0.local_name().into_inner()
    }

    /// The value of an attribute of this name, regardless of its prefix.
    pub(in crate::read) fn attribute(&self, name: &str) -> Option<String> {
        self.value(|key, _| key == name.as_bytes())
    }

    /// The value of an attribute of this name that has a prefix: `r:id`, where there is `id`, too.
    pub(in crate::read) fn prefixed(&self, name: &str) -> Option<String> {
        self.value(|key, has_prefix| has_prefix && key == name.as_bytes())
    }

    /// A number in an attribute.
    pub(in crate::read) fn number(&self, name: &str) -> Option<u32> {
        self.attribute(name)?.trim().parse().ok()
    }

    fn value(&self, is_it: impl Fn(&[u8], bool) -> bool) -> Option<String> {
        let mut attributes = self.0.attributes();
        let attribute = attributes.with_checks(false).flatten().find(|attribute| {
            is_it(attribute.key.local_name().into_inner(), attribute.key.prefix().is_some())
        })?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
        Some(value.into_owned())
    }
}

impl EndTag<'_> {
    pub(in crate::read) fn name(&self) -> &[u8] {
        self.0.local_name().into_inner()
    }
}

fn corrupt<T>(_: T) -> ExtractionError {
    ExtractionError::Corrupt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(xml: &str) -> Result<String, ExtractionError> {
        let mut xml = Xml::new(xml.as_bytes(), 4);
        let mut text = String::new();
        while let Some(node) = xml.next()? {
            match node {
                Node::Start(tag) => {
                    let value = tag.attribute("a").unwrap_or_default();
                    text += &format!("<{} {value}>", String::from_utf8_lossy(tag.name()));
                }
                Node::End(_) => text.push('>'),
                Node::Text(part) => text += &part,
            }
        }
        Ok(text)
    }

    #[test]
    fn tags_and_text_come_in_their_order() {
        let xml = r#"<?xml version="1.0"?><w:x w:a="&lt;1"><!-- no -->&amp;&#228;<y/><![CDATA[<z>]]></w:x>"#;
        assert_eq!(text(xml).unwrap(), "<x <1>&ä<y >><z>>");
    }

    #[test]
    fn what_could_grow_or_lead_elsewhere_is_refused() {
        let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>"#;
        for xml in
            [bomb, "<x>&b;</x>", "<x>&#x110000;</x>", "<x><y></x>", "<x>", "<x", "<x>\u{0}</y>"]
        {
            assert_eq!(text(xml), Err(ExtractionError::Corrupt), "{xml}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        assert!(text("<a><a><a><a/></a></a></a>").is_ok());
        assert_eq!(text(&"<a>".repeat(100_000)), Err(ExtractionError::TooLarge));
    }

    #[test]
    fn an_element_can_be_passed_over_or_taken_whole() {
        let mut xml = Xml::new(b"<a><b>1<c>2</c></b><d>3<e>4</e></d>5</a>", 9);
        let start = |xml: &mut Xml<'_>| assert!(matches!(xml.next(), Ok(Some(Node::Start(_)))));
        start(&mut xml);
        start(&mut xml);
        xml.skip().unwrap();
        start(&mut xml);
        assert_eq!(xml.text().unwrap(), "34");
        assert!(matches!(xml.next(), Ok(Some(Node::Text(text))) if text == "5"));
    }
}
