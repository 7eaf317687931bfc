//! Pages of HTML. Start at `builder.rs`, which takes tags and text as `tokens.rs` finds them.

mod begin;
mod boilerplate;
mod builder;
mod element;
mod head;
mod language;
mod main_part;
mod stack;
mod syntax;
mod table_shape;
mod tag;
mod tokens;

use domain::crawl::CrawlUrl;

use super::content::Event;
use super::markdown::Writer;
use super::{Read, text};
use builder::{EventBuilder, KeptContent};
use head::Head;
pub(super) use syntax::Syntax;

/// Reads a page of HTML.
pub(super) fn read(html: &str, syntax: Syntax, url: &CrawlUrl) -> Read {
    let tree = tree(html, syntax, Some(url), KeptContent::MainPart);
    let EventBuilder { head, content, titles, .. } = &tree;
    let heading = || {
        let events = tree.content.events.get(titles.first()?.events.clone())?;
        text::title(&main_part::text_of(content, events))
    };
    let title = text::title(&head.title).or_else(|| head.shared_title.clone()).or_else(heading);
    Read {
        title,
        markdown: write(&tree, main_part::of(&tree), html.len()),
        links: if head.is_nofollow { Vec::new() } else { head.links.clone() },
        has_more_links: head.has_more_links && !head.is_nofollow,
        canonical: head.canonical.clone(),
        is_noindex: head.is_noindex,
    }
}

/// All that a file of HTML shows, as Markdown. Links that are relative are left out: to what, is not known.
pub(super) fn read_file(html: &str) -> String {
    let tree = tree(html, Syntax::of_file(html), None, KeptContent::All);
    let parts = if tree.kept == 0 { &tree.fallback } else { &tree.content.events };
    write(&tree, vec![parts], html.len())
}

fn tree(html: &str, syntax: Syntax, url: Option<&CrawlUrl>, keeps: KeptContent) -> EventBuilder {
    // Otherwise signs of replacement would stand in some of its places.
    let seen: String;
    let html = if html.contains('\0') {
        seen = html.replace('\0', "");
        &seen
    } else {
        html
    };
    let mut tree = EventBuilder::new(Head::new(url), keeps, syntax);
    tokens::read(html, &mut tree);
    tree.finish();
    tree
}

/// Writes some parts of a document of so many bytes.
fn write(tree: &EventBuilder, parts: Vec<&[Event]>, length: usize) -> String {
    // Addresses are written out, which may make a page longer, but no real page so much.
    let most = 2 * length + 64 * 1_024;
    let mut writer = Writer::new(&tree.content, tree.head.base.as_ref(), most);
    for events in parts {
        writer.write(events);
    }
    writer.finish()
}
