//! Pages as real sites have them, against what a person would write down of them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use domain::crawl::CrawlUrl;
use proptest::prelude::*;

use super::{assert_is_clean, read_html};
use crate::page::{PageKind, Read, read};

/// The pages, with where they were found.
const PAGES: [(&str, &str); 17] = [
    ("blog-post", "https://www.mill-lane.example/2024/03/three-winters/?utm_source=feed"),
    ("broken", "http://allotments.example/rules"),
    ("documentation", "https://larch.example/docs/2.4/guide/config.html"),
    ("event-list", "https://kallenburg.example/events?month=6"),
    ("faq", "https://library.example/faq"),
    ("forum-thread", "https://bread.example/forum/viewtopic.php?t=88"),
    ("glossary", "https://press-room.example/glossary"),
    ("library-shift-jis", "http://lib.midorikawa.example/guide/"),
    ("municipal-latin-1", "https://www.grossmuehlen.example/buergerservice/ausweis.php"),
    ("news-article", "https://harbour-herald.example/a/2201"),
    ("nineties-tables", "http://railways.example/~bob/"),
    ("press-release", "https://press.kestrel.example/2024/battery-trains.html"),
    ("recipe", "https://anna-bakes.example/lemon-cookies"),
    ("role-main", "https://bank.example/private/account.aspx"),
    ("shop-product", "https://nordhike.example/p/fjell-3?colour=red"),
    ("spa-shell", "https://timetable.example/"),
    ("wiki-article", "https://en.wikilike.example/wiki/Lake_Varen?oldid=7"),
];

fn page(name: &str) -> Vec<u8> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page/tests/pages");
    fs::read(pages.join(format!("{name}.html"))).unwrap()
}

/// All that is kept of a page, as text.
fn shown(read: &Read) -> String {
    let mut shown = format!("title: {}\n", read.title.as_deref().unwrap_or("-"));
    if let Some(canonical) = &read.canonical {
        writeln!(shown, "canonical: {canonical}").unwrap();
    }
    if read.is_noindex {
        shown.push_str("noindex\n");
    }
    shown.push_str("\n--- content\n\n");
    shown.push_str(&read.markdown);
    shown.push_str("\n\n--- links\n\n");
    for link in &read.links {
        writeln!(shown, "{link}").unwrap();
    }
    shown
}

#[test]
fn saved_pages_become_the_markdown_of_their_main_content() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _settings = settings.bind_to_scope();
    for (name, url) in PAGES {
        let read = read_html(&page(name), url);
        assert_is_clean(&read);
        insta::assert_snapshot!(name, shown(&read));
    }
}

#[test]
fn every_saved_page_is_looked_at() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page/tests/pages");
    assert_eq!(fs::read_dir(pages).unwrap().count(), PAGES.len());
}

/// What damage puts in.
const PIECES: &[&str] = &[
    "<",
    ">",
    "\"",
    "'",
    "=",
    "&",
    "&#0;",
    "&#x",
    "\0",
    "\r",
    "\u{e4}",
    "<!--",
    "-->",
    "</",
    "/>",
    "<![CDATA[",
    "<p>",
    "</p>",
    "<div hidden>",
    "<table>",
    "</table>",
    "<td colspan=9 rowspan=9>",
    "<tr>",
    "<li>",
    "</ul>",
    "<ol start=99999>",
    "<a href=x>",
    "</a>",
    "<b>",
    "</i>",
    "<pre>",
    "</pre>",
    "<code>",
    "`",
    "<title>",
    "<script>",
    "</script>",
    "<svg>",
    "<template>",
    "<main>",
    "</main>",
    "<blockquote>",
    "<dl><dt>",
    "<dd>",
    "<h1>",
    "<button>",
    "<noscript>",
    "<br><br>",
    "<hr>",
    "<img alt=a src=b>",
    "<base href=/c/>",
    "<nav>",
    "</body>",
];

/// A change to a page: at a place, how much goes, and what comes instead.
fn damage() -> impl Strategy<Value = (prop::sample::Index, usize, Vec<u8>)> {
    let piece = prop::sample::select(PIECES).prop_map(|piece| piece.as_bytes().to_vec());
    let bytes = prop::collection::vec(any::<u8>(), 0..4);
    (any::<prop::sample::Index>(), 0_usize..60, prop_oneof![4 => piece, 1 => bytes])
}

proptest! {
    #[test]
    fn damaged_pages_are_read_all_the_same(
        (name, url) in prop::sample::select(&PAGES[..]),
        damages in prop::collection::vec(damage(), 1..40),
    ) {
        let mut bytes = page(name);
        for (place, gone, new) in damages {
            let start = place.index(bytes.len() + 1);
            let end = bytes.len().min(start + gone);
            bytes.splice(start..end, new);
        }
        // Little but damage is no text any more.
        let url = CrawlUrl::parse(url, false).unwrap();
        if let Ok(read) = read(&bytes, PageKind::Html, None, &url) {
            assert_is_clean(&read);
        }
    }
}
