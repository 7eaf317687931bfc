//! A PDF to read: made up, the same each time, with text as programs set it that write books.

use crate::bench::words::Words;

const PARAGRAPHS: u32 = 5;
/// Of a paragraph.
const LINES: u32 = 9;
/// Of a line.
const WORDS: u32 = 12;
/// The catalogue, the list of pages and two fonts.
const BEFORE_PAGES: u32 = 4;

/// A PDF with so many pages of 3 to 4 KB of text each, which is not compressed.
pub fn pdf(pages: u32) -> Vec<u8> {
    let page = |number| BEFORE_PAGES + 1 + 2 * number;
    let kids: String = (0..pages).map(|number| format!("{} 0 R ", page(number))).collect();
    let font = |name| {
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
    };
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Count {pages} /Kids [ {kids}] >>"),
        font("Helvetica"),
        font("Helvetica-Bold"),
    ];
    for number in 0..pages {
        let content = content(number);
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents {} 0 R \
             /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>",
            page(number) + 1
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    written(&objects).into_bytes()
}

/// What draws a page: a title, and paragraphs below it. The blanks between words are steps to the
/// right.
fn content(number: u32) -> String {
    let mut words = Words(u64::from(number) + 1);
    let mut content = format!("BT\n/F2 16 Tf\n72 780 Td\n({}) Tj\n", words.title());
    content += "/F1 10 Tf\n14 TL\n0 -14 Td\nT*\n";
    for _ in 0..PARAGRAPHS {
        for _ in 0..LINES {
            let line: Vec<_> = (0..WORDS).map(|_| words.word()).collect();
            content += &format!("[({})] TJ\nT*\n", line.join(")-278("));
        }
        content += "T*\n";
    }
    content + "ET"
}

/// A file of these objects, the first of which is the catalogue.
fn written(objects: &[String]) -> String {
    let count = objects.len() + 1;
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = format!("xref\n0 {count}\n0000000000 65535 f \n");
    for (number, object) in (1..).zip(objects) {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    file + &table
        + &format!("trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_where_each_object_is() {
        let file = String::from_utf8(pdf(3)).unwrap();
        let start: usize = file.lines().rev().nth(1).unwrap().parse().unwrap();
        let mut lines = file.get(start..).unwrap().lines();
        assert_eq!((lines.next(), lines.next()), (Some("xref"), Some("0 11")));
        for (number, line) in lines.skip(1).take(10).enumerate() {
            let at: usize = line.split(' ').next().unwrap().parse().unwrap();
            let object = file.get(at..).unwrap();
            assert!(object.starts_with(&format!("{} 0 obj\n", number + 1)), "{line}");
        }
    }

    #[test]
    fn pages_have_the_text_of_real_ones() {
        for number in 0..200 {
            let content = content(number);
            let lines: Vec<_> = content.lines().filter(|line| line.ends_with("TJ")).collect();
            assert_eq!(lines.len(), 45);
            let text: usize = lines.iter().map(|line| line.replace(")-278(", " ").len()).sum();
            assert!((3_000..=4_500).contains(&text), "page {number}: {text}");
        }
    }
}
