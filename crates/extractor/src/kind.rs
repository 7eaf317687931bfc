//! Of what type a file is.
//!
//! This runs in the server, so it looks at a bounded number of bytes and follows nothing in them: magic
//! numbers at the beginning, and names in what ends an archive.

use std::io::{self, Read as _, SeekFrom};

use domain::blob::ReadSeek;
use file_format::FileFormat;
use memchr::memmem;

pub(crate) const DOCX: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
pub(crate) const PPTX: &str =
    "application/vnd.openxmlformats-officedocument.presentationml.presentation";
pub(crate) const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// What Office of old wrote, and what Office of today encrypts.
pub(crate) const COMPOUND: &str = "application/x-cfb";
/// What is of no known type.
const BYTES: &str = "application/octet-stream";

/// How much of the beginning is looked at.
const HEAD: u64 = 64 << 10;
/// How much of the end of an archive, where the names of its parts stand.
const TAIL: u64 = 1 << 20;

/// The media type of a file: by its bytes, else by its name, else what was said of it.
pub(crate) fn media_type(
    file: &mut dyn ReadSeek,
    file_name: &str,
    said: Option<&str>,
) -> io::Result<String> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    io::Read::take(&mut *file, HEAD).read_to_end(&mut head)?;
    let named = mime_guess::from_path(file_name).first_raw().map(usual);
    let said = said.and_then(essence).filter(|said| said != BYTES);
    let said = said.as_deref().map(usual);
    if head.is_empty() {
        return Ok(named.or(said).unwrap_or(BYTES).to_owned());
    }
    if is_text(&head) {
        let by_bytes = by_text(&head);
        let by_others =
            || named.filter(|kind| is_textual(kind)).or(said.filter(|kind| is_textual(kind)));
        return Ok(by_bytes.or_else(by_others).unwrap_or("text/plain").to_owned());
    }
    let by_bytes = by_magic(&head, named, file)?;
    let by_others = || {
        let is_zip = head.starts_with(b"PK");
        let kind = named.or(said).filter(|kind| !is_textual(kind));
        kind.unwrap_or(if is_zip { "application/zip" } else { BYTES }).to_owned()
    };
    Ok(by_bytes.unwrap_or_else(by_others))
}

/// What a file is by its magic numbers, with its name where they are those of several types.
fn by_magic(
    head: &[u8],
    named: Option<&str>,
    file: &mut dyn ReadSeek,
) -> io::Result<Option<String>> {
    let format = FileFormat::from_bytes(head);
    if format == FileFormat::Zip {
        let kind = by_first_entry(head);
        return Ok(if kind.is_some() { kind } else { by_names(file)? }.map(str::to_owned));
    }
    if format == FileFormat::CompoundFileBinary {
        // What Office encrypts is put into a file of the same kind as those of old.
        let is_office =
            |kind: &&str| kind.starts_with("application/vnd.") || kind.contains("msword");
        return Ok(Some(named.filter(is_office).unwrap_or(COMPOUND).to_owned()));
    }
    let is_known = format != FileFormat::ArbitraryBinaryData && format != FileFormat::PlainText;
    Ok(is_known.then(|| format.media_type().to_owned()))
}

/// Whether these are the first bytes of a text: UTF-8 or UTF-16 by its mark, or an 8-bit encoding, and no
/// control characters that texts do not have.
fn is_text(head: &[u8]) -> bool {
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return true;
    }
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127);
    if head.iter().any(is_control) {
        return false;
    }
    // Most characters of other encodings than UTF-8 are ASCII, in the languages that use them.
    let is_utf8 =
        std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    is_utf8 || head.iter().filter(|byte| !byte.is_ascii()).count() * 3 <= head.len()
}

/// What a text is, if it says so itself.
fn by_text(head: &[u8]) -> Option<&'static str> {
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let begins = |with: &str| {
        start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
    };
    if begins("%PDF-") {
        Some("application/pdf")
    } else if begins("{\\rtf") {
        Some("application/rtf")
    } else if begins("%!PS") {
        Some("application/postscript")
    } else if begins("<!doctype html") || begins("<html") {
        Some("text/html")
    } else {
        None
    }
}

/// What an archive is that says so in its first entry: OpenDocument and books.
fn by_first_entry(head: &[u8]) -> Option<&str> {
    let extra = head.get(28..30)?;
    if head.get(30..38)? != b"mimetype" {
        return None;
    }
    let extra = usize::from(u16::from_le_bytes(extra.try_into().ok()?));
    let content = head.get(38 + extra..)?;
    let is_of_type =
        |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"/.-+".contains(byte);
    let length = content.iter().take(100).take_while(|byte| is_of_type(byte)).count();
    let kind = std::str::from_utf8(content.get(..length)?).ok()?;
    kind.starts_with("application/").then_some(kind)
}

/// What an archive is by the names of its parts: files of Office.
fn by_names(file: &mut dyn ReadSeek) -> io::Result<Option<&'static str>> {
    let size = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(size.saturating_sub(TAIL)))?;
    let mut tail = Vec::new();
    io::Read::take(&mut *file, TAIL).read_to_end(&mut tail)?;
    let mains = [("word/document", DOCX), ("ppt/presentation", PPTX), ("xl/workbook", XLSX)];
    let found = mains.into_iter().find(|(name, _)| memmem::find(&tail, name.as_bytes()).is_some());
    Ok(found.map(|(_, kind)| kind))
}

