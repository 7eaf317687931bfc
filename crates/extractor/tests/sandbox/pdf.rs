//! PDFs, valid ones and others.

use std::ffi::OsString;
use std::time::Duration;

use domain::document::{ExtractionError, ExtractorError};
use extractor::Limits;
use pdf_extract::{Dictionary, Document, EncryptionState, EncryptionVersion, Permissions, Stream};

use crate::stage::{Stage, file};
use test_samples::pdf::{pdf, pdf_of, stream, written};

crate::trials![
    pages_are_numbered,
    lines_are_put_together,
    what_is_encrypted_is_said_to_be_so,
    what_everybody_may_open_is_read,
    a_file_that_is_cut_off_is_corrupt,
    what_is_no_pdf_is_corrupt,
    changed_bytes_harm_only_their_worker,
    five_thousand_pages_are_too_many,
    too_much_text_is_too_large,
    blank_pages_have_no_text,
    a_bomb_in_a_page_harms_only_its_worker,
    nesting_without_an_end_harms_only_its_worker,
    pages_that_are_their_own_parents_harm_only_their_worker,
    too_large_ranges_of_characters_are_not_written_out,
    ranges_of_all_characters_are_read,
];

const PDF: &str = "application/pdf";

async fn pages_are_numbered() {
    let mut stage = Stage::new();
    stage.settings.max_chars = 100;
    let line = "Sixty characters stand on this line, which is one of many.";
    let pages: [&[&str]; 4] = [&[line], &[], &[line, line, line], &["The last page."]];
    let chunks = stage.chunks(PDF, pdf(&pages)).await.unwrap();
    let mut pages: Vec<_> = chunks.iter().map(|chunk| chunk.page).collect();
    pages.dedup();
    assert_eq!(pages.first(), Some(&Some(1)));
    assert!(pages.contains(&Some(3)) && !pages.contains(&Some(2)), "{pages:?}");
    assert!(pages.is_sorted(), "{pages:?}");
}

async fn lines_are_put_together() {
    let file = pdf(&[&["The manip-", "ulation   of Stra\\337en", "is done."], &["Page two"]]);
    let text = Stage::new().text(PDF, file).await;
    assert_eq!(text.unwrap(), "The manipulation of Straßen\nis done.\n\nPage two");
}

/// A PDF that can't be opened without this password.
fn encrypted(password: &str) -> Vec<u8> {
    let mut document = Document::load_mem(&pdf(&[&["secret"]])).unwrap();
    let version = EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password: password,
        key_length: 128,
        permissions: Permissions::empty(),
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    let mut file = Vec::new();
    document.save_to(&mut file).unwrap();
    file
}

async fn what_is_encrypted_is_said_to_be_so() {
    let text = Stage::new().text(PDF, encrypted("password")).await;
    assert_eq!(text, Err(file(ExtractionError::Encrypted)));
}

async fn what_everybody_may_open_is_read() {
    assert_eq!(Stage::new().text(PDF, encrypted("")).await, Ok("secret".to_owned()));
}

async fn a_file_that_is_cut_off_is_corrupt() {
    let whole = pdf(&[&["one"], &["two"], &["three"]]);
    for length in [whole.len() / 4, whole.len() / 2, whole.len() - 200] {
        let text = Stage::new().text(PDF, &whole[..length]).await;
        assert_eq!(text, Err(file(ExtractionError::Corrupt)), "{length} bytes");
    }
}

async fn what_is_no_pdf_is_corrupt() {
    let stage = Stage::new();
    for bytes in ["", "Hello", "%PDF-1.7", "%PDF-1.7\nstartxref\n0\n%%EOF"] {
        let text = stage.text(PDF, bytes).await;
        assert_eq!(text, Err(file(ExtractionError::Corrupt)), "{bytes}");
    }
}

async fn changed_bytes_harm_only_their_worker() {
    let stage = Stage::new();
    let whole = pdf(&[&["one"], &["two"]]);
    for at in (0..whole.len()).step_by(97) {
        let mut changed = whole.clone();
        changed[at] ^= 0x15;
        // It may well do no harm.
        if let Err(error) = stage.chunks(PDF, changed).await {
            assert!(matches!(error, ExtractorError::File(_)), "byte {at}: {error:?}");
        }
    }
    assert_eq!(stage.play("say Hello").await, Ok("Hello".to_owned()));
}

async fn five_thousand_pages_are_too_many() {
    let pages = vec![&["text"][..]; 5_000];
    let text = Stage::new().text(PDF, pdf(&pages)).await;
    assert_eq!(text, Err(file(ExtractionError::TooLarge)));
}

