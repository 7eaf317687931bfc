//! How much work the CMaps of a PDF are. A range in one stands for as many characters as it likes, and
//! pdf-extract writes them out one by one, for every page again that uses the font.

use std::collections::{HashMap, HashSet};

use adobe_cmap_parser::{Value, parse};
use pdf_extract::{Dictionary, Document as Pdf, Object, ObjectId, Stream};

/// How much every file may cost, in bytes of CMaps and characters in their ranges.
const BASE_COST: u64 = 1 << 20;
/// How much more for each page: two fonts that have all characters of two bytes.
const COST_PER_PAGE: u64 = 1 << 17;
/// How much more for each byte of the file.
const FOR_A_BYTE: u64 = 16;

/// The operator before ranges.
const RANGES: &str = "beginbfrange";

/// What can't be paid for any more.
#[derive(Debug)]
struct TooMuch;

/// Whether the CMaps of these pages are more work than a file of so many bytes may cause. What can't be
/// understood costs nothing: the reader of the pages does not understand it either.
pub(super) fn are_too_much(
    pdf: &Pdf,
    pages: impl ExactSizeIterator<Item = ObjectId>,
    bytes: u64,
) -> bool {
    let for_pages = COST_PER_PAGE.saturating_mul(pages.len() as u64);
    let left = BASE_COST.saturating_add(for_pages).saturating_add(bytes.saturating_mul(FOR_A_BYTE));
    let mut budget = Budget { pdf, left, known: HashMap::new() };
    pages.into_iter().any(|page| budget.page(page).is_err())
}

/// What may still be spent.
#[derive(Debug)]
struct Budget<'a> {
    pdf: &'a Pdf,
    left: u64,
    /// What the CMaps cost that were seen.
    known: HashMap<ObjectId, u64>,
}

impl<'a> Budget<'a> {
    /// Pays for the fonts that a page uses, or the forms on it.
    fn page(&mut self, page: ObjectId) -> Result<(), TooMuch> {
        let (Some(resources), Ok(content)) =
            (self.resources(page), self.pdf.get_page_content(page))
        else {
            return Ok(());
        };
        let (mut forms, mut seen) = (self.content(&content, resources)?, HashSet::new());
        while let Some((id, form, around)) = forms.pop() {
            // One without resources of its own means those of who draws it.
            let own = self.dictionary(&form.dict, b"Resources");
            let resources = own.unwrap_or(around);
            if seen.insert((id, own.is_none().then_some(std::ptr::from_ref(around)))) {
                forms.extend(self.content(&content_of(form), resources)?);
            }
        }
        Ok(())
    }

    /// Pays for the fonts that are named in a content. Returns the forms that are.
    fn content(
        &mut self,
        content: &[u8],
        resources: &'a Dictionary,
    ) -> Result<Vec<(ObjectId, &'a Stream, &'a Dictionary)>, TooMuch> {
        let fonts = self.dictionary(resources, b"Font");
        let drawings = self.dictionary(resources, b"XObject");
        let mut forms = Vec::new();
        for name in names(content) {
            if let Some(font) = fonts.and_then(|fonts| self.dictionary(fonts, &name)) {
                self.font(font)?;
            }
            let drawing = drawings.and_then(|drawings| drawings.get(&name).ok());
            if let Some((Some(id), Object::Stream(form))) = drawing.and_then(|it| self.object(it)) {
                forms.push((id, form, resources));
            }
        }
        Ok(forms)
    }

    /// Pays for the CMaps of a font.
    fn font(&mut self, font: &'a Dictionary) -> Result<(), TooMuch> {
        for key in [&b"ToUnicode"[..], b"Encoding"] {
            let found = font.get(key).ok().and_then(|cmap| self.object(cmap));
            let Some((Some(id), Object::Stream(cmap))) = found else { continue };
            let cost = match self.known.get(&id) {
                Some(cost) => *cost,
                None => {
                    let cost = cost(&content_of(cmap), self.left);
                    self.known.insert(id, cost);
                    cost
                }
            };
            self.left = self.left.checked_sub(cost).ok_or(TooMuch)?;
        }
        Ok(())
    }

    /// The resources of a page, or of the group of pages that it is in.
    fn resources(&self, page: ObjectId) -> Option<&'a Dictionary> {
        let (mut node, mut seen) = (page, HashSet::new());
        while seen.insert(node) {
            let dictionary = self.pdf.get_dictionary(node).ok()?;
            let own = self.dictionary(dictionary, b"Resources");
            if own.is_some() {
                return own;
            }
            node = dictionary.get(b"Parent").and_then(Object::as_reference).ok()?;
        }
        None
    }

    fn dictionary(&self, of: &'a Dictionary, key: &[u8]) -> Option<&'a Dictionary> {
        self.object(of.get(key).ok()?)?.1.as_dict().ok()
    }

    /// What an object stands for, and the number of that if it has one.
    fn object(&self, object: &'a Object) -> Option<(Option<ObjectId>, &'a Object)> {
        self.pdf.dereference(object).ok()
    }
}