/// A declared type without its parameters, if it has the form of a media type.
fn essence(said: &str) -> Option<String> {
    let essence = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_token = |part: &str| {
        let is_fine = |char: char| char.is_ascii_alphanumeric() || "!#$&-^_.+".contains(char);
        !part.is_empty() && part.len() <= 127 && part.chars().all(is_fine)
    };
    let is_fine = essence.split_once('/').is_some_and(|(one, two)| is_token(one) && is_token(two));
    is_fine.then_some(essence)
}

/// The name that is used today of those that a type has.
fn usual(kind: &str) -> &str {
    match kind {
        "text/yaml" | "text/x-yaml" | "application/x-yaml" | "text/vnd.yaml" => "application/yaml",
        "text/x-markdown" => "text/markdown",
        "application/csv" => "text/csv",
        _ => kind,
    }
}

/// Whether files of this type are texts.
pub(crate) fn is_textual(kind: &str) -> bool {
    const APPLICATIONS: [&str; 9] = [
        "application/javascript",
        "application/json",
        "application/sql",
        "application/toml",
        "application/x-ndjson",
        "application/x-sh",
        "application/x-sql",
        "application/xml",
        "application/yaml",
    ];
    let is_text = kind.starts_with("text/") && kind != "text/rtf";
    is_text
        || kind == "message/rfc822"
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || APPLICATIONS.contains(&kind)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use test_samples::office as samples;

    fn kind(bytes: &[u8], file_name: &str, said: Option<&str>) -> String {
        media_type(&mut Cursor::new(bytes), file_name, said).unwrap()
    }

    #[test]
    fn archives_are_distinguished_whatever_their_names() {
        for (bytes, expected) in [
            (samples::docx("<w:p/>"), DOCX),
            (samples::pptx(&[]), PPTX),
            (samples::xlsx(&[]), XLSX),
            (samples::odt(""), "application/vnd.oasis.opendocument.text"),
            (samples::epub(&[]), "application/epub+zip"),
        ] {
            for name in ["", "a.txt", "../../b.zip"] {
                assert_eq!(kind(&bytes, name, Some("text/plain")), expected);
            }
        }
        let other = samples::zip(&[("a.txt", "a")]);
        assert_eq!(kind(&other, "a", None), "application/zip");
        assert_eq!(kind(&other, "a.docx", None), DOCX);
        assert_eq!(kind(&other, "a.txt", Some("text/plain")), "application/zip");
    }

    #[test]
    fn magic_numbers_decide() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        for (bytes, expected) in [
            (&b"%PDF-1.7\nabc"[..], "application/pdf"),
            (b"%PDF-1.7\n\0\x01\x02", "application/pdf"),
            (png, "image/png"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", "image/jpeg"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", COMPOUND),
            (b"{\\rtf1 a}", "application/rtf"),
            (b" \n<!DOCTYPE HTML><p>", "text/html"),
            (b"BM is no picture if it is text", "text/plain"),
        ] {
            assert_eq!(kind(bytes, "a", Some("text/plain")), expected);
        }
        let old = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0";
        assert_eq!(kind(old, "a.doc", None), "application/msword");
        assert_eq!(kind(old, "a.docx", None), DOCX);
        assert_eq!(kind(old, "a.txt", None), COMPOUND);
    }

    #[test]
    fn names_decide_between_texts_and_then_what_was_said() {
        for (name, said, expected) in [
            ("a.md", None, "text/markdown"),
            ("a.YML", Some("text/plain"), "application/yaml"),
            ("a.csv", None, "text/csv"),
            ("a.json", None, "application/json"),
            ("a.eml", None, "message/rfc822"),
            ("x/../a.md", None, "text/markdown"),
            ("a.pdf", None, "text/plain"),
            ("a.ts", None, "text/plain"),
            ("a", Some("Text/X-Markdown; charset=utf-8"), "text/markdown"),
            ("a", Some("application/pdf"), "text/plain"),
            ("a", Some("text/\u{1}"), "text/plain"),
            ("", None, "text/plain"),
        ] {
            assert_eq!(kind("Ähren, a: 1".as_bytes(), name, said), expected, "{name} {said:?}");
        }
        assert_eq!(kind(b"\xff\xfea\0\n\0", "a", None), "text/plain");
        assert_eq!(kind(b"\xc4hren im Feld", "a", None), "text/plain");
    }

    #[test]
    fn what_is_no_text_is_none_whatever_its_name() {
        let bytes = b"\0\x01\x02\x03";
        for (name, said, expected) in [
            ("a.txt", Some("text/plain"), BYTES),
            ("a", Some("nonsense"), BYTES),
            ("a", Some("application/x-own"), "application/x-own"),
            ("a.pdf", None, "application/pdf"),
        ] {
            assert_eq!(kind(bytes, name, said), expected);
        }
        assert_eq!(kind(b"", "a.md", None), "text/markdown");
        assert_eq!(kind(b"", "", None), BYTES);
    }

    proptest::proptest! {
        #[test]
        fn nothing_makes_it_panic(bytes: Vec<u8>, name in "\\PC{0,9}", said: Option<String>) {
            kind(&bytes, &name, said.as_deref());
            kind(&[b"PK\x03\x04", bytes.as_slice()].concat(), &name, None);
            let entry = [&b"PK\x03\x04"[..], &[0; 26], b"mimetype", &bytes].concat();
            kind(&entry, &name, None);
        }
    }
}
