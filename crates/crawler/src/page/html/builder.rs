//! From tags and text to content: what is open, what of it is kept, and where the main part is.

use std::ops::Range;

use html5gum::State;

use super::boilerplate::Amount;
use super::element::{Element, ElementKind, Leaf};
use super::head::Head;
use super::stack::{DEPTH_MAX, Fate, OpenElement, ended_by_end, ended_by_start};
use super::syntax::Syntax;
use super::table_shape::TableShape;
use super::tag::{Attribute, Tag};
use super::tokens::Sink;
use crate::page::content::{Block, Content, Event, Mark, Style, end, slice};

/// How many events of a page are taken at most. No page for people has so many, and each takes more room
/// than the tag that it comes from.
const EVENTS_MAX: usize = 1_000_000;
/// How many bytes of a title are read at most.
const TITLE_MAX: usize = 4_096;

/// A part of a page that its author points out.
#[derive(Debug, Clone)]
pub(super) struct Region {
    /// Its events.
    pub events: Range<usize>,
    /// How many bytes of text it has, blanks left out.
    pub text: usize,
    /// Whether it is the main content, as the author says, but not shown.
    pub is_hidden: bool,
}

/// What is kept of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptContent {
    /// Its main content: it is a page of a site.
    MainPart,
    /// All that is shown and does not lead elsewhere: it is a file that a person made or saved.
    All,
}

/// A document that is being read.
#[derive(Debug)]
pub(super) struct EventBuilder {
    pub keeps: KeptContent,
    syntax: Syntax,
    pub head: Head,
    pub content: Content,
    /// How many bytes of text were kept so far, blanks left out.
    pub kept: usize,
    /// What there was so far, whether kept or not.
    pub seen: Amount,
    pub mains: Vec<Region>,
    pub articles: Vec<Region>,
    /// Headings of the first level.
    pub titles: Vec<Region>,
    /// What is there for readers without scripts.
    pub fallback: Vec<Event>,
    pub open: Vec<OpenElement>,
    /// How many elements are open that are too deep to be.
    too_deep: usize,
    /// How many open elements put each mark on text.
    marks: [usize; 6],
    pub style: Style,
    pub tables: Vec<TableShape>,
    /// How many of the open elements are of the kind.
    pub dropped: usize,
    paragraphs: usize,
    pub preformatted: usize,
    drawings: usize,
    pub forms: usize,
    pub quotes: usize,
    pub hearts: usize,
    is_in_title: bool,
    /// Events before this one take no further text.
    pub sealed: usize,
    pub has_images_in_link: bool,
}

impl Sink for EventBuilder {
    fn start(&mut self, tag: &Tag) -> Option<State> {
        let mut element = Element::of(&tag.name);
        self.head.start(tag);
        if self.drawings > 0 && tag.is_self_closing {
            return None;
        }
        if tag.has_word(Attribute::Role, "main") && !element.kind.is_of_table() {
            element.kind = ElementKind::Main;
        }
        let is_in_quote =
            self.open.last().is_some_and(|open| open.element.kind == ElementKind::Quote);
        if tag.name == b"cite" && is_in_quote {
            element.kind = ElementKind::MarkedPart(Mark::Italic);
        }
        if element.kind.is_of_table() && self.tables.is_empty() {
            element.kind = ElementKind::Part;
        }
        // What is too deep to be open ends nothing that is.
        if self.too_deep == 0
            && let Some(from) = ended_by_start(&self.open, element.kind, self.paragraphs > 0)
        {
            self.end_from(from, false);
        }
        if let ElementKind::Leaf(leaf) = element.kind {
            self.leaf(leaf, tag);
        } else if self.open.len() >= DEPTH_MAX {
            self.too_deep += usize::from(element.kind != ElementKind::Page);
        } else if element.kind != ElementKind::Page {
            self.begin(element, tag);
        }
        if self.syntax == Syntax::Xml && tag.is_self_closing {
            // There is no text in it that would have to be read in another way.
            if !matches!(element.kind, ElementKind::Leaf(_)) {
                self.end(&tag.name);
            }
            return None;
        }
        match &*tag.name {
            b"title" if self.drawings > 0 => None,
            b"title" | b"textarea" => Some(State::RcData),
            b"script" => Some(State::ScriptData),
            b"style" | b"xmp" | b"iframe" | b"noembed" => Some(State::RawText),
            _ => None,
        }
    }

