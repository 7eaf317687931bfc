//! Files that are hostile or broken.

use proptest::prelude::*;

use super::*;
use ExtractionError::{Corrupt, Encrypted, NoText, TooLarge, Unsupported};
use test_samples::office::{docx, epub, odt, pptx, shape, xlsx, zip};

const ODT: &str = "application/vnd.oasis.opendocument.text";
const EPUB: &str = "application/epub+zip";
const PACKAGES: [&str; 5] = [DOCX, PPTX, XLSX, ODT, EPUB];

fn packages() -> [(Vec<u8>, &'static str); 5] {
    let row = "<row><c><v>1</v></c></row>";
    [
        (docx("<w:p><w:r><w:t>Text</w:t></w:r></w:p>"), DOCX),
        (pptx(&[&shape(None, "Text")]), PPTX),
        (xlsx(&[("Sheet", row)]), XLSX),
        (odt("<text:p>Text</text:p>"), ODT),
        (epub(&["<p>Text</p>"]), EPUB),
    ]
}

fn word(bytes: &[u8], media_type: &str) -> Option<ExtractionError> {
    document(bytes, media_type).err()
}

fn with(limits: Limits, bytes: &[u8], media_type: &str) -> Option<ExtractionError> {
    let options = ReadOptions { limits, ..options() };
    read_with(&options, bytes, media_type).err()
}

#[test]
fn nothing_and_blanks_are_no_text() {
    for media_type in ["text/plain", "text/markdown", "text/html", "text/csv", "application/json"] {
        assert_eq!(word(b"", media_type), Some(NoText), "{media_type}");
        assert_eq!(word(b" \n\t\r\n", media_type), Some(NoText), "{media_type}");
    }
    let empty = zip(&[("word/document.xml", "<w:document xmlns:w=\"w\"><w:body/></w:document>")]);
    assert_eq!(word(&empty, DOCX), Some(NoText));
    assert_eq!(word(&odt("<text:p> </text:p>"), ODT), Some(NoText));
    for media_type in PACKAGES {
        assert_eq!(word(b"", media_type), Some(Corrupt), "{media_type}");
    }
}

#[test]
fn an_unknown_media_type_is_unsupported() {
    for media_type in ["application/octet-stream", "", "application/rtf", "application/msword", "a"]
    {
        assert_eq!(word(b"text", media_type), Some(Unsupported), "{media_type}");
    }
}

#[test]
fn a_file_of_another_type_is_corrupt() {
    for (bytes, _) in packages() {
        for media_type in PACKAGES {
            let text = document(&bytes, media_type);
            assert!(matches!(text, Ok(_) | Err(Corrupt | NoText)), "{media_type}: {text:?}");
        }
    }
    assert_eq!(word(&zip(&[("a.txt", "a")]), DOCX), Some(Corrupt));
    assert_eq!(word(b"plain text", XLSX), Some(Corrupt));
}

#[test]
fn a_file_that_is_cut_off_is_corrupt() {
    for (bytes, media_type) in packages() {
        assert!(document(&bytes, media_type).is_ok(), "{media_type}");
        for length in (0..bytes.len()).step_by(bytes.len() / 40) {
            assert_eq!(word(&bytes[..length], media_type), Some(Corrupt), "{media_type} {length}");
        }
    }
}

#[test]
fn a_document_type_is_refused() {
    let lol = (1..10).map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)));
    let bomb = format!("<!DOCTYPE x [<!ENTITY l0 \"lol\">{}]>", lol.collect::<String>());
    let body = "<w:document xmlns:w=\"w\"><w:p><w:r><w:t>&l9;</w:t></w:r></w:p></w:document>";
    let outside = "<!DOCTYPE x SYSTEM \"file:///etc/passwd\">";
    for head in [bomb.as_str(), outside] {
        let file = zip(&[("a", ""), ("word/document.xml", &format!("{head}{body}"))]);
        assert_eq!(word(&file, DOCX), Some(Corrupt));
    }
    assert_eq!(word(&docx("<w:p><w:r><w:t>&l9;</w:t></w:r></w:p>"), DOCX), Some(Corrupt));
}

#[test]
fn what_blows_up_is_too_large() {
    let text = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "a".repeat(21 << 20));
    let bomb = docx(&text);
    assert!(bomb.len() < 1 << 20);
    assert_eq!(word(&bomb, DOCX), Some(TooLarge));
    let blanks = docx(&" ".repeat(2 << 20));
    let limits = Limits { archive_bytes: 1 << 20, ..Limits::default() };
    assert_eq!(with(limits, &blanks, DOCX), Some(TooLarge));
    // The same text in every cell.
    let row = format!("<row>{}</row>", "<c t=\"s\"><v>1</v></c>".repeat(1_000));
    let limits = Limits { text_bytes: 1_000_000, ..Limits::default() };
    assert_eq!(with(limits, &xlsx(&[("a", &row.repeat(1_000))]), XLSX), Some(TooLarge));
    // A long name before every value.
    let table = format!("{}\n{}", "n".repeat(100_000), "1\n".repeat(1_000));
    assert_eq!(word(table.as_bytes(), "text/csv"), Some(TooLarge));
    assert_eq!(word(&vec![b'a'; (20 << 20) + 1], "text/plain"), Some(TooLarge));
}

#[test]
fn parts_that_are_not_read_count_as_well() {
    let body = "<w:document xmlns:w=\"w\"><w:p><w:r><w:t>Text</w:t></w:r></w:p></w:document>";
    let media = " ".repeat(100_000);
    let file = zip(&[("a", ""), ("word/document.xml", body), ("word/media/a", &media)]);
    assert_eq!(text(&file, DOCX), "Text");
    let limits = Limits { archive_bytes: 100_000, ..Limits::default() };
    assert_eq!(with(limits, &file, DOCX), Some(TooLarge));
}

