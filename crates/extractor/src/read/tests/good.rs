//! What is in files of every type.

use super::*;
use crate::document::Page;
use test_samples::office::{docx, epub, odt, pptx, shape, xlsx};

const ODT: &str = "application/vnd.oasis.opendocument.text";

fn paragraph(style: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{style}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

#[test]
fn text_is_read_in_the_encoding_that_it_has() {
    let utf_16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect()
    };
    for bytes in [
        "Ähren – €".as_bytes().to_vec(),
        "\u{feff}Ähren – €".as_bytes().to_vec(),
        utf_16("Ähren – €"),
        b"\xc4hren \x96 \x80".to_vec(),
    ] {
        assert_eq!(text(&bytes, "text/plain"), "Ähren – €");
    }
    assert_eq!(text(b"a\0b", "text/x-rust"), "a\u{fffd}b");
    assert_eq!(text(b"a: 1 # b", "application/yaml"), "a: 1 # b");
    assert!(document(b"# A", "text/markdown").unwrap().is_markdown);
    assert!(!document(b"# A", "text/plain").unwrap().is_markdown);
}

#[test]
fn html_becomes_markdown() {
    let document = document(b"<h1>\xc3\x84hren</h1>", "text/html").unwrap();
    assert_eq!((document.text.as_str(), document.is_markdown), ("Ähren", true));
}

#[test]
fn each_row_of_a_table_says_what_its_values_are() {
    let table = "Name;City;Note\nAnna;\"Köln; Rhein\";\n;;\nBo;Ulm;x;y\n";
    let expected = "Name: Anna\nCity: Köln; Rhein\n\nName: Bo\nCity: Ulm\nNote: x\ny";
    assert_eq!(text(table.as_bytes(), "text/csv"), expected);
    assert_eq!(text(b"a\tb\n1\t2", "text/tab-separated-values"), "a: 1\nb: 2");
    assert_eq!(text(b"only,names\n", "text/csv"), "only,names\n");
}

#[test]
fn json_stays_as_it_is_if_it_has_lines() {
    let json = "{\n  \"a\": 1\n}";
    assert_eq!(text(json.as_bytes(), "application/json"), json);
    let long = format!("[\"{}\",1]", "a".repeat(1_000));
    assert_eq!(text(long.as_bytes(), "application/ld+json").lines().count(), 4);
}

#[test]
fn a_document_of_word_has_headings_lists_and_tables() {
    let list =
        |level| format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"3\"/></w:numPr>");
    let cell = |text: &str| format!("<w:tc>{}</w:tc>", paragraph("", text));
    let row = |a: &str, b: &str| format!("<w:tr>{}{}</w:tr>", cell(a), cell(b));
    let body = [
        paragraph("<w:pStyle w:val=\"berschrift1\"/>", "The &lt;farm&gt; &#x26; I"),
        paragraph("<w:tabs><w:tab/></w:tabs>", "First.</w:t><w:br/><w:t>Second."),
        paragraph("<w:pStyle w:val=\"Own\"/>", "Fields"),
        paragraph(&list(0), "Wheat"),
        paragraph(&list(1), "Rye"),
        paragraph("", "# none<!-- --></w:t></w:r><w:del><w:r><w:t>gone</w:t></w:r></w:del><w:r><w:t>!"),
        format!("<w:tbl>{}{}</w:tbl>", row("A", "B|C"), row("1", "2")),
        "<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r>\
         </w:p></w:txbxContent></mc:Choice><mc:Fallback><w:t>again</w:t></mc:Fallback>\
         </mc:AlternateContent><w:t>Around it</w:t></w:r></w:p>"
            .to_owned(),
    ];
    let expected = "# The <farm> & I\n\nFirst.\nSecond.\n\n## Fields\n\n- Wheat\n  - Rye\n\n\\# none!\n\n\
        | A | B\\|C |\n| --- | --- |\n| 1 | 2 |\n\nIn a box\n\nAround it\n\nA note.";
    let document = document(&docx(&body.concat()), DOCX).unwrap();
    assert_eq!(document.text, expected);
    assert!(document.is_markdown && document.pages.is_empty());
}

#[test]
fn each_slide_is_a_page_with_its_title_and_its_notes() {
    let table = "<p:graphicFrame><a:tbl><a:tr><a:tc><a:p><a:r><a:t>x</a:t></a:r></a:p></a:tc></a:tr>\
        </a:tbl></p:graphicFrame>";
    let first =
        shape(Some("body"), "One") + &shape(Some("title"), "Ä") + &shape(Some("dt"), "2026");
    let third = shape(None, "Beside") + table;
    let document = document(&pptx(&[&first, "", &third]), PPTX).unwrap();
    assert_eq!(document.text, "# Ä\n\n- One\n\n> Say this.\n\nBeside\n\n| x |\n| --- |");
    let page = |start, number| Page { start, number };
    assert_eq!(document.pages, [page(0, 1), page(25, 3)]);
}

