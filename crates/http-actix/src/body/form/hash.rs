//! The hash of a form, by which it is recognised: of its parts, whatever boundary stands between them.

use domain::blob::{Sha256, Sha256Hasher};

use super::head::PartHead;

/// The hash of a form of which not all parts are there yet.
#[derive(Debug, Default)]
pub struct FormHash {
    whole: Sha256Hasher,
    part: Option<Sha256Hasher>,
}

impl FormHash {
    /// Goes on with a part that begins so.
    pub fn begin(&mut self, head: &PartHead) {
        self.end();
        let PartHead { name, file_name, media_type } = head;
        self.text(Some(name));
        self.text(file_name.as_deref());
        self.text(media_type.as_deref());
        self.part = Some(Sha256Hasher::default());
    }

    /// Goes on with these bytes of the part.
    pub fn update(&mut self, bytes: &[u8]) {
        if let Some(part) = &mut self.part {
            part.update(bytes);
        }
    }

    /// The hash of all parts.
    pub fn finish(mut self) -> Sha256 {
        self.end();
        self.whole.finish()
    }

    fn end(&mut self) {
        if let Some(part) = self.part.take() {
            self.text(Some(&part.finish().to_string()));
        }
    }

    /// A text behind its length, so that texts can't run into each other.
    fn text(&mut self, text: Option<&str>) {
        let length = text.map_or(0, |text| text.len() as u64 + 1);
        self.whole.update(&length.to_be_bytes());
        self.whole.update(text.unwrap_or_default().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(parts: &[(&str, Option<&str>, &[&str])]) -> Sha256 {
        let mut hash = FormHash::default();
        for (name, file_name, content) in parts {
            let file_name = file_name.map(str::to_owned);
            hash.begin(&PartHead { name: (*name).to_owned(), file_name, media_type: None });
            content.iter().for_each(|bytes| hash.update(bytes.as_bytes()));
        }
        hash.finish()
    }

    #[test]
    fn a_form_is_known_by_its_parts_however_they_come() {
        let form = hash(&[("file", Some("a.txt"), &["hello"]), ("extract", None, &["true"])]);
        assert_eq!(
            form,
            hash(&[("file", Some("a.txt"), &["he", "", "llo"]), ("extract", None, &["true"])])
        );
        for other in [
            hash(&[("file", Some("b.txt"), &["hello"]), ("extract", None, &["true"])]),
            hash(&[("file", None, &["hello"]), ("extract", None, &["true"])]),
            hash(&[("file", Some("a.txt"), &["hallo"]), ("extract", None, &["true"])]),
            hash(&[("file", Some("a.txt"), &["hello"])]),
            hash(&[("extract", None, &["true"]), ("file", Some("a.txt"), &["hello"])]),
            hash(&[("file", Some("a.txt"), &["hello", "extract", "true"])]),
        ] {
            assert_ne!(form, other);
        }
        assert_ne!(hash(&[("a", Some(""), &[])]), hash(&[("a", None, &[])]));
    }
}