#[test]
fn parts_that_can_not_be_distinguished_are_refused() {
    let body = "<w:document xmlns:w=\"w\"><w:p><w:r><w:t>Text</w:t></w:r></w:p></w:document>";
    let (name, twin) = (b"word/documenT.xml", b"word/document.xml");
    let mut file = zip(&[("word/document.xml", body), ("word/documenT.xml", body)]);
    assert_eq!(text(&file, DOCX), "Text");
    while let Some(at) = memchr::memmem::find(&file, name) {
        file[at..at + name.len()].copy_from_slice(twin);
    }
    assert_eq!(word(&file, DOCX), Some(Corrupt));
    // The second is where the first is.
    let mut file = zip(&[("word/document.xml", body), ("word/documenT.xml", body)]);
    let last = memchr::memmem::rfind(&file, name).unwrap();
    file[last - 4..last].copy_from_slice(&[0; 4]);
    assert_eq!(word(&file, DOCX), Some(Corrupt));
}

#[test]
fn parts_are_bounded_in_number() {
    let names: Vec<_> = (0..11).map(|n| n.to_string()).collect();
    let parts: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
    let limits = Limits { archive_entries: 10, ..Limits::default() };
    assert_eq!(with(limits, &zip(&parts), DOCX), Some(TooLarge));
}

#[test]
fn depth_is_bounded_everywhere() {
    let deep = |start: &str, end: &str| start.repeat(100_000) + &end.repeat(100_000);
    assert_eq!(word(&docx(&deep("<w:p>", "</w:p>")), DOCX), Some(TooLarge));
    assert_eq!(word(&docx(&deep("<w:tbl><w:tr><w:tc>", "")), DOCX), Some(TooLarge));
    assert_eq!(word(&odt(&deep("<text:list>", "</text:list>")), ODT), Some(TooLarge));
    assert_eq!(word(&pptx(&[&deep("<p:grpSp>", "")]), PPTX), Some(TooLarge));
    assert!(document("[".repeat(100_000).as_bytes(), "application/json").is_ok());
    let nested = "Content-Type: message/rfc822\r\n\r\n".repeat(50_000) + "a";
    assert_eq!(word(nested.as_bytes(), "message/rfc822"), Some(TooLarge));
}

#[test]
fn slides_are_bounded() {
    let slides = vec![""; 2_001];
    assert_eq!(word(&pptx(&slides), PPTX), Some(TooLarge));
}

#[test]
fn five_thousand_pages_of_text_are_read() {
    let page = "A page has words, and many of them. ".repeat(80) + "\u{c}\n";
    let book = page.repeat(5_000);
    assert_eq!(text(book.as_bytes(), "text/plain"), book);
}

#[test]
fn what_is_encrypted_says_so() {
    let mut compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    compound.resize((1 << 16) - 5, 0);
    let name = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes);
    let encrypted: Vec<u8> = compound.iter().copied().chain(name).chain([0; 100]).collect();
    for media_type in [DOCX, PPTX, XLSX, crate::kind::COMPOUND] {
        assert_eq!(word(&encrypted, media_type), Some(Encrypted));
        assert_eq!(word(&compound, media_type), Some(Unsupported));
    }
    let manifest =
        "<m:manifest xmlns:m=\"m\"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>";
    let file = zip(&[("content.xml", "?"), ("META-INF/manifest.xml", manifest)]);
    assert_eq!(word(&file, ODT), Some(Encrypted));
    let method = |method: &str| {
        format!("<encryption><EncryptionMethod Algorithm=\"{method}\"/></encryption>")
    };
    let aes = method("http://www.w3.org/2001/04/xmlenc#aes256-cbc");
    assert_eq!(word(&zip(&[("META-INF/encryption.xml", &aes)]), EPUB), Some(Encrypted));
    let fonts = method("http://www.idpf.org/2008/embedding");
    assert_eq!(word(&zip(&[("META-INF/encryption.xml", &fonts)]), EPUB), Some(Corrupt));
}

#[test]
fn names_of_parts_lead_nowhere_else() {
    let chapter = "<package><manifest><item id=\"a\" href=\"../../../etc/passwd\"/></manifest>\
        <spine><itemref idref=\"a\"/></spine></package>";
    let container = "<container><rootfile full-path=\"../book.opf\"/></container>";
    let file = zip(&[("META-INF/container.xml", container), ("../book.opf", chapter)]);
    assert_eq!(word(&file, EPUB), Some(NoText));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes: Vec<u8>) {
        let types = ["text/plain", "text/csv", "text/html", "application/json", "message/rfc822"];
        for media_type in PACKAGES.into_iter().chain(types) {
            let _ = document(&bytes, media_type);
        }
    }

    #[test]
    fn no_damage_makes_a_reader_panic(
        at in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
    ) {
        for (mut bytes, media_type) in packages() {
            for (index, byte) in &at {
                let index = index.index(bytes.len());
                bytes[index] = *byte;
            }
            let _ = document(&bytes, media_type);
        }
    }

    #[test]
    fn no_tags_make_a_reader_panic(
        tags in "(</?(w:p|w:r|w:tbl|w:tr|w:tc|text:list|text:p|p:sp|a:p|row|c|v|is|t|w:t)>|a|<c r=\"Z9\" t=\"s\">){0,30}",
    ) {
        let files = [(docx(&tags), DOCX), (pptx(&[&tags]), PPTX), (xlsx(&[("a", &tags)]), XLSX), (odt(&tags), ODT)];
        for (bytes, media_type) in files {
            let _ = document(&bytes, media_type);
        }
    }
}