    fn end(&mut self, name: &[u8]) {
        let element = Element::of(name);
        // A few pages write it so.
        if element.kind == ElementKind::Leaf(Leaf::Break) {
            self.event(Event::Break);
        }
        if matches!(element.kind, ElementKind::Leaf(_) | ElementKind::Page) {
            return;
        }
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        match ended_by_end(&self.open, element) {
            Some((index, true)) => self.end_mark(index),
            Some((index, false)) => self.end_from(index, false),
            None => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_in_title && self.head.title.len() + text.len() <= TITLE_MAX {
            self.head.title.push_str(text);
        }
        if !self.takes() {
            return;
        }
        let written = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
        let follows_text =
            matches!(self.content.events.last(), Some(Event::Text(..) | Event::Image { .. }));
        if written == 0 && !follows_text && self.preformatted == 0 {
            return;
        }
        self.count_text(written);
        let start = end(&self.content.text);
        self.content.text.push_str(text);
        let until = end(&self.content.text);
        let is_sealed = self.content.events.len() <= self.sealed;
        if let Some(Event::Text(style, span)) = self.content.events.last_mut()
            && !is_sealed
            && *style == self.style
            && span.end == start
        {
            span.end = until;
        } else {
            self.content.events.push(Event::Text(self.style, start..until));
        }
    }
}

impl EventBuilder {
    /// An empty document.
    pub(super) fn new(head: Head, keeps: KeptContent, syntax: Syntax) -> Self {
        Self {
            keeps,
            syntax,
            head,
            content: Content::default(),
            kept: 0,
            seen: Amount::default(),
            mains: Vec::new(),
            articles: Vec::new(),
            titles: Vec::new(),
            fallback: Vec::new(),
            open: Vec::new(),
            too_deep: 0,
            marks: [0; 6],
            style: Style::default(),
            tables: Vec::new(),
            dropped: 0,
            paragraphs: 0,
            preformatted: 0,
            drawings: 0,
            forms: 0,
            quotes: 0,
            hearts: 0,
            is_in_title: false,
            sealed: 0,
            has_images_in_link: false,
        }
    }

    /// The document ends, and so do all elements. Those that the author forgot to end have swallowed
    /// what came after them, so they are kept, whatever they look like.
    pub(super) fn finish(&mut self) {
        self.end_from(0, true);
    }

    /// Whether what comes next is kept, as far as is known yet.
    pub(super) const fn takes(&self) -> bool {
        let has_room = match self.keeps {
            KeptContent::MainPart => self.content.events.len() < EVENTS_MAX,
            // The caller that wants all of a file has limits of its own.
            KeptContent::All => true,
        };
        self.dropped == 0 && has_room
    }

    pub(super) fn count_text(&mut self, bytes: usize) {
        self.kept += bytes;
        self.seen.text += bytes;
        if self.style.link > 0 {
            self.seen.linked += bytes;
        }
    }

    pub(super) fn event(&mut self, event: Event) {
        let is_needless = event == Event::Edge && self.content.events.last() == Some(&Event::Edge);
        if self.takes() && !is_needless {
            self.content.events.push(event);
        }
    }

    pub(super) fn mark(&mut self, mark: Mark, begins: bool) {
        if let Some(count) = self.marks.get_mut(mark as usize) {
            *count = if begins { *count + 1 } else { count.saturating_sub(1) };
            self.style.set(mark, *count > 0);
        }
    }

    pub(super) fn count(&mut self, kind: ElementKind, begins: bool) {
        if kind == ElementKind::Title {
            let is_first = self.head.title.trim().is_empty() && self.drawings == 0;
            self.is_in_title = begins && is_first;
        }
        let counts = [
            (kind == ElementKind::Paragraph, &mut self.paragraphs),
            (kind == ElementKind::Preformatted, &mut self.preformatted),
            (kind == ElementKind::Drawing, &mut self.drawings),
            (kind == ElementKind::Form, &mut self.forms),
            (kind == ElementKind::Quote, &mut self.quotes),
            (matches!(kind, ElementKind::Main | ElementKind::Article), &mut self.hearts),
        ];
        for (_, count) in counts.into_iter().filter(|(is_it, _)| *is_it) {
            *count = if begins { *count + 1 } else { count.saturating_sub(1) };
        }
    }

