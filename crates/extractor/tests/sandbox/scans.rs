//! Text in images. What is done with the programs that read it is tested with scripts in their places, and
//! once with themselves, where they are installed.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use domain::document::{ExtractionError, ExtractorError, TextExtractor as _};
use extractor::Limits;
use tempfile::TempDir;

use crate::pdf::with_range;
use crate::stage::{Stage, file};
use test_samples::image::png;
use test_samples::pdf::{pdf, pdf_of, stream, written};

crate::trials![
    an_image_is_read,
    an_image_without_ocr_has_no_text,
    an_image_has_so_many_pixels_at_most,
    what_is_no_image_is_corrupt,
    an_image_of_several_pages_has_pages,
    a_scanned_pdf_is_read,
    a_scanned_pdf_without_ocr_has_no_text,
    only_pages_without_text_are_drawn,
    so_many_pages_are_drawn_at_most,
    images_on_pages_are_read_on_demand,
    an_image_that_is_drawn_again_is_read_once,
    so_much_is_drawn_on_a_page_at_most,
    a_missing_program_is_named,
    an_unknown_or_broken_language_is_named,
    languages_are_listed,
    what_a_parser_panics_at_is_read_by_another,
    what_would_take_a_parser_too_long_is_read_by_another,
    a_program_that_hangs_is_ended,
    the_programs_themselves_can_read,
];

/// Reads an image by saying which bytes it has.
const TESSERACT: &str = r#"
case "$1" in
    --list-langs) printf 'List of languages (4):\ndeu\neng\nosd\njunk\n' ;;
    *) case "$4" in
           *junk*)
               echo "Failed loading language 'junk'" >&2
               test "$4" = junk && echo 'Could not initialize tesseract.' >&2 && exit 1 ;;
       esac
       if grep -q damaged "$1"; then echo 'no image' >&2; exit 1; fi
       if grep -q endless "$1"; then sleep 1000; fi
       sed '1,/^text:$/d' "$1"; echo "($4)" ;;
esac"#;
/// Draws a page by saying which it is.
const PDFTOPPM: &str = r#"printf '\ntext:\npage %s with %s dots' "$3" "$8" > "${12}.png""#;
/// Finds the listed images on every page.
const PDFIMAGES: &str = r#"
cd "${0%/*}"
if [ "$6" = -list ]; then cat list; exit; fi
cd "$OLDPWD"
for number in $(sed -n 's/^ *[0-9]* *\([0-9]*\) .*/\1/p' "${0%/*}/list"); do
    cp "${0%/*}/image.png" "$8-$(printf %03d "$number").png"
done"#;
/// Finds the same in every file.
const PDFTOTEXT: &str = r"printf 'A second opinion\n\fon two pages\n\f'";

const PDF: &str = "application/pdf";
const PNG: &str = "image/png";

/// An extractor with programs that only do as if.
fn scripts() -> Stage {
    scripts_with(Limits::default())
}

fn scripts_with(limits: Limits) -> Stage {
    let (folder, path) = programs(&[
        ("tesseract", TESSERACT),
        ("pdftoppm", PDFTOPPM),
        ("pdfimages", PDFIMAGES),
        ("pdftotext", PDFTOTEXT),
    ]);
    fs::write(folder.path().join("image.png"), png(100, 100, "in the image")).unwrap();
    fs::write(folder.path().join("list"), listed(&[(100, 100, "4  0")])).unwrap();
    let mut stage = Stage::started(&["extract-worker"], limits, path);
    stage.settings.ocr_enabled = true;
    Stage { _programs: Some(folder), ..stage }
}

/// These scripts as programs, and where to look for them and all others.
pub fn programs(scripts: &[(&str, &str)]) -> (TempDir, OsString) {
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in scripts {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut path = folder.path().as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap());
    (folder, path)
}

/// What is listed of a page with these images: how large they are, and which object.
pub fn listed(images: &[(u32, u32, &str)]) -> String {
    let row = |(number, (width, height, object)): (usize, &(u32, u32, &str))| {
        format!("1 {number} image {width} {height} gray 1 8 image no {object} 72 72 1B 100%\n")
    };
    "page num type\n----\n".to_owned() + &images.iter().enumerate().map(row).collect::<String>()
}

