//! Hostile and broken files. Whatever a file is, its document has an error code or chunks, the server goes on
//! and its memory does not grow, and no process is left that reads it.

use botyard_tests::memory::Memory;
use botyard_tests::{Database, Form, TestApp, each_database};
use serde_json::{Value, json};

use super::processes::until_no_worker_is_left;
use super::{UPLOAD, download_at, post, project, settled, status, text_form, texts, upload};
use crate::fusion::sha256;
use crate::skills::id;
use test_samples::image::png;
use test_samples::office::{docx, odt, pptx, xlsx, zip};
use test_samples::pdf::{pdf, pdf_of, stream, written};

/// The words that a file may end with which breaks its reader, or is passed over, in a way that depends on
/// the machine.
const BROKEN: [&str; 7] =
    ["corrupt", "crashed", "memory", "timeout", "too_large", "no_text", "ocr_unavailable"];

/// A file: its name, its bytes, the words that may become of it; none stands for chunks.
type File = (&'static str, Vec<u8>, &'static [&'static str]);

/// Uploads each of these files to a server of its own, and looks at what that does to it.
#[track_caller]
fn check(database: Database, files: &[File]) {
    let app = TestApp::start(database, &[]);
    let bot = project(&app);
    // What every server needs that has ever read a file.
    for form in [
        text_form("a.txt", &"Words ".repeat(300_000)),
        Form::new().file("a.pdf", "application/pdf", &pdf(&[&["Words"]])),
    ] {
        assert_eq!(status(&upload(&bot, &form)), "finished");
    }
    let memory = Memory::of(&app);
    for (name, bytes, words) in files {
        let form = Form::new().file(name, "application/octet-stream", bytes);
        let answer = post(&bot.client, UPLOAD, &form.text("ocrEnabled", "true"));
        // It may take longer than an upload waits.
        let document = settled(&bot, &id(&answer.ok()["projectDoc"]));
        let error = &document["extraction"]["error"];
        if words.is_empty() {
            assert_eq!((status(&document), error), ("finished", &Value::Null), "{name}");
        } else {
            assert_eq!(status(&document), "failed", "{name}");
            assert!(words.iter().any(|word| *error == json!(word)), "{name}: {error}");
            assert_eq!(super::chunks(&bot.client, &id(&document)), Vec::<Value>::new(), "{name}");
        }
        assert_eq!(document["sha256"], json!(sha256(bytes)), "{name}");
        until_no_worker_is_left(&app);
        assert_eq!(bot.client.get("/healthz").status(), 200);
    }
    // Others are read as before.
    let after = upload(&bot, &text_form("b.txt", &bot.text("Words")));
    assert_eq!(texts(&bot.client, &id(&after)), [bot.text("Words")]);
    memory.is_unmoved();
}

/// A document of Word with this text.
fn word(text: &str) -> Vec<u8> {
    docx(&format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"))
}

fn half(bytes: &[u8]) -> Vec<u8> {
    bytes[..bytes.len() / 2].to_vec()
}

/// Elements in one another.
fn deep(start: &str, end: &str, depth: usize) -> String {
    start.repeat(depth) + &end.repeat(depth)
}

each_database! {
    fn files_that_are_cut_off(database: Database) {
        let row = "<row><c><v>1</v></c></row>";
        check(database, &[
            ("a.pdf", half(&pdf(&[&["Words"]])), &["corrupt"]),
            ("b.pdf", b"%PDF-1.7".to_vec(), &["corrupt"]),
            ("a.docx", half(&word("Words")), &["corrupt"]),
            ("a.xlsx", half(&xlsx(&[("Sheet", row)])), &["corrupt"]),
            ("a.pptx", half(&pptx(&[""])), &["corrupt"]),
            ("a.odt", half(&odt("<text:p>Words</text:p>")), &["corrupt"]),
            ("a.png", png(10, 10, "")[..12].to_vec(), &["corrupt", "ocr_unavailable"]),
            ("a.html", b"<html><body><p>Words <b".to_vec(), &[]),
            ("a.json", b"{\"a\": [1, 2".to_vec(), &[]),
        ]);
    }

    fn very_many_chunks(database: Database) {
        let app = TestApp::start(database, &[("EXTRACTION__CHUNKS", "1000")]);
        let bot = project(&app);
        let words = |count: usize| "a".repeat(99 * count);
        for (count, outcome) in [(900, "finished"), (1_100, "failed")] {
            let form = text_form("a.txt", &words(count)).text("maxChars", "100");
            let document = upload(&bot, &form.text("maxOverlap", "0"));
            assert_eq!(status(&document), outcome, "{count}");
        }
        // Those of the second that were stored already are gone.
        assert!(super::stored_chunks(&bot.tenant) <= 1_000);
        super::is_quiet(&bot.tenant);
        assert_eq!(super::stored_chunks(&bot.tenant), 891);
    }

    fn as_many_chunks_as_there_may_be(database: Database) {
        let app = TestApp::start(database, &[]);
        let bot = project(&app);
        assert_eq!(status(&upload(&bot, &text_form("a.txt", &"Words ".repeat(300_000)))), "finished");
        let memory = Memory::of(&app);
        let count = 95_000;
        let form = text_form("b.txt", &"a".repeat(100 * count)).text("maxChars", "100");
        let document = upload(&bot, &form.text("maxOverlap", "0"));
        assert_eq!(document["extraction"]["chunkCount"], json!(count));
        assert_eq!(super::chunks(&bot.client, &id(&document)).len(), count);
        assert_eq!(bot.client.delete(&super::at(&id(&document))).status(), 200);
        super::is_quiet(&bot.tenant);
        memory.is_unmoved();
    }

    fn a_file_that_takes_too_long_or_too_much(database: Database) {
        let app = TestApp::start(database, &[("EXTRACTION__CPU", "1s"), ("EXTRACTION__MEMORY", "256MiB")]);
        let bot = project(&app);
        let many = docx(&"<w:p><w:r><w:t>a</w:t></w:r></w:p>".repeat(3_000_000));
        let form = Form::new().file("a.docx", "x/y", &many);
        let document = upload(&bot, &form);
        assert_eq!(status(&document), "failed");
        let error = document["extraction"]["error"].as_str().unwrap();
        assert!(["timeout", "memory", "too_large"].contains(&error), "{error}");
        until_no_worker_is_left(&app);
        assert_eq!(status(&upload(&bot, &text_form("b.txt", "Words"))), "finished");
    }

    fn a_large_file_goes_in_and_out_without_a_trace(database: Database) {
        let app = TestApp::start(database, &[]);
        let bot = project(&app);
        let document = id(&upload(&bot, &text_form("a.txt", &"Words ".repeat(300_000))));
        assert_eq!(bot.client.get(&download_at(&document)).status(), 200);
        let memory = Memory::of(&app);
        let bytes = vec![7; 90 << 20];
        let form = Form::new().file("a", "application/octet-stream", &bytes).text("extract", "false");
        let document = id(&post(&bot.client, UPLOAD, &form).ok()["projectDoc"]);
        assert!(bot.client.get(&download_at(&document)).bytes() == bytes);
        memory.is_unmoved();
    }
}

// What becomes of a file is decided where it is read; the database has no part in it.

#[test]
fn files_without_anything_in_them() {
    check(
        Database::Sqlite,
        &[
            ("a.bin", vec![0; 1_000], &["unsupported"]),
            ("a.pdf", vec![0; 1_000], &["corrupt"]),
            ("a.docx", vec![0; 1_000], &["corrupt"]),
            ("a.txt", b" \n\r\n\t ".to_vec(), &["no_text"]),
            ("a.html", b"<html><body><script>1</script></body></html>".to_vec(), &["no_text"]),
            ("b.pdf", pdf(&[&[], &["  "]]), &["no_text", "ocr_unavailable"]),
            ("b.docx", word(" "), &[]),
            ("a.zip", zip(&[]), &["unsupported"]),
        ],
    );
}

#[test]
fn files_of_another_type_than_their_name_says() {
    check(
        Database::Sqlite,
        &[
            ("a.pdf", b"Words".to_vec(), &[]),
            ("b.pdf", word("Words"), &[]),
            ("a.docx", pdf(&[&["Words"]]), &[]),
            ("b.docx", zip(&[("a.txt", "Words")]), &["corrupt"]),
            ("a.xlsx", b"\0\x01\x02\x03".to_vec(), &["corrupt"]),
            ("a.txt", b"\0\x01\x02\x03".to_vec(), &["unsupported"]),
            ("b.txt", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec(), &["unsupported"]),
            ("a.png", b"Words".to_vec(), &[]),
            ("a.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0 no more".to_vec(), &["corrupt"]),
        ],
    );
}

#[test]
fn entities_that_grow_without_an_end() {
    let lol = (1..10)
        .map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)))
        .collect::<String>();
    let bomb = format!("<!DOCTYPE x [<!ENTITY l0 \"lol\">{lol}]>");
    let outside = "<!DOCTYPE x [<!ENTITY l9 SYSTEM \"file:///etc/passwd\">]>";
    let document = |head: &str| {
        let body = "<w:document xmlns:w=\"w\"><w:p><w:r><w:t>&l9;</w:t></w:r></w:p></w:document>";
        zip(&[("a", ""), ("word/document.xml", &format!("{head}{body}"))])
    };
    check(
        Database::Sqlite,
        &[
            ("a.docx", document(&bomb), &["corrupt"]),
            ("b.docx", document(outside), &["corrupt"]),
            // Entities and aliases in these files are not expanded.
            ("a.xml", format!("{bomb}<x>&l9;</x>").into_bytes(), &[]),
            ("a.html", format!("<html>{outside}<p>&l9; Words</p>").into_bytes(), &[]),
            ("a.svg", format!("{bomb}<svg>&l9;</svg>").into_bytes(), &[]),
            ("a.yaml", format!("a: &a [x]\n{}", "b: [*a,*a]\n".repeat(1_000)).into_bytes(), &[]),
        ],
    );
}

