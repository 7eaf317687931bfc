//! PDFs, made by hand.

use std::fmt::Write as _;

/// How a page of a PDF begins and ends whose content is the middle.
const TEXT: (&str, &str) = ("BT /F 12 Tf 72 720 Td 14 TL ", "ET");

/// A PDF whose pages have these lines each.
pub fn pdf(pages: &[&[&str]]) -> Vec<u8> {
    let contents: Vec<_> = pages.iter().map(|lines| text(lines)).collect();
    pdf_of(&contents, "", &[])
}

fn text(lines: &[&str]) -> String {
    let mut content = TEXT.0.to_owned();
    for line in lines {
        writeln!(content, "({line}) Tj T*").unwrap();
    }
    content + TEXT.1
}

/// A PDF whose pages draw this, with more resources, and objects for them that count from 4.
pub fn pdf_of(contents: &[String], resources: &str, objects: &[Vec<u8>]) -> Vec<u8> {
    let first = 4 + objects.len();
    let kids: String =
        (0..contents.len()).map(|page| format!("{} 0 R ", first + 2 * page)).collect();
    let count = contents.len();
    let mut all = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Count {count} /Kids [{kids}] >>").into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
            .to_vec(),
    ];
    all.extend_from_slice(objects);
    for (page, content) in contents.iter().enumerate() {
        let at = first + 2 * page + 1;
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {at} 0 R \
             /Resources << /Font << /F 3 0 R >> {resources} >> >>"
        );
        all.push(page.into_bytes());
        all.push(stream("", content.as_bytes()));
    }
    written(&all)
}

/// A stream with more entries in its dictionary.
pub fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("<< {entries} /Length {} >>\nstream\n", bytes.len());
    [head.as_bytes(), bytes, b"\nendstream"].concat()
}

/// A PDF of these objects, the first of which is the catalogue.
pub fn written(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(objects) {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        file.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    let id = "<00112233445566778899aabbccddeeff>";
    let end = format!(
        "trailer\n<< /Size {size} /Root 1 0 R /ID [{id} {id}] >>\nstartxref\n{start}\n%%EOF\n"
    );
    file.extend_from_slice(table.as_bytes());
    file.extend_from_slice(end.as_bytes());
    file
}