/// A page with text, and an image or more.
pub fn illustrated() -> Vec<u8> {
    let drawing = "BT /F 12 Tf 72 720 Td (Written) Tj ET /I Do".to_owned();
    let entries = "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray \
                   /BitsPerComponent 8";
    pdf_of(&[drawing], "/XObject << /I 4 0 R >>", &[stream(entries, b"\0")])
}

/// A PDF with pages that only draw an image, as many as that.
pub fn scan(pages: usize) -> Vec<u8> {
    let entries = "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray \
                   /BitsPerComponent 8";
    let drawing = vec!["q 595 0 0 842 0 0 cm /I Do Q".to_owned(); pages];
    pdf_of(&drawing, "/XObject << /I 4 0 R >>", &[stream(entries, b"\0")])
}

async fn an_image_is_read() {
    let text = scripts().text(PNG, png(10, 10, "Text on it")).await;
    assert_eq!(text, Ok("Text on it(eng)".to_owned()));
}

async fn an_image_without_ocr_has_no_text() {
    let text = Stage::new().text(PNG, png(10, 10, "Text on it")).await;
    assert_eq!(text, Err(file(ExtractionError::NoText)));
}

async fn an_image_has_so_many_pixels_at_most() {
    let stage = scripts();
    let text = stage.text(PNG, png(10_000, 10_000, "much")).await;
    assert_eq!(text, Err(file(ExtractionError::TooLarge)));
    let text = stage.text(PNG, png(u32::MAX, u32::MAX, "more")).await;
    assert_eq!(text, Err(file(ExtractionError::TooLarge)));
}

async fn what_is_no_image_is_corrupt() {
    let stage = scripts();
    let text = stage.text(PNG, png(10, 10, "damaged")).await;
    assert_eq!(text, Err(file(ExtractionError::Corrupt)));
    let text = stage.text(PNG, &png(10, 10, "")[..12]).await;
    assert_eq!(text, Err(file(ExtractionError::Corrupt)));
}

async fn an_image_of_several_pages_has_pages() {
    let mut stage = scripts();
    stage.settings.max_chars = 100;
    let page = "A page with many words on it. ".repeat(3);
    let chunks = stage.chunks(PNG, png(10, 10, &format!("{page}\u{c}{page}\u{c}"))).await.unwrap();
    let pages: Vec<_> = chunks.iter().map(|chunk| chunk.page).collect();
    assert_eq!(pages[..2], [Some(1), Some(2)]);
}

async fn a_scanned_pdf_is_read() {
    let text = scripts().text(PDF, scan(2)).await;
    let pages = "page 1 with 200 dots(eng)\n\npage 2 with 200 dots(eng)";
    assert_eq!(text, Ok(pages.to_owned()));
}

async fn a_scanned_pdf_without_ocr_has_no_text() {
    let text = Stage::new().text(PDF, scan(2)).await;
    assert_eq!(text, Err(file(ExtractionError::NoText)));
}

async fn only_pages_without_text_are_drawn() {
    let contents =
        ["BT /F 12 Tf 72 720 Td (Written) Tj ET", "0 0 m 9 9 l S", " "].map(str::to_owned);
    let text = scripts().text(PDF, pdf_of(&contents, "", &[])).await;
    assert_eq!(text, Ok("Written\n\npage 2 with 200 dots(eng)".to_owned()));
}

async fn so_many_pages_are_drawn_at_most() {
    let stage = scripts_with(Limits { ocr_pages: 2, ..Limits::default() });
    assert!(stage.text(PDF, scan(2)).await.is_ok());
    assert_eq!(stage.text(PDF, scan(3)).await, Err(file(ExtractionError::TooLarge)));
}

async fn images_on_pages_are_read_on_demand() {
    let mut stage = scripts();
    let file = illustrated();
    assert_eq!(stage.text(PDF, file.clone()).await, Ok("Written".to_owned()));
    stage.settings.images_enabled = true;
    assert_eq!(stage.text(PDF, file.clone()).await, Ok("Written\n\nin the image(eng)".to_owned()));
    stage.settings.ocr_enabled = false;
    assert_eq!(stage.text(PDF, file).await, Ok("Written".to_owned()));
}

