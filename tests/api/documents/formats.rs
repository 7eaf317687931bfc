//! Files of every type, from the upload to their chunks.

use botyard_tests::{Form, OnBot, each_database};
use serde_json::{Value, json};

use super::{chunks, project, status, texts, upload};
use crate::skills::{each, id};
use test_samples::office::{docx, epub, odt, pptx, shape, xlsx, zip};

/// The text of a file in one chunk, and its media type.
#[track_caller]
fn read(bot: &OnBot<'_>, name: &str, bytes: &[u8]) -> (String, String) {
    let form = Form::new().file(name, "application/octet-stream", bytes);
    let document = upload(bot, &form.text("maxChars", "100000"));
    assert_eq!(status(&document), "finished", "{document}");
    let texts = texts(&bot.client, &id(&document));
    assert_eq!(texts.len(), 1, "{texts:?}");
    (texts[0].clone(), document["mimeType"].as_str().unwrap().to_owned())
}

/// Asserts that a file of this type has this text.
#[track_caller]
fn is_read(bot: &OnBot<'_>, name: &str, bytes: &[u8], kind: &str, text: &str) {
    assert_eq!(read(bot, name, bytes), (text.to_owned(), kind.to_owned()), "{name}");
}

/// What stands behind `application/vnd.openxmlformats-officedocument.`
fn office(kind: &str) -> String {
    format!("application/vnd.openxmlformats-officedocument.{kind}")
}

