//! Which part of a page is its main content.

use std::cmp::Reverse;

use super::builder::{EventBuilder, Region};
use crate::page::content::{Content, Event};

/// How much text a part has at least that is taken for the main content whatever is around it.
const ENOUGH: usize = 200;

/// The events of the main content: what the author says it is, in several parts if none is far longer
/// than the others, else the one article, else all that was kept. A page that has nothing but words for
/// readers without scripts gets those.
pub(super) fn of(tree: &EventBuilder) -> Vec<&[Event]> {
    let events = &tree.content.events;
    if tree.kept == 0 {
        return vec![&tree.fallback];
    }
    let is_enough = |region: &&Region| region.text >= ENOUGH || region.text * 4 >= tree.kept;
    // Those that are hidden wait for a script that shows one at a time.
    let (hidden, shown): (Vec<_>, Vec<_>) = tree.mains.iter().partition(|main| main.is_hidden);
    let mut mains = the_one(&shown).map_or_else(|| outermost(shown), |one| vec![one]);
    mains.retain(is_enough);
    if mains.is_empty() {
        let longest = hidden.into_iter().max_by_key(|main| main.text).filter(is_enough);
        let article = || the_one(&tree.articles.iter().collect::<Vec<_>>()).filter(is_enough);
        mains.extend(longest.or_else(article));
    }
    let Some(first) = mains.first() else {
        return vec![events];
    };
    // Some pages put their heading before what they say is their main content.
    let title = tree.titles.first().filter(|title| title.events.end <= first.events.start);
    let is_in_main = |title: &Region| {
        let at = mains.partition_point(|main| main.events.end <= title.events.start);
        mains.get(at).is_some_and(|main| main.events.start <= title.events.start)
    };
    let title = title.filter(|_| !tree.titles.iter().any(is_in_main));
    let parts = title.into_iter().chain(mains.iter().copied());
    parts.filter_map(|part| events.get(part.events.clone())).collect()
}

/// The region that a page is about: the only one, or one that is far longer than all others.
fn the_one<'a>(regions: &[&'a Region]) -> Option<&'a Region> {
    let longest = *regions.iter().max_by_key(|region| region.text)?;
    let is_in = |region: &Region| {
        longest.events.start <= region.events.start && region.events.end <= longest.events.end
    };
    let others: usize = regions.iter().filter(|other| !is_in(other)).map(|other| other.text).sum();
    (longest.text >= 2 * others).then_some(longest)
}

/// Those of some regions that lie in no other one, as they stand on the page.
fn outermost(mut regions: Vec<&Region>) -> Vec<&Region> {
    regions.sort_by_key(|region| (region.events.start, Reverse(region.events.end)));
    let mut end = 0;
    regions.retain(|region| {
        let is_outside = region.events.end > end;
        end = end.max(region.events.end);
        is_outside
    });
    regions
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