/// What is found in the images of a page, which are listed so.
async fn in_images(limits: Limits, images: &[(u32, u32, &str)]) -> Result<String, ExtractorError> {
    let mut stage = scripts_with(limits);
    stage.settings.images_enabled = true;
    let programs = stage._programs.as_ref().unwrap().path();
    fs::write(programs.join("list"), listed(images)).unwrap();
    let text = stage.text(PDF, illustrated()).await?;
    Ok(text.strip_prefix("Written").unwrap().replace("\n\nin the image(eng)", "+"))
}

async fn an_image_that_is_drawn_again_is_read_once() {
    let limits = Limits { ocr_pages: 3, ..Limits::default() };
    let text = in_images(limits.clone(), &[(100, 100, "4  0"); 50]).await;
    assert_eq!(text, Ok("+".to_owned()));
    let images = [(100, 100, "4  0"), (100, 100, "7  0"), (100, 100, "[inline]"), (9, 9, "8  0")];
    assert_eq!(in_images(limits.clone(), &images).await, Ok("+++".to_owned()));
    let text = in_images(limits, &[(100, 100, "[inline]"); 4]).await;
    assert_eq!(text, Err(file(ExtractionError::TooLarge)));
}

async fn so_much_is_drawn_on_a_page_at_most() {
    let limits = Limits { image_pixels: 10_000, ..Limits::default() };
    assert_eq!(in_images(limits.clone(), &[(100, 100, "4  0"); 4]).await, Ok("+".to_owned()));
    let text = in_images(limits.clone(), &[(100, 100, "4  0"); 5]).await;
    assert_eq!(text, Err(file(ExtractionError::TooLarge)));
    let text = in_images(limits.clone(), &[(u32::MAX, u32::MAX, "5  0"), (100, 100, "4  0")]).await;
    assert_eq!(text, Err(file(ExtractionError::TooLarge)));
    // Where none of them would be read, they are left alone.
    assert_eq!(in_images(limits, &[(101, 100, "4  0"); 5]).await, Ok(String::new()));
    let small = vec![(1, 1, "4  0"); 10_001];
    assert_eq!(in_images(Limits::default(), &small).await, Ok(String::new()));
    let text = in_images(Limits::default(), &[&small[..], &[(100, 100, "5  0")]].concat()).await;
    assert_eq!(text, Err(file(ExtractionError::TooLarge)));
}

async fn a_missing_program_is_named() {
    let mut stage = Stage::started(&["extract-worker"], Limits::default(), "/there/is/none".into());
    stage.settings.ocr_enabled = true;
    let unavailable = Err(file(ExtractionError::OcrUnavailable));
    assert_eq!(stage.text(PNG, png(10, 10, "Text")).await, unavailable);
    assert_eq!(stage.text(PDF, scan(1)).await, unavailable);
    // Who needs none of them does without.
    assert_eq!(stage.text(PDF, pdf(&[&["Written"]])).await, Ok("Written".to_owned()));
    assert!(stage.extractor.ocr_languages().await.is_empty());
}

async fn an_unknown_or_broken_language_is_named() {
    let mut stage = scripts();
    for languages in ["fra", "eng+fra", "", "eng+", "osd", "../eng", "--help"] {
        stage.settings.ocr_language = languages.to_owned();
        let text = stage.text(PNG, png(10, 10, "Text")).await;
        assert_eq!(text, Err(file(ExtractionError::OcrLanguage)), "{languages}");
    }
    // There is a file of this name, and nothing in it that helps.
    for languages in ["junk", "eng+junk"] {
        stage.settings.ocr_language = languages.to_owned();
        let text = stage.text(PNG, png(10, 10, "Text")).await;
        assert_eq!(text, Err(file(ExtractionError::OcrLanguage)), "{languages}");
    }
    stage.settings.ocr_language = "deu+eng".to_owned();
    let text = stage.text(PNG, png(10, 10, "Text")).await;
    assert_eq!(text, Ok("Text(deu+eng)".to_owned()));
}

async fn languages_are_listed() {
    let stage = scripts();
    assert_eq!(stage.extractor.ocr_languages().await, ["deu", "eng", "junk"]);
}

