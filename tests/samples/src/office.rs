//! Small files as the office programs and e-book tools write them.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
/// The names that all tags of Office are under here.
const NAMES: &str = "xmlns:w=\"w\" xmlns:r=\"r\" xmlns:a=\"a\" xmlns:p=\"p\" xmlns:mc=\"mc\"";

/// An archive of these parts, in this order, the first of which is not compressed.
pub fn zip(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (index, (name, content)) in parts.iter().enumerate() {
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let deflated = stored.compression_method(CompressionMethod::Deflated);
        archive.start_file(*name, if index == 0 { stored } else { deflated }).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The relations of a part: ids, kinds and targets.
pub fn relations(relations: &[(&str, &str, &str)]) -> String {
    let relation = |(id, kind, target): &(&str, &str, &str)| {
        format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
    };
    let all: String = relations.iter().map(relation).collect();
    format!("<?xml version=\"1.0\"?><Relationships xmlns=\"{RELATIONS}\">{all}</Relationships>")
}

/// A document of Word with this body.
pub fn docx(body: &str) -> Vec<u8> {
    let body =
        format!("<?xml version=\"1.0\"?><w:document {NAMES}><w:body>{body}</w:body></w:document>");
    let styles = "<w:styles>\
        <w:style w:type=\"paragraph\" w:styleId=\"berschrift1\"><w:name w:val=\"heading 1\"/></w:style>\
        <w:style w:type=\"paragraph\" w:styleId=\"berschrift2\"><w:name w:val=\"heading 2\"/><w:basedOn w:val=\"berschrift1\"/></w:style>\
        <w:style w:styleId=\"Own\"><w:name w:val=\"Own\"/><w:basedOn w:val=\"berschrift2\"/></w:style>\
        <w:style w:styleId=\"Listenabsatz\"><w:name w:val=\"List Paragraph\"/></w:style></w:styles>";
    let notes = "<w:footnotes><w:footnote w:id=\"2\"><w:p><w:r><w:t>A note.</w:t></w:r></w:p>\
        </w:footnote></w:footnotes>";
    zip(&[
        ("[Content_Types].xml", "<Types/>"),
        ("_rels/.rels", &relations(&[("rId1", "officeDocument", "word/document.xml")])),
        ("word/document.xml", &body),
        (
            "word/_rels/document.xml.rels",
            &relations(&[
                ("rId1", "styles", "styles.xml"),
                ("rId2", "footnotes", "/word/footnotes.xml"),
            ]),
        ),
        ("word/styles.xml", styles),
        ("word/footnotes.xml", notes),
    ])
}

/// Slides of PowerPoint, each with these shapes, and the notes of the first one.
pub fn pptx(slides: &[&str]) -> Vec<u8> {
    let ids: String = (1..=slides.len())
        .map(|n| format!("<p:sldId id=\"{}\" r:id=\"rId{n}\"/>", 255 + n))
        .collect();
    let main = format!("<p:presentation {NAMES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>");
    // The order of the files is not that of the slides.
    let name = |n: usize| format!("slides/slide{}.xml", slides.len() - n);
    let names: Vec<_> = (0..slides.len()).map(|n| (format!("rId{}", n + 1), name(n))).collect();
    let links: Vec<_> =
        names.iter().map(|(id, name)| (id.as_str(), "slide", name.as_str())).collect();
    let mut parts = vec![
        (
            "_rels/.rels".to_owned(),
            relations(&[("rId1", "officeDocument", "ppt/presentation.xml")]),
        ),
        ("ppt/presentation.xml".to_owned(), main),
        ("ppt/_rels/presentation.xml.rels".to_owned(), relations(&links)),
    ];
    for (slide, (_, name)) in slides.iter().zip(&names) {
        let slide = format!("<p:sld {NAMES}><p:cSld><p:spTree>{slide}</p:spTree></p:cSld></p:sld>");
        parts.push((format!("ppt/{name}"), slide));
    }
    let notes = shape(Some("body"), "Say this.") + &shape(Some("sldNum"), "1");
    let first = format!("ppt/slides/_rels/slide{}.xml.rels", slides.len());
    parts.push((first, relations(&[("rId1", "notesSlide", "../notesSlides/notes.xml")])));
    parts.push((
        "ppt/notesSlides/notes.xml".to_owned(),
        format!("<p:notes {NAMES}>{notes}</p:notes>"),
    ));
    let parts: Vec<_> = parts.iter().map(|(name, part)| (name.as_str(), part.as_str())).collect();
    zip(&parts)
}

/// A shape of a slide, in this place, with a paragraph.
pub fn shape(place: Option<&str>, text: &str) -> String {
    let place = match place {
        Some(place) => format!("<p:nvPr><p:ph type=\"{place}\"/></p:nvPr>"),
        None => String::new(),
    };
    let text = format!("<a:p><a:r><a:rPr/><a:t>{text}</a:t></a:r></a:p>");
    format!("<p:sp><p:nvSpPr>{place}</p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>")
}

/// A file of Excel with these sheets: names and rows.
pub fn xlsx(sheets: &[(&str, &str)]) -> Vec<u8> {
    let mut list = String::new();
    let mut links = vec![
        ("s".to_owned(), "sharedStrings", "sharedStrings.xml".to_owned()),
        ("f".to_owned(), "styles", "styles.xml".to_owned()),
    ];
    let mut parts = vec![
        ("_rels/.rels".to_owned(), relations(&[("rId1", "officeDocument", "xl/workbook.xml")])),
        (
            "xl/sharedStrings.xml".to_owned(),
            "<sst><si><t>Name</t></si><si><r><t>Ähre</t></r><r><t>n</t></r><rPh><t>no</t></rPh></si>\
             </sst>".to_owned(),
        ),
        (
            "xl/styles.xml".to_owned(),
            "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"dd.mm.yyyy\"/></numFmts>\
             <cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs>\
             <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"22\"/></cellXfs>\
             </styleSheet>".to_owned(),
        ),
    ];
    for (index, (name, rows)) in sheets.iter().enumerate() {
        list += &format!("<sheet name=\"{name}\" sheetId=\"{index}\" r:id=\"rId{index}\"/>");
        links.push((format!("rId{index}"), "worksheet", format!("worksheets/{index}.xml")));
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/{index}.xml"), sheet));
    }
    let links: Vec<_> =
        links.iter().map(|(id, kind, part)| (id.as_str(), *kind, part.as_str())).collect();
    parts.push(("xl/_rels/workbook.xml.rels".to_owned(), relations(&links)));
    parts.push((
        "xl/workbook.xml".to_owned(),
        format!("<workbook {NAMES}><sheets>{list}</sheets></workbook>"),
    ));
    let parts: Vec<_> = parts.iter().map(|(name, part)| (name.as_str(), part.as_str())).collect();
    zip(&parts)
}

/// A text of OpenDocument with this body.
pub fn odt(body: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content xmlns:office=\"o\" xmlns:text=\"t\" xmlns:table=\"b\" \
         xmlns:xlink=\"l\" xmlns:draw=\"d\"><office:body><office:text>{body}</office:text>\
         </office:body></office:document-content>"
    );
    zip(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &content),
        ("META-INF/manifest.xml", "<manifest:manifest xmlns:manifest=\"m\"/>"),
    ])
}

