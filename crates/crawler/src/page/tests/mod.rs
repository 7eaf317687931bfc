//! Whole pages: saved ones against snapshots, hostile ones, and saved ones with random damage.

mod files;
mod hostile;
mod rules;
mod saved;

use domain::crawl::CrawlUrl;

use super::{PageKind, Read, read};

/// Reads a page of HTML at an address.
fn read_html(bytes: &[u8], url: &str) -> Read {
    let url = CrawlUrl::parse(url, false).unwrap();
    read(bytes, PageKind::Html, None, &url).unwrap()
}

/// The main content of a document.
fn markdown_of(html: &str) -> String {
    read_html(html.as_bytes(), "https://www.example.org/dir/page").markdown
}

/// What no page may make of the Markdown.
fn assert_is_clean(read: &Read) {
    let markdown = &read.markdown;
    assert!(!markdown.contains('\0'), "{markdown}");
    assert_eq!(markdown.trim(), markdown, "blanks around it");
    assert!(markdown.lines().all(|line| line.trim_end() == line), "blanks at the end of a line");
    let mut fence = None;
    let mut before = "";
    for line in markdown.lines() {
        let is_prefix = |char: char| char.is_ascii_digit() || " >-.".contains(char);
        let inner = line.trim_start_matches(is_prefix);
        let after = inner.trim_start_matches('`');
        let ticks = inner.len() - after.len();
        match fence {
            None if ticks > 2 && !after.contains('`') => fence = Some(ticks),
            Some(begun) if ticks >= begun && after.is_empty() => fence = None,
            _ => {}
        }
        let is_second = line.is_empty() && before.is_empty() && fence.is_none();
        assert!(!is_second, "two empty lines:\n{markdown}");
        before = line;
    }
    let title = read.title.as_deref().unwrap_or("-");
    assert!(!title.is_empty() && !title.contains(char::is_control), "{title}");
}