#[test]
fn each_sheet_is_a_table_with_its_name() {
    let rows = "<row><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"inlineStr\"><is><t>Day</t></is></c>\
        <c r=\"D1\" t=\"str\"><f>A1</f><v>x</v></c></row><row><c r=\"A2\"/></row>\
        <row><c r=\"A3\" t=\"s\"><v>1</v></c><c r=\"B3\" s=\"1\"><v>46347</v></c>\
        <c r=\"C3\" t=\"b\"><v>1</v></c><c r=\"D3\"><v>0.30000000000000004</v></c></row>";
    let far = "<row><c r=\"XFD1\"><v>1</v></c><c t=\"s\"><v>99</v></c></row>";
    let expected = "# Farm\n\n| Name | Day |  | x |\n| --- | --- | --- | --- |\n\
        | Ähren | 2026-11-21 | TRUE | 0.3 |\n\n# Far &\n\n| 1 |  |\n| --- | --- |";
    assert_eq!(text(&xlsx(&[("Farm", rows), ("Far &amp;", far)]), XLSX), expected);
}

#[test]
fn parts_of_a_workbook_are_found_however_their_names_are_written() {
    let rows = "<row><c t=\"s\"><v>0</v></c></row><row><c t=\"s\"><v>1</v></c></row>";
    let file = xlsx(&[("Farm", rows)]);
    let expected = text(&file, XLSX);
    assert!(expected.contains("Ähren"), "{expected}");
    for (name, other) in [
        ("xl/sharedStrings.xml", "xl/SharedStrings.XML"),
        ("xl/worksheets/0.xml", "xl\\worksheets\\0.xml"),
    ] {
        // Names are as long as before, so everything stays in its place.
        let mut renamed = file.clone();
        let at = |from: usize| {
            let found = file.get(from..)?.windows(name.len()).position(|it| it == name.as_bytes());
            Some(from + found?)
        };
        let mut next = at(0);
        while let Some(place) = next {
            renamed[place..place + name.len()].copy_from_slice(other.as_bytes());
            next = at(place + 1);
        }
        assert_eq!(text(&renamed, XLSX), expected, "{other}");
    }
}

#[test]
fn a_text_of_opendocument_has_headings_lists_and_tables() {
    let body = "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>\
        <text:h text:outline-level=\"2\">Fields</text:h>\
        <text:p>One<text:s text:c=\"2\"/>two<text:line-break/>three<text:note>\
        <text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p>\
        </text:note-body></text:note></text:p>\
        <text:list><text:list-item><text:p>Wheat</text:p><text:list><text:list-item>\
        <text:p>Rye</text:p></text:list-item></text:list></text:list-item></text:list>\
        <table:table><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell>\
        <table:table-cell><text:p>B</text:p><text:p>b</text:p></table:table-cell></table:table-row>\
        <table:table-row table:number-rows-repeated=\"1000000\"><table:table-cell/></table:table-row>\
        </table:table>";
    let expected = "## Fields\n\nA note.\n\nOne  two\nthree\n\n- Wheat\n  - Rye\n\n\
        | A | B b |\n| --- | --- |";
    assert_eq!(text(&odt(body), ODT), expected);
}

#[test]
fn a_book_is_read_in_the_order_of_its_spine() {
    let book = epub(&["<h1># One</h1>", "<p>Zwei</p>\n"]);
    let document = document(&book, "application/epub+zip").unwrap();
    assert_eq!((document.text.as_str(), document.is_markdown), ("# One\n\nZwei", true));
}

#[test]
fn a_mail_says_who_wrote_what_and_names_what_is_attached() {
    let mail = "From: =?utf-8?Q?J=C3=B6rg?= <j@a.example>\r\nTo: b@a.example, C <c@a.example>\r\n\
        Subject: Fields\r\nDate: Sat, 21 Nov 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: multipart/alternative; \
        boundary=y\r\n\r\n--y\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\
        Content-Transfer-Encoding: quoted-printable\r\n\r\n=C4hren.\r\n# none\r\n\r\nJ=F6rg\r\n--y\r\n\
        Content-Type: text/html\r\n\r\n<p>Twice</p>\r\n--y--\r\n--x\r\nContent-Type: application/pdf; \
        name=plan.pdf\r\nContent-Disposition: attachment; filename=plan.pdf\r\n\r\n%PDF\r\n--x--\r\n";
    let expected = "# Fields\n\nFrom: Jörg <j@a.example>\nTo: b@a.example, C <c@a.example>\n\
        Date: 2026-11-21T10:00:00+01:00\n\nÄhren.\n\\# none\n\nJörg\n\nAttachments: plan.pdf";
    assert_eq!(text(mail.as_bytes(), "message/rfc822"), expected);
    let mail = "Subject: A\r\nContent-Type: text/html\r\n\r\n<p>Only &auml;</p>";
    assert_eq!(text(mail.as_bytes(), "message/rfc822"), "# A\n\nOnly &auml;");
}