each_database! {
    fn a_pdf_has_pages(app: &TestApp) {
        let bot = project(app);
        let line = "A line that is long enough for a chunk, or nearly so.";
        let pdf = test_samples::pdf::pdf(&[&[line, line], &["Second page."], &[], &["Stra\\337e 4"]]);
        is_read(
            &bot,
            "a.pdf",
            &pdf,
            "application/pdf",
            &format!("{line}\n{line}\n\nSecond page.\n\nStraße 4"),
        );
        let form = Form::new().file("a.pdf", "application/pdf", &pdf).text("maxChars", "110");
        let chunks = chunks(&bot.client, &id(&upload(&bot, &form)));
        assert_eq!(chunks[0]["page"], json!(1));
        let last = chunks.last().unwrap();
        assert!(last["text"].as_str().unwrap().contains("Straße 4"), "{last}");
        assert!(each(&chunks, "page").iter().all(Value::is_u64), "{chunks:?}");
    }

    fn a_document_of_word_becomes_markdown(app: &TestApp) {
        let bot = project(app);
        let paragraph = |style: &str, text: &str| {
            let style = match style {
                "" => String::new(),
                style => format!("<w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>"),
            };
            format!("<w:p>{style}<w:r><w:t>{text}</w:t></w:r></w:p>")
        };
        let body = paragraph("berschrift1", "Farm") + &paragraph("", "Ähren.")
            + &paragraph("berschrift2", "Fields") + &paragraph("", "Wheat.");
        let bytes = docx(&body);
        let kind = office("wordprocessingml.document");
        is_read(
            &bot,
            "a.docx",
            &bytes,
            &kind,
            "# Farm\n\nÄhren.\n\n## Fields\n\nWheat.\n\nA note.",
        );
        let form = Form::new().file("a.docx", "x/y", &bytes).text("maxChars", "100");
        let document = upload(&bot, &form);
        assert_eq!(document["extraction"]["settings"]["chunking_strategy"], json!("markdown"));
        let chunks = chunks(&bot.client, &id(&document));
        assert_eq!(chunks[0]["heading"][0], json!("Farm"));
    }

    fn slides_are_pages(app: &TestApp) {
        let bot = project(app);
        let first = shape(Some("title"), "Title") + &shape(Some("body"), "One");
        let bytes = pptx(&[&first, &shape(None, "Beside")]);
        let kind = office("presentationml.presentation");
        is_read(&bot, "a.pptx", &bytes, &kind, "# Title\n\n- One\n\n> Say this.\n\nBeside");
    }

    fn sheets_are_tables(app: &TestApp) {
        let bot = project(app);
        let rows = "<row><c t=\"s\"><v>0</v></c><c t=\"str\"><v>Day</v></c></row>\
                    <row><c t=\"s\"><v>1</v></c><c s=\"1\"><v>46347</v></c></row>";
        let kind = office("spreadsheetml.sheet");
        is_read(
            &bot,
            "a.xlsx",
            &xlsx(&[("Farm", rows)]),
            &kind,
            "# Farm\n\n| Name | Day |\n| --- | --- |\n| Ähren | 2026-11-21 |",
        );
    }

    fn opendocument_and_books_are_read(app: &TestApp) {
        let bot = project(app);
        let text = odt("<text:h text:outline-level=\"1\">Farm</text:h><text:p>Ähren.</text:p>");
        let kind = "application/vnd.oasis.opendocument.text";
        is_read(&bot, "a.odt", &text, kind, "# Farm\n\nÄhren.");
        let book = epub(&["<h1>One</h1><p>First.</p>", "<h1>Two</h1><p>Second.</p>"]);
        let kind = "application/epub+zip";
        is_read(&bot, "a.epub", &book, kind, "# One\n\nFirst.\n\n# Two\n\nSecond.");
    }

    fn a_page_of_the_web_becomes_markdown(app: &TestApp) {
        let bot = project(app);
        let page = "<!DOCTYPE html><html><head><title>Title</title><style>p{}</style>\
                    <script>alert(1)</script></head><body><h1>Farm</h1><p>Ähren &amp; <b>Hafer</b>.\
                    </p><ul><li>One</li><li>Two</li></ul></body></html>";
        let (text, kind) = read(&bot, "a.html", page.as_bytes());
        assert_eq!(kind, "text/html");
        for part in ["# Farm", "Ähren & **Hafer**.", "- One"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("alert") && !text.contains("p{}"), "{text}");
    }

    fn texts_stay_as_they_are(app: &TestApp) {
        let bot = project(app);
        let markdown = "# Farm\n\n*Ähren*";
        let yaml = "farm:\n  fields:\n    - Wheat\n    - Ähren # many";
        let pretty = "{\n  \"a\": 1\n}";
        for (name, kind, text) in [
            ("a.md", "text/markdown", markdown),
            ("a.yaml", "application/yaml", yaml),
            ("a.yml", "application/yaml", yaml),
            ("a.json", "application/json", pretty),
            ("a.txt", "text/plain", "One\n\nTwo"),
            ("a.xml", "text/xml", "<a>Ähren</a>"),
        ] {
            is_read(&bot, name, text.as_bytes(), kind, text);
        }
        // Encodings of others are understood.
        let utf_16: Vec<u8> = [0xff, 0xfe]
            .into_iter()
            .chain("Ähren 𝄞".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        is_read(&bot, "a.txt", &utf_16, "text/plain", "Ähren 𝄞");
        is_read(&bot, "a.txt", b"\xc4hren im Feld", "text/plain", "Ähren im Feld");
    }

    fn each_row_of_a_table_says_what_its_values_are(app: &TestApp) {
        let bot = project(app);
        let table = "Name;City\nAnna;\"Köln; Rhein\"\nBo;Ulm\n";
        is_read(
            &bot,
            "a.csv",
            table.as_bytes(),
            "text/csv",
            "Name: Anna\nCity: Köln; Rhein\n\nName: Bo\nCity: Ulm",
        );
    }

    fn a_mail_says_who_wrote_what(app: &TestApp) {
        let bot = project(app);
        let mail = "From: Ada <a@a.example>\r\nSubject: Fields\r\n\r\nWheat.\r\n";
        let (text, kind) = read(&bot, "a.eml", mail.as_bytes());
        assert_eq!(kind, "message/rfc822");
        assert!(text.starts_with("# Fields") && text.ends_with("Wheat."), "{text}");
    }

    fn what_can_not_be_read_is_stored_all_the_same(app: &TestApp) {
        let bot = project(app);
        for (name, bytes, word) in [
            ("a.bin", &b"\0\x01\x02\x03"[..], "unsupported"),
            ("a.mp3", b"ID3\x03\0\0\0\0\0\x21", "unsupported"),
            ("a.zip", &zip(&[("a.txt", "Words")]), "unsupported"),
            ("a.exe", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff", "unsupported"),
            ("a.rtf", b"{\\rtf1 Words}", "unsupported"),
            ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "unsupported"),
            ("a.txt", b" \r\n\t", "no_text"),
            ("a.png", &test_samples::image::png(10, 10, ""), "no_text"),
        ] {
            let form = Form::new().file(name, "application/octet-stream", bytes);
            let document = upload(&bot, &form);
            assert_eq!(status(&document), "failed", "{name}");
            assert_eq!(document["extraction"]["error"], json!(word), "{name}");
            assert!(document["extraction"]["finishedAt"].is_string(), "{name}");
            assert_eq!(document["extraction"]["chunkCount"], json!(0), "{name}");
            let download = bot.client.get(&super::download_at(&id(&document)));
            assert_eq!(download.bytes(), bytes, "{name}");
        }
    }
}
