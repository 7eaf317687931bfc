//! Pages of HTML. Start at `tree.rs`, which takes tags and text as `tokens.rs` finds them.

mod begin;
mod boilerplate;
mod element;
mod head;
mod language;
mod main_part;
mod stack;
mod table_shape;
mod tag;
mod tokens;
mod tree;

use domain::crawl::CrawlUrl;

use super::markdown::Writer;
use super::{Read, text};
use head::Head;
use tree::Tree;

/// Reads a page of HTML.
pub(super) fn read(html: &str, url: &CrawlUrl) -> Read {
    // Otherwise signs of replacement would stand in some of its places.
    let seen: String;
    let html = if html.contains('\0') {
        seen = html.replace('\0', "");
        &seen
    } else {
        html
    };
    let mut tree = Tree::new(Head::new(url));
    tokens::read(html, &mut tree);
    tree.finish();
    let parts = main_part::of(&tree);
    let Tree { head, content, titles, .. } = &tree;
    // Addresses are written out, which may make a page longer, but no real page so much.
    let most = 2 * html.len() + 64 * 1_024;
    let mut writer = Writer::new(content, &head.base, most);
    for events in parts {
        writer.write(events);
    }
    let heading = || {
        let events = tree.content.events.get(titles.first()?.events.clone())?;
        text::title(&main_part::text_of(content, events))
    };
    let title = text::title(&head.title).or_else(|| head.shared_title.clone()).or_else(heading);
    Read {
        title,
        markdown: writer.finish(),
        links: if head.is_nofollow { Vec::new() } else { head.links.clone() },
        canonical: head.canonical.clone(),
        is_noindex: head.is_noindex,
    }
}
