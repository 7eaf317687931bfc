//! A start tag, with those of its attributes that anything here asks for.

use std::ops::Range;

/// How many bytes the name of an attribute has that is asked for, at most.
const NAME_MAX: usize = 16;

/// An attribute that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attribute {
    Alt,
    AriaHidden,
    Class,
    Colspan,
    Content,
    DataLang,
    DataOriginal,
    DataSrc,
    Height,
    Hidden,
    Href,
    HttpEquiv,
    Id,
    Itemtype,
    Name,
    Property,
    Rel,
    Role,
    Rowspan,
    Src,
    Start,
    Style,
    Value,
    Width,
}

impl Attribute {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alt" => Self::Alt,
            b"aria-hidden" => Self::AriaHidden,
            b"class" => Self::Class,
            b"colspan" => Self::Colspan,
            b"content" => Self::Content,
            b"data-lang" | b"data-language" => Self::DataLang,
            b"data-original" | b"data-lazy-src" => Self::DataOriginal,
            b"data-src" => Self::DataSrc,
            b"height" => Self::Height,
            b"hidden" => Self::Hidden,
            b"href" => Self::Href,
            b"http-equiv" => Self::HttpEquiv,
            b"id" => Self::Id,
            b"itemtype" => Self::Itemtype,
            b"name" => Self::Name,
            b"property" => Self::Property,
            b"rel" => Self::Rel,
            b"role" => Self::Role,
            b"rowspan" => Self::Rowspan,
            b"src" => Self::Src,
            b"start" => Self::Start,
            b"style" => Self::Style,
            b"value" => Self::Value,
            b"width" => Self::Width,
            _ => return None,
        })
    }
}

/// A start tag.
#[derive(Debug, Default)]
pub(super) struct Tag {
    /// Its name, in lower case.
    pub name: Vec<u8>,
    /// Whether it ends in `/>`.
    pub is_self_closing: bool,
    /// Where in `values` the value of each attribute is.
    attributes: Vec<(Attribute, Range<usize>)>,
    values: Vec<u8>,
    /// The name of the attribute that is being read, while no value of it was.
    name_so_far: Vec<u8>,
    /// Whether the value that is being read is asked for: then it is the last one.
    keeps_value: bool,
}

impl Tag {
    /// Makes room for the next one.
    pub(super) fn clear(&mut self) {
        self.name.clear();
        self.is_self_closing = false;
        self.attributes.clear();
        self.values.clear();
        self.name_so_far.clear();
    }

    /// The value of an attribute; empty if only its name is there.
    pub(super) fn get(&self, wanted: Attribute) -> Option<&str> {
        let (_, range) = self.attributes.iter().find(|(attribute, _)| *attribute == wanted)?;
        str::from_utf8(self.values.get(range.clone())?).ok()
    }

    /// Whether the value of an attribute has this word in it, regardless of its case.
    pub(super) fn has_word(&self, attribute: Attribute, wanted: &str) -> bool {
        let mut words = self.get(attribute).unwrap_or_default().split_ascii_whitespace();
        words.any(|word| word.eq_ignore_ascii_case(wanted))
    }

    /// A part of an attribute's name.
    pub(super) fn attribute_name(&mut self, part: &[u8]) {
        let room = (NAME_MAX + 1).saturating_sub(self.name_so_far.len());
        self.name_so_far.extend(part.iter().take(room));
    }

    /// A part of its value.
    pub(super) fn attribute_value(&mut self, part: &[u8]) {
        self.end_attribute_name();
        if let Some((_, range)) = self.attributes.last_mut().filter(|_| self.keeps_value) {
            self.values.extend_from_slice(part);
            range.end = self.values.len();
        }
    }

    /// The name is complete, and so is the attribute if no value follows. Of several attributes of
    /// one name the first one counts.
    pub(super) fn end_attribute_name(&mut self) {
        if self.name_so_far.is_empty() {
            return;
        }
        let attribute = Attribute::of(&self.name_so_far).filter(|new| self.get(*new).is_none());
        self.keeps_value = attribute.is_some();
        let at = self.values.len();
        self.attributes.extend(attribute.map(|attribute| (attribute, at..at)));
        self.name_so_far.clear();
    }
}
