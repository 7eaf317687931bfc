//! The elements that are open, and which of them a tag ends: the end tags that HTML lets authors leave
//! out, and those that stand in the wrong place.

use super::boilerplate::{Amount, Suspicion};
use super::element::{Element, ElementKind};
use crate::page::content::{Mark, Span};

/// How deep elements lie in each other at most. What lies deeper counts as text of the deepest one.
pub(super) const DEPTH_MAX: usize = 512;

/// An element that is open.
#[derive(Debug)]
pub(super) struct OpenElement {
    pub element: Element,
    pub fate: Fate,
    /// Whether it is the main content, but not shown.
    pub is_hidden: bool,
    /// Where among the events its content begins.
    pub first_event: usize,
    /// How much text was kept before it, and what there was before it.
    pub kept_before: usize,
    pub seen_before: Amount,
    /// The mark that it puts on text.
    pub mark: Option<Mark>,
    /// The number of its link.
    pub link: u32,
    /// Whether a block was opened for it.
    pub has_block: bool,
    /// The programming language of what is in it.
    pub language: Option<Span>,
}

/// What becomes of the content of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    /// It is not even read.
    Dropped,
    /// That is decided when it ends.
    Suspicious(Suspicion),
    /// It is there in case that nothing else is.
    SetAside,
}

/// From where on open elements end before an element of this kind begins. No paragraph is looked for
/// if there is none.
pub(super) fn ended_by_start(
    open: &[OpenElement],
    kind: ElementKind,
    has_paragraph: bool,
) -> Option<usize> {
    let list = |kind: ElementKind| matches!(kind, ElementKind::List { .. }) || kind.is_closed_off();
    let definitions = |kind: ElementKind| kind == ElementKind::Definitions || kind.is_closed_off();
    let own = if kind == ElementKind::Item {
        back_to(open, |kind| kind == ElementKind::Item, list)
    } else if matches!(kind, ElementKind::Term | ElementKind::Definition) {
        back_to(
            open,
            |kind| matches!(kind, ElementKind::Term | ElementKind::Definition),
            definitions,
        )
    } else if matches!(kind, ElementKind::Heading(_)) {
        back_to(open, |kind| matches!(kind, ElementKind::Heading(_)), ElementKind::is_block)
    } else if matches!(kind, ElementKind::Reading | ElementKind::ReadingSign) {
        back_to(
            open,
            |kind| matches!(kind, ElementKind::Reading | ElementKind::ReadingSign),
            ElementKind::is_block,
        )
    } else if kind.is_of_table() {
        let table = open.iter().rposition(|open| open.element.kind == ElementKind::Table)?;
        let mut inside = open.iter().enumerate().skip(table);
        return inside.find(|(_, other)| kind.ends_in_table(other.element.kind)).map(|(at, _)| at);
    } else {
        None
    };
    let paragraph =
        || back_to(open, |kind| kind == ElementKind::Paragraph, ElementKind::is_closed_off);
    own.or_else(|| if has_paragraph && kind.is_block() { paragraph() } else { None })
}

/// From where on elements end with this end tag, and whether it ends a mark or link only, because
/// blocks that began later go on.
pub(super) fn ended_by_end(open: &[OpenElement], element: Element) -> Option<(usize, bool)> {
    let is_heading = matches!(element.kind, ElementKind::Heading(_));
    let is_mark = matches!(element.kind, ElementKind::Marked(_) | ElementKind::Link);
    let ends_always = matches!(
        element.kind,
        ElementKind::Table
            | ElementKind::Dropped
            | ElementKind::Drawing
            | ElementKind::Fallback
            | ElementKind::Control
    );
    let mut crosses_block = false;
    for (index, other) in open.iter().enumerate().rev() {
        let kind = other.element.kind;
        if other.element.id == element.id || (is_heading && matches!(kind, ElementKind::Heading(_)))
        {
            return Some((index, crosses_block));
        }
        if is_mark {
            crosses_block |= kind.is_block();
        }
        let is_wall = if element.kind.is_of_table() {
            kind == ElementKind::Table
        } else if ends_always {
            false
        } else if is_mark || element.kind.is_block() {
            kind.is_closed_off() || is_list_around(element.kind, kind)
        } else {
            kind.is_block()
        };
        if is_wall {
            return None;
        }
    }
    None
}

/// Whether a list parts an item of another list from its end tag.
fn is_list_around(ended: ElementKind, other: ElementKind) -> bool {
    (ended == ElementKind::Item && matches!(other, ElementKind::List { .. }))
        || (matches!(ended, ElementKind::Term | ElementKind::Definition)
            && other == ElementKind::Definitions)
}

/// The innermost element of a kind, if none of another lies in between.
fn back_to(
    open: &[OpenElement],
    wanted: fn(ElementKind) -> bool,
    wall: fn(ElementKind) -> bool,
) -> Option<usize> {
    for (index, other) in open.iter().enumerate().rev() {
        if wanted(other.element.kind) {
            return Some(index);
        }
        if wall(other.element.kind) {
            return None;
        }
    }
    None
}