    pub(super) fn end_from(&mut self, from: usize, is_end_of_page: bool) {
        while self.open.len() > from {
            let Some(mut open) = self.open.pop() else { return };
            self.unmark(&mut open);
            self.leave(&open, is_end_of_page);
        }
    }

    /// A mark or link ends in the middle of what goes on.
    pub(super) fn end_mark(&mut self, index: usize) {
        let Some(mut open) = self.open.get_mut(index).map(|open| OpenElement {
            element: open.element,
            fate: open.fate,
            is_hidden: open.is_hidden,
            first_event: open.first_event,
            kept_before: open.kept_before,
            seen_before: open.seen_before,
            mark: open.mark.take(),
            link: std::mem::take(&mut open.link),
            has_block: false,
            language: None,
        }) else {
            return;
        };
        self.unmark(&mut open);
    }

    fn unmark(&mut self, open: &mut OpenElement) {
        if let Some(mark) = open.mark.take() {
            self.mark(mark, false);
        }
        if open.link > 0 {
            self.style.link = 0;
            self.settle_images(open.first_event, open.link);
        }
        if open.element.kind == ElementKind::Quotation {
            self.text("\"");
        } else if open.element.kind == ElementKind::Reading {
            self.text(")");
        }
    }

    /// The pictures of a link stand for it if it has no text, and are ornaments otherwise.
    fn settle_images(&mut self, from: usize, link: u32) {
        if !std::mem::take(&mut self.has_images_in_link) {
            return;
        }
        let events = self.content.events.get_mut(from..).unwrap_or_default();
        let text = &self.content.text;
        let is_text = |event: &Event| matches!(event, Event::Text(_, span) if !slice(text, span).trim().is_empty());
        let mut has_text = events.iter().any(is_text);
        let style = Style { link, ..self.style };
        for event in events {
            if let Event::Image { alt, .. } = event {
                let alt = alt.clone();
                *event = if has_text { Event::Nothing } else { Event::Text(style, alt) };
                has_text = true;
            }
        }
    }

    fn leave(&mut self, open: &OpenElement, is_end_of_page: bool) {
        let kind = open.element.kind;
        self.count(kind, false);
        if let (ElementKind::Cell { .. }, Some(table)) = (kind, self.tables.last_mut()) {
            table.end_cell(self.kept - open.kept_before);
        }
        if kind == ElementKind::Table
            && let Some(table) = self.tables.pop()
            && let Some(event) = table.event.and_then(|at| self.content.events.get_mut(at))
        {
            *event = Event::Open(Block::Table { is_data: table.is_data() });
        }
        if open.has_block {
            self.content.events.push(Event::Close);
        } else if kind.is_block() {
            self.event(Event::Edge);
        }
        match open.fate {
            Fate::Dropped => self.dropped -= 1,
            Fate::Suspicious(suspicion) => {
                if !is_end_of_page && suspicion.is_right(&open.seen_before, &self.seen) {
                    self.forget(open);
                    return;
                }
            }
            Fate::SetAside => {
                let aside = self.content.events.split_off(open.first_event);
                if self.fallback.is_empty() && self.kept > open.kept_before {
                    self.fallback = aside;
                }
                self.kept = open.kept_before;
            }
            Fate::Kept => {}
        }
        self.note_region(open);
    }

    /// What is in an element was not content.
    fn forget(&mut self, open: &OpenElement) {
        self.content.events.truncate(open.first_event);
        self.sealed = self.content.events.len();
        self.kept = open.kept_before;
        // Its amounts still count for the elements around it, when it is decided whether those are content.
        let Amount { text, linked, controls, .. } = self.seen;
        self.seen = Amount { text, linked, controls, ..open.seen_before };
        for regions in [&mut self.mains, &mut self.articles, &mut self.titles] {
            while regions.last().is_some_and(|region| region.events.start >= open.first_event) {
                regions.pop();
            }
        }
    }

    fn note_region(&mut self, open: &OpenElement) {
        let kind = open.element.kind;
        let regions = if kind == ElementKind::Main {
            &mut self.mains
        } else if kind == ElementKind::Article {
            &mut self.articles
        } else if kind == ElementKind::Heading(1) {
            &mut self.titles
        } else {
            return;
        };
        let text = self.kept - open.kept_before;
        if self.dropped == 0 && text > 0 {
            let events = open.first_event..self.content.events.len();
            regions.push(Region { events, text, is_hidden: open.is_hidden });
        }
    }
}