/// The bytes of a stream as pdf-extract reads them.
fn content_of(stream: &Stream) -> Vec<u8> {
    stream.decompressed_content().unwrap_or_else(|_| stream.content.clone())
}

/// What follows each slash, up to where no name goes on. That all of it are names, is not said: in a
/// string it would be text.
fn names(content: &[u8]) -> HashSet<Vec<u8>> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\0()<>[]{}/%".contains(byte);
    let starts = memchr::memchr_iter(b'/', content);
    let rests = starts.filter_map(|slash| content.get(slash + 1..));
    rests.map(|rest| decoded(rest.split(is_end).next().unwrap_or_default())).collect()
}

/// A name in which two digits behind `#` stand for a byte.
fn decoded(name: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| str::from_utf8(digits).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped.filter(|_| *byte == b'#') {
            Some(escaped) => {
                decoded.push(escaped);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                decoded.push(*byte);
                rest = after;
            }
        }
    }
    decoded
}

/// What a CMap costs. One that costs more than is left is not read to its end.
fn cost(cmap: &[u8], left: u64) -> u64 {
    let bytes = cmap.len() as u64;
    if bytes > left {
        return bytes;
    }
    let values = parse(cmap).unwrap_or_default();
    let starts = values.iter().enumerate().filter(|(_, value)| is_operator(value, RANGES));
    let ranges = starts.flat_map(|(at, _)| {
        let said = at.checked_sub(1).and_then(|at| values.get(at));
        let number = match said {
            Some(Value::Integer(number)) => usize::try_from(*number).unwrap_or_default(),
            Some(_) | None => 0,
        };
        values.get(at + 1..).unwrap_or_default().chunks_exact(3).take(number)
    });
    ranges.map(characters).fold(bytes, u64::saturating_add)
}

fn is_operator(value: &Value, name: &str) -> bool {
    matches!(value, Value::Operator(operator) if operator == name)
}

/// How many characters a range has. If each of them stands in an array, they cost no more than its bytes.
fn characters(range: &[Value]) -> u64 {
    match range {
        [Value::LiteralString(first), Value::LiteralString(last), Value::LiteralString(_)] => {
            (u64::from(code(last)) + 1).saturating_sub(code(first).into())
        }
        _ => 0,
    }
}

/// The number of a character. Of more than four bytes the last count.
fn code(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |code, byte| code << 8 | u32::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLENTY: u64 = u64::MAX;

    fn characters_of(cmap: &str) -> u64 {
        cost(cmap.as_bytes(), PLENTY) - cmap.len() as u64
    }

    #[test]
    fn the_characters_of_ranges_are_counted() {
        for (cmap, characters) in [
            ("1 beginbfrange <00> <ff> <0000> endbfrange", 256),
            ("1 beginbfrange <00000000> <ffffffff> <0000> endbfrange", 1 << 32),
            ("1 beginbfrange <00> (\\377) <0000> endbfrange", 256),
            ("2 beginbfrange <00> <0f> <0000> <20> <2f> <0000> endbfrange", 32),
            ("1 beginbfrange <00> <01> [<0041> <0042>] endbfrange", 0),
            ("1 beginbfrange <ff> <00> <0000> endbfrange", 0),
            ("1 beginbfrange <00> <ff> <0000> endbfrange 1 beginbfrange <00> <0f> <0000>", 272),
            ("1 beginbfrange % <00>\n<00> <ff> <0000> endbfrange", 256),
            ("2 beginbfchar <00> <0041> <01> <0042> endbfchar", 0),
            ("beginbfrange <00> <ff> <0000>", 0),
            ("-1 beginbfrange <00> <ff> <0000>", 0),
            ("(", 0),
        ] {
            assert_eq!(characters_of(cmap), characters, "{cmap}");
        }
        assert_eq!(cost(b"1 beginbfrange <00> <ff> <0000>", 3), 31);
    }

    #[test]
    fn names_are_found_wherever_they_may_stand() {
        let found = names(b"/F1 12 Tf/F2 1 Tf[/A#20b](/c)/ /F1<</D 1>>");
        let expected = ["F1", "F2", "A b", "c", "", "D"];
        assert_eq!(found, expected.map(|name| name.as_bytes().to_vec()).into_iter().collect());
        assert_eq!(decoded(b"#4g#"), b"#4g#");
    }
}