async fn too_much_text_is_too_large() {
    let pages = vec![&["twenty bytes of text"][..]; 10];
    let stage = Stage::with(Limits { text_bytes: 150, ..Limits::default() });
    assert_eq!(stage.text(PDF, pdf(&pages)).await, Err(file(ExtractionError::TooLarge)));
}

async fn blank_pages_have_no_text() {
    let text = Stage::new().text(PDF, pdf(&[&[], &["  "]])).await;
    assert_eq!(text, Err(file(ExtractionError::NoText)));
}

async fn a_bomb_in_a_page_harms_only_its_worker() {
    let mut bomb = Stream::new(Dictionary::new(), vec![b' '; 200 << 20]);
    bomb.compress().unwrap();
    let bomb = stream("/Filter /FlateDecode", &bomb.content);
    assert!(bomb.len() < 1 << 20);
    let objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>".to_vec(),
        bomb,
    ];
    let stage = Stage::with(Limits { memory: 300 << 20, ..Limits::default() });
    let text = stage.text(PDF, written(&objects)).await;
    assert_eq!(text, Err(file(ExtractionError::Memory)));
}

async fn nesting_without_an_end_harms_only_its_worker() {
    let stage = Stage::new();
    let depth = 200_000;
    let nests = [
        "[".repeat(depth) + &"]".repeat(depth),
        "<</A".repeat(depth) + &">>".repeat(depth),
        "(".repeat(depth) + &")".repeat(depth),
    ];
    for nest in nests {
        let head = &nest[..4].to_owned();
        let object = pdf_of(&["q Q".to_owned()], "/X 4 0 R", &[nest.clone().into_bytes()]);
        let content = pdf_of(&[format!("{nest} TJ")], "", &[]);
        for file in [object, content] {
            let text = stage.text(PDF, file).await;
            assert!(matches!(text, Err(ExtractorError::File(_))), "{head}: {text:?}");
        }
    }
}

async fn pages_that_are_their_own_parents_harm_only_their_worker() {
    let stage = Stage::new();
    let catalogue = b"<< /Type /Catalog /Pages 2 0 R >>".to_vec();
    let cases = [
        "<< /Type /Pages /Count 1 /Kids [2 0 R] >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] /Parent 2 0 R >>",
    ];
    for pages in cases {
        let page = b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>".to_vec();
        let content = stream("", b"BT (text) Tj ET");
        let objects = [catalogue.clone(), pages.as_bytes().to_vec(), page, content];
        let text = stage.text(PDF, written(&objects)).await;
        assert!(matches!(text, Err(ExtractorError::File(_))), "{pages}: {text:?}");
    }
}

/// A PDF whose pages are drawn in so many fonts, which have one CMap with this range of characters.
pub fn with_range(pages: usize, fonts: usize, range: &str) -> Vec<u8> {
    let draw = (0..fonts).map(|font| format!("/F#30{font} 12 Tf (Text) Tj T*\n"));
    let content = format!("BT 72 720 Td 14 TL {}ET", draw.collect::<String>());
    let names: String = (0..fonts).map(|font| format!("/F0{font} 4 0 R ")).collect();
    let form = format!("/Subtype /Form /BBox [0 0 595 842] /Resources << /Font << {names} >> >>");
    let font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >>";
    let cmap = format!("begincmap 1 beginbfrange {range} endbfrange endcmap");
    let objects = [font.to_vec(), stream("", cmap.as_bytes()), stream(&form, content.as_bytes())];
    pdf_of(&vec!["/X Do".to_owned(); pages], "/XObject << /X 6 0 R >>", &objects)
}

/// Each of them takes longer than a second to write out.
async fn too_large_ranges_of_characters_are_not_written_out() {
    let limits = Limits { cpu: Duration::from_secs(1), ..Limits::default() };
    let stage = Stage::started(&["extract-worker"], limits, OsString::new());
    for (pages, fonts, range) in [
        (1, 1, "<00000000> <ffffffff> <0000>"),
        (1, 1, "(\\000\\000\\000) (\\377\\377\\377) <0000>"),
        (1, 100, "<0000> <ffff> <0000>"),
        (50, 5, "<0000> <ffff> <0000>"),
    ] {
        let text = stage.text(PDF, with_range(pages, fonts, range)).await;
        assert_eq!(text, Err(file(ExtractionError::TooLarge)), "{pages}, {fonts}, {range}");
    }
}

async fn ranges_of_all_characters_are_read() {
    let text = Stage::new().text(PDF, with_range(3, 2, "<0000> <ffff> <0000>")).await;
    assert_eq!(text, Ok(["Text\nText"; 3].join("\n\n")));
}
