//! Which part of a page is its main content.

use super::tree::{Region, Tree};
use crate::page::content::{Content, Event};

/// How much text a part has at least that is taken for the main content whatever is around it.
const ENOUGH: usize = 200;

/// The events of the main content: what the author says it is, else the one article, else all that
/// was kept. A page that has nothing but words for readers without scripts gets those.
pub(super) fn of(tree: &Tree) -> Vec<&[Event]> {
    let events = &tree.content.events;
    if tree.kept == 0 {
        return vec![&tree.fallback];
    }
    let longest = |regions: &[Region]| regions.iter().max_by_key(|region| region.text).cloned();
    let is_enough = |region: &Region| region.text >= ENOUGH || region.text * 4 >= tree.kept;
    let main = longest(&tree.mains)
        .filter(is_enough)
        .or_else(|| the_one(&tree.articles).cloned().filter(is_enough));
    let Some(main) = main else {
        return vec![events];
    };
    // Some pages put their heading before what they say is their main content.
    let has_title = tree.titles.iter().any(|title| main.events.contains(&title.events.start));
    let title =
        tree.titles.first().filter(|title| !has_title && title.events.end <= main.events.start);
    let parts = [title.map(|title| title.events.clone()), Some(main.events)];
    parts.into_iter().flatten().filter_map(|range| events.get(range)).collect()
}

/// The article that a page is about: the only one, or one that is far longer than all others.
fn the_one(articles: &[Region]) -> Option<&Region> {
    let longest = articles.iter().max_by_key(|article| article.text)?;
    let is_in = |article: &&Region| {
        longest.events.start <= article.events.start && article.events.end <= longest.events.end
    };
    let others: usize = articles.iter().filter(|other| !is_in(other)).map(|other| other.text).sum();
    (longest.text >= 2 * others).then_some(longest)
}

/// The text of some events, without anything else.
pub(super) fn text_of(content: &Content, events: &[Event]) -> String {
    let texts = events.iter().map(|event| match event {
        Event::Text(_, span) | Event::Image { alt: span, .. } => content.text(span),
        Event::Open(_)
        | Event::Close
        | Event::Edge
        | Event::Break
        | Event::Rule
        | Event::Nothing => " ",
    });
    texts.collect()
}