#[test]
fn archives_that_unpack_to_very_much() {
    let blanks = " ".repeat(64 << 20);
    let row = format!("<row>{}</row>", "<c t=\"s\"><v>1</v></c>".repeat(1_000));
    check(
        Database::Sqlite,
        &[
            ("a.docx", word(&"a".repeat(21 << 20)), &["too_large"]),
            // There is a note in it all the same.
            ("b.docx", docx(&blanks), &[]),
            ("a.xlsx", xlsx(&[("Sheet", &row.repeat(3_000))]), &["too_large", "timeout", "memory"]),
            ("a.odt", odt(&format!("<text:p>{}</text:p>", "a".repeat(21 << 20))), &["too_large"]),
        ],
    );
}

#[test]
fn a_pdf_that_is_encrypted() {
    let encrypted = include_bytes!("samples/encrypted.pdf").to_vec();
    let mut compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    compound.resize(1 << 16, 0);
    compound.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    compound.resize((1 << 16) + 1_000, 0);
    check(
        Database::Sqlite,
        &[("a.pdf", encrypted, &["encrypted"]), ("a.docx", compound, &["encrypted"])],
    );
}

#[test]
fn a_pdf_of_5000_pages() {
    check(
        Database::Sqlite,
        &[("a.pdf", pdf(&vec![&["A page with some words."][..]; 5_000]), &["too_large"])],
    );
}