/// A book with these chapters.
pub fn epub(chapters: &[&str]) -> Vec<u8> {
    let (mut items, mut spine) = (String::new(), String::new());
    let mut parts = vec![
        ("mimetype".to_owned(), "application/epub+zip".to_owned()),
        (
            "META-INF/container.xml".to_owned(),
            "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>"
                .to_owned(),
        ),
    ];
    for (index, chapter) in chapters.iter().enumerate() {
        items = format!("<item id=\"c{index}\" href=\"text/chapter%20{index}.xhtml\"/>") + &items;
        spine += &format!("<itemref idref=\"c{index}\"/>");
        parts.push((format!("OEBPS/text/chapter {index}.xhtml"), (*chapter).to_owned()));
    }
    items += "<item id=\"nav\" href=\"nav.xhtml\" properties=\"nav\"/>";
    spine += "<itemref idref=\"nav\"/><itemref idref=\"none\"/>";
    let book = format!("<package><manifest>{items}</manifest><spine>{spine}</spine></package>");
    parts.push(("OEBPS/book.opf".to_owned(), book));
    parts.push(("OEBPS/nav.xhtml".to_owned(), "<p>Contents</p>".to_owned()));
    let parts: Vec<_> = parts.iter().map(|(name, part)| (name.as_str(), part.as_str())).collect();
    zip(&parts)
}
