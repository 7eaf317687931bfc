//! What goes into the reading of a page, and what comes out.

use domain::crawl::CrawlUrl;

/// What the bytes of a page are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    Html,
    /// HTML that is written as XML.
    Xhtml,
    Markdown,
    Text,
}

/// What is kept of a page.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// Its title, on one line.
    pub title: Option<String>,
    /// Its main content. No line ends in blanks, and there is no U+0000 in it.
    pub markdown: String,
    /// Where its links lead, on its own site, each page once; none if it asks not to be followed.
    pub links: Vec<CrawlUrl>,
    /// Whether it has more of them than are taken.
    pub has_more_links: bool,
    /// What it says is its address.
    pub canonical: Option<CrawlUrl>,
    /// Whether it asks not to be kept.
    pub is_noindex: bool,
}