/// A PDF that most can read, although it does not say how large its pages are.
fn without_a_size() -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 2 /Kids [3 0 R 3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R >>",
    ];
    written(&objects.map(|object| object.as_bytes().to_vec()))
}

async fn what_a_parser_panics_at_is_read_by_another() {
    let stage = scripts();
    let text = stage.text(PDF, without_a_size()).await;
    assert_eq!(text, Ok("A second opinion\n\non two pages".to_owned()));
    // It is asked about what can be understood at all.
    assert_eq!(stage.text(PDF, "%PDF-1.7").await, Err(file(ExtractionError::Corrupt)));
    let alone = Stage::started(&["extract-worker"], Limits::default(), "/there/is/none".into());
    assert_eq!(alone.text(PDF, without_a_size()).await, Err(file(ExtractionError::Corrupt)));
}

async fn what_would_take_a_parser_too_long_is_read_by_another() {
    let text = scripts().text(PDF, with_range(2, 1, "<00000000> <ffffffff> <0000>")).await;
    assert_eq!(text, Ok("A second opinion\n\non two pages".to_owned()));
}

async fn a_program_that_hangs_is_ended() {
    let limits = Limits { wall: std::time::Duration::from_secs(1), ..Limits::default() };
    let stage = scripts_with(limits);
    let text = stage.text(PNG, png(10, 10, "endless")).await;
    assert_eq!(text, Err(file(ExtractionError::Timeout)));
}

async fn the_programs_themselves_can_read() {
    let installed = ["tesseract", "pdftoppm", "pdfimages"].map(is_installed);
    let mut stage = Stage::new();
    let has_english = stage.extractor.ocr_languages().await.iter().any(|name| name == "eng");
    if installed.contains(&false) || !has_english {
        eprintln!("left out: tesseract with English, pdftoppm and pdfimages are not all installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("written.pdf");
    fs::write(&written, pdf(&[&["The quick brown fox jumps", "over the lazy dog."]])).unwrap();
    let drawn = Command::new("pdftoppm")
        .args(["-r", "150", "-gray", "-png", "-singlefile"])
        .arg(&written)
        .arg(folder.path().join("drawn"))
        .status();
    assert!(drawn.unwrap().success());
    let image = fs::read(folder.path().join("drawn.png")).unwrap();
    stage.settings.ocr_enabled = true;
    let expected = "The quick brown fox jumps\nover the lazy dog.";
    assert_eq!(stage.text(PNG, image.clone()).await, Ok(expected.to_owned()));
    assert_eq!(stage.text(PDF, scan_of(&image, "")).await, Ok(expected.to_owned()));
    stage.settings.images_enabled = true;
    let with_text = scan_of(&image, "BT /F 12 Tf 72 10 Td (Written below) Tj ET");
    let text = stage.text(PDF, with_text).await;
    assert_eq!(text, Ok(format!("Written below\n\n{expected}")));
    let text: Result<_, ExtractorError> = stage.text(PNG, png(100, 100, "no pixels")).await;
    assert_eq!(text, Err(file(ExtractionError::Corrupt)));
}

fn is_installed(program: &str) -> bool {
    let path: OsString = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).exists())
}

/// A PDF with this PNG as its page. Both compress in the same way.
fn scan_of(png: &[u8], more: &str) -> Vec<u8> {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
    let (width, height) = (number(16), number(20));
    let (mut pixels, mut at) = (Vec::new(), 8);
    while at < png.len() {
        let (length, kind) = (number(at), &png[at + 4..at + 8]);
        if kind == b"IDAT" {
            pixels.extend_from_slice(&png[at + 8..at + 8 + length]);
        }
        at += 12 + length;
    }
    let (colours, space) = if png[25] == 2 { (3, "/DeviceRGB") } else { (1, "/DeviceGray") };
    let entries = format!(
        "/Type /XObject /Subtype /Image /Width {width} /Height {height} /ColorSpace {space} \
         /BitsPerComponent 8 /Filter /FlateDecode \
         /DecodeParms << /Predictor 15 /Colors {colours} /BitsPerComponent 8 /Columns {width} >>"
    );
    let drawing = format!("q 595 0 0 842 0 0 cm /I Do Q {more}");
    pdf_of(&[drawing], "/XObject << /I 4 0 R >>", &[stream(&entries, &pixels)])
}
