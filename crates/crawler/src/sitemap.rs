//! Sitemaps (sitemaps.org): addresses of pages, and of other sitemaps.
//!
//! Only the elements `loc` are of interest. Entities that a document type declares are not known here,
//! and references to anything outside of the file are not followed.

use std::io::{BufRead, BufReader, Read};

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, Event};

use domain::http_url::URL_MAX;
use flate2::bufread::MultiGzDecoder;

use crate::body::GZIP;

/// How deep elements lie in each other at most. What lies deeper is no sitemap, and its reader remembers
/// all elements that are open.
const DEPTH_MAX: usize = 16;

/// What a sitemap names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sitemap {
    /// Pages.
    pub(crate) pages: Vec<String>,
    /// Other sitemaps.
    pub(crate) maps: Vec<String>,
}

impl Sitemap {
    /// Reads at most `limit` bytes of a file, and if it is compressed of what is in it, and at most `most`
    /// addresses. What can't be read to its end counts as far as it can.
    pub(crate) fn read(file: impl Read, limit: u64, most: usize) -> Self {
        // Bounded here as well: what is compressed may come to nothing, and have no end.
        let mut file = BufReader::new(file.take(limit));
        let is_gzip = file.fill_buf().is_ok_and(|start| start.starts_with(GZIP));
        let mut found = Self::default();
        // The reader fails at the end of a file that is cut off, and all before that is kept.
        if is_gzip {
            let file = BufReader::new(MultiGzDecoder::new(file).take(limit));
            let _ = found.collect(Reader::from_reader(file), most);
        } else {
            let _ = found.collect(Reader::from_reader(file), most);
        }
        found
    }

    fn collect(
        &mut self,
        mut xml: Reader<impl BufRead>,
        most: usize,
    ) -> Result<(), quick_xml::Error> {
        let (mut buffer, mut text) = (Vec::new(), String::new());
        // In which entry the reader is, and whether in its `loc`.
        let (mut of_map, mut in_loc) = (false, false);
        let mut depth = 0_usize;
        while depth <= DEPTH_MAX && self.pages.len() + self.maps.len() < most {
            buffer.clear();
            let event = xml.read_event_into(&mut buffer)?;
            match event {
                Event::Start(tag) => {
                    depth += 1;
                    match tag.local_name().as_ref() {
                        b"url" => of_map = false,
                        b"sitemap" => of_map = true,
                        _ => {}
                    }
                    in_loc = tag.name().as_ref() == b"loc";
                    text.clear();
                }
                Event::End(_) => {
                    depth = depth.saturating_sub(1);
                    if std::mem::take(&mut in_loc) {
                        let list = if of_map { &mut self.maps } else { &mut self.pages };
                        list.push(std::mem::take(&mut text));
                    }
                }
                Event::Text(part) if in_loc => push(&mut text, &part.decode()?),
                Event::CData(part) if in_loc => push(&mut text, &part.decode()?),
                Event::GeneralRef(reference) if in_loc => push(&mut text, &resolve(&reference)),
                Event::Eof => break,
                Event::Empty(_)
                | Event::Text(_)
                | Event::CData(_)
                | Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_)
                | Event::GeneralRef(_) => {}
            }
        }
        Ok(())
    }
}

/// Adds to an address; one that is too long stays too long, and is no more than that.
fn push(text: &mut String, part: &str) {
    if text.len() <= URL_MAX {
        text.push_str(part);
    }
}

fn resolve(reference: &BytesRef<'_>) -> String {
    match (reference.resolve_char_ref(), reference.decode()) {
        (Ok(Some(char)), _) => char.into(),
        (_, Ok(name)) => resolve_predefined_entity(&name).unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    const LIMIT: u64 = 1 << 20;

    fn read(file: &str) -> Sitemap {
        Sitemap::read(file.as_bytes(), LIMIT, 100)
    }

    fn urls(count: usize) -> String {
        let url = |n| format!("<url><loc>http://a.example/{n}</loc></url>");
        format!("<urlset>{}</urlset>", (0..count).map(url).collect::<String>())
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn pages_and_maps_are_distinguished() {
        let file = r#"<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e "http://b.example/">]>
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><!-- <loc>no</loc> -->
            <url><loc>http://a.example/?a=1&amp;b=2&#x26;c</loc><lastmod>2026-01-01</lastmod>
            <image:image><image:loc>http://a.example/i.png</image:loc></image:image></url>
            <url><loc><![CDATA[http://a.example/?a&b]]></loc></url><url><loc>&e;</loc></url>
            <sitemap><loc>http://a.example/more.xml</loc></sitemap></urlset>"#;
        let pages = ["http://a.example/?a=1&b=2&c", "http://a.example/?a&b", ""];
        let expected = Sitemap {
            pages: pages.map(str::to_owned).to_vec(),
            maps: vec!["http://a.example/more.xml".to_owned()],
        };
        assert_eq!(read(file), expected);
    }

    #[test]
    fn what_is_no_sitemap_names_nothing() {
        for file in ["", "<", "http://a.example/", "<html><p>x<br></html>", "<urlset/>", "\0"] {
            assert_eq!(read(file), Sitemap::default(), "{file}");
        }
    }

    #[test]
    fn a_sitemap_counts_as_far_as_it_can_be_read() {
        assert_eq!(read(&urls(1_000)).pages.len(), 100);
        let (file, bytes) = (urls(10), urls(5).len() as u64);
        assert_eq!(Sitemap::read(file.as_bytes(), bytes, 100).pages.len(), 5);
        let zipped = gzip(&file);
        assert_eq!(Sitemap::read(&zipped[..], LIMIT, 100).pages.len(), 10);
        assert_eq!(Sitemap::read(&zipped[..], bytes, 100).pages.len(), 5);
        let long = format!("<url><loc>{}</loc></url>", "&amp;".repeat(100_000));
        assert_eq!(read(&long).pages[0].len(), URL_MAX + 1);
    }

    #[test]
    fn a_sitemap_that_is_compressed_to_nothing_is_read_no_further() {
        let empty = gzip("");
        let after = |bytes: u64| {
            let many = empty.repeat(usize::try_from(bytes).unwrap() / empty.len());
            let file = [many, gzip(&urls(1))].concat();
            Sitemap::read(&file[..], LIMIT, 100).pages.len()
        };
        assert_eq!(after(LIMIT / 2), 1);
        assert_eq!(after(LIMIT), 0);
    }

    #[test]
    fn a_sitemap_that_is_too_deep_is_read_no_further() {
        let below = |depth| format!("{}<url><loc>/a</loc></url>", "<a>".repeat(depth));
        assert_eq!(read(&below(DEPTH_MAX - 2)).pages, ["/a"]);
        assert_eq!(read(&below(DEPTH_MAX - 1)), Sitemap::default());
        // What has ended is not deep.
        let beside = "<a><a></a></a>".repeat(DEPTH_MAX);
        assert_eq!(read(&format!("<urlset>{beside}{}", below(0))).pages, ["/a"]);
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(file: Vec<u8>, parts in "(<(/)?(url|sitemap|loc)>|&(amp|#x|#)?;?|a){0,20}") {
            let _ = Sitemap::read(&file[..], LIMIT, 100);
            prop_assert!(read(&parts).pages.len() <= 20);
        }
    }
}