#[test]
fn too_much_text() {
    check(
        Database::Sqlite,
        &[
            ("a.txt", vec![b'a'; (20 << 20) + 1], &["too_large"]),
            (
                "a.csv",
                format!("{}\n{}", "n".repeat(100_000), "1\n".repeat(1_000)).into_bytes(),
                &["too_large"],
            ),
        ],
    );
}

#[test]
fn things_in_one_another_without_an_end() {
    let depth = 100_000;
    let json = deep("[", "]", depth);
    let html = format!("<html><body>{}Words{}", "<div>".repeat(depth), "</div>".repeat(depth));
    let mail = "Content-Type: message/rfc822\r\n\r\n".repeat(50_000) + "a";
    check(
        Database::Sqlite,
        &[
            ("a.json", json.into_bytes(), &[]),
            ("a.html", html.into_bytes(), &[]),
            ("a.docx", docx(&deep("<w:p>", "</w:p>", depth)), &["too_large"]),
            ("b.docx", docx(&"<w:tbl><w:tr><w:tc>".repeat(depth)), &["too_large"]),
            ("a.odt", odt(&deep("<text:list>", "</text:list>", depth)), &["too_large"]),
            ("a.eml", mail.into_bytes(), &["too_large"]),
            ("a.yaml", deep("- ", "", depth).into_bytes(), &[]),
            ("a.xml", deep("<a>", "</a>", depth).into_bytes(), &[]),
        ],
    );
}

#[test]
fn a_pdf_in_itself_without_an_end() {
    let depth = 200_000;
    let catalogue = b"<< /Type /Catalog /Pages 2 0 R >>".to_vec();
    let page = b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>".to_vec();
    let own_kid = b"<< /Type /Pages /Count 1 /Kids [2 0 R] >>".to_vec();
    let text = stream("", b"BT (text) Tj ET");
    let nest = deep("[", "]", depth);
    check(
        Database::Sqlite,
        &[
            (
                "a.pdf",
                pdf_of(&["q Q".to_owned()], "/X 4 0 R", &[nest.clone().into_bytes()]),
                &BROKEN,
            ),
            ("b.pdf", pdf_of(&[format!("{nest} TJ")], "", &[]), &BROKEN),
            ("c.pdf", pdf_of(&[deep("<</A", ">>", depth) + " TJ"], "", &[]), &BROKEN),
            ("d.pdf", written(&[catalogue, own_kid, page, text]), &BROKEN),
        ],
    );
}

#[test]
fn an_image_of_a_hundred_megapixels() {
    check(
        Database::Sqlite,
        &[
            ("a.png", png(10_000, 10_000, ""), &["too_large", "ocr_unavailable"]),
            ("b.png", png(u32::MAX, u32::MAX, ""), &["too_large", "ocr_unavailable"]),
            ("c.png", png(0, 0, ""), &["corrupt", "ocr_unavailable", "no_text"]),
        ],
    );
}
