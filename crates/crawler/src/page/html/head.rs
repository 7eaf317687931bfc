//! What a document says about itself, and where its links lead.

use std::collections::HashSet;

use domain::crawl::CrawlUrl;

use super::tag::{Attribute, Tag};
use crate::page::text;
use crate::product::PRODUCT;

/// How many links of a page are followed at most, without those that leave its site.
const LINKS_MAX: usize = 10_000;
/// How many are looked at for that: many pages have some of them more than once, or lead elsewhere.
const LINKS_EXAMINED_MAX: usize = 50_000;

/// What a document says about itself.
#[derive(Debug)]
pub(super) struct Head {
    /// Where the document is, if that is known.
    url: Option<CrawlUrl>,
    /// What its addresses are relative to, if that is known.
    pub base: Option<CrawlUrl>,
    has_base: bool,
    /// What `<title>` says, as it stands there.
    pub title: String,
    /// What it is called where it is shared.
    pub shared_title: Option<String>,
    /// Where links lead on the document's site, each page once.
    pub links: Vec<CrawlUrl>,
    /// Whether there are more of them.
    pub has_more_links: bool,
    known: HashSet<String>,
    links_examined: usize,
    pub canonical: Option<CrawlUrl>,
    pub is_noindex: bool,
    pub is_nofollow: bool,
}

impl Head {
    /// The head of the document with this address, if it has one, before anything was read.
    pub(super) fn new(url: Option<&CrawlUrl>) -> Self {
        Self {
            url: url.cloned(),
            base: url.cloned(),
            has_base: false,
            title: String::new(),
            shared_title: None,
            links: Vec::new(),
            has_more_links: false,
            known: HashSet::new(),
            links_examined: 0,
            canonical: None,
            is_noindex: false,
            is_nofollow: false,
        }
    }

    /// Looks at a tag, wherever it stands.
    pub(super) fn start(&mut self, tag: &Tag) {
        match &*tag.name {
            b"a" | b"area" if !tag.has_word(Attribute::Rel, "nofollow") => {
                self.follow(tag.get(Attribute::Href));
            }
            b"frame" => self.follow(tag.get(Attribute::Src)),
            b"base" => {
                let base = tag.get(Attribute::Href).filter(|_| !self.has_base);
                if let Some(base) = base.and_then(|href| self.join(href)) {
                    self.base = Some(base);
                    self.has_base = true;
                }
            }
            b"link" if self.canonical.is_none() && tag.has_word(Attribute::Rel, "canonical") => {
                let href = tag.get(Attribute::Href).filter(|href| !href.trim().is_empty());
                self.canonical = href.and_then(|href| self.join(href));
            }
            b"meta" => self.meta(tag),
            _ => {}
        }
    }

    /// Where an address leads.
    fn join(&self, address: &str) -> Option<CrawlUrl> {
        match &self.base {
            Some(base) => base.join(address),
            None => CrawlUrl::parse(address.trim(), true).ok(),
        }
    }

    fn follow(&mut self, address: Option<&str>) {
        // A place on this page is this page.
        let Some(address) = address.filter(|address| !address.starts_with('#')) else {
            return;
        };
        if self.has_more_links {
            return;
        }
        if self.links_examined >= LINKS_EXAMINED_MAX {
            // The links that are not examined may lead to further pages of the site.
            self.has_more_links = true;
            return;
        }
        self.links_examined += 1;
        let is_here =
            |link: &CrawlUrl| self.url.as_ref().is_some_and(|url| link.is_on_site_of(url));
        let Some(link) = self.join(address).filter(is_here) else {
            return;
        };
        let key = link.key();
        if self.known.contains(&key) {
            return;
        }
        if self.links.len() >= LINKS_MAX {
            self.has_more_links = true;
            return;
        }
        self.known.insert(key);
        self.links.push(link);
    }

    fn meta(&mut self, tag: &Tag) {
        let content = tag.get(Attribute::Content).unwrap_or_default();
        let name = tag.get(Attribute::Name).unwrap_or_default().trim();
        if name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(PRODUCT) {
            for rule in content.split(',').map(str::trim) {
                let is_none = rule.eq_ignore_ascii_case("none");
                self.is_noindex |= is_none || rule.eq_ignore_ascii_case("noindex");
                self.is_nofollow |= is_none || rule.eq_ignore_ascii_case("nofollow");
            }
        }
        let shares_title = [Attribute::Property, Attribute::Name]
            .iter()
            .any(|attribute| tag.has_word(*attribute, "og:title"));
        if shares_title && self.shared_title.is_none() {
            self.shared_title = text::title(content);
        }
        if tag.has_word(Attribute::HttpEquiv, "refresh") {
            self.follow(refreshed(content));
        }
    }
}

/// Where a page sends its readers: `0; url=/there`.
fn refreshed(content: &str) -> Option<&str> {
    let (_, place) = content.split_once([';', ','])?;
    let (name, address) = place.split_once('=')?;
    let address = address.trim().trim_matches(['"', '\'']);
    (name.trim().eq_ignore_ascii_case("url") && !address.is_empty()).then_some(address)
}
