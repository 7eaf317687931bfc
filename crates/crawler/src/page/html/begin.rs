//! What begins with a start tag: what becomes of the element, and what it does to what is in it.

use super::boilerplate::{Suspicion, is_hidden};
use super::builder::{EventBuilder, KeptContent};
use super::element::{Element, ElementKind, Leaf};
use super::language;
use super::stack::{Fate, OpenElement, ended_by_end};
use super::table_shape::TableShape;
use super::tag::{Attribute, Tag};
use super::tokens::Sink as _;
use crate::page::content::{Block, Event, Mark, end};
use crate::page::text::one_line;

/// Numbers of items stay below this.
const NUMBER_MAX: u32 = 9_999;

impl EventBuilder {
    pub(super) fn begin(&mut self, element: Element, tag: &Tag) {
        if element.kind == ElementKind::Link
            && let Some((index, crosses_block)) = ended_by_end(&self.open, element)
        {
            // There are no links in links.
            if crosses_block { self.end_mark(index) } else { self.end_from(index, false) }
        }
        if let Some(table) = self.tables.last_mut() {
            table.take(element.kind);
        }
        let fate = self.fate(element.kind, tag);
        let mut open = OpenElement {
            element,
            fate,
            is_hidden: element.kind == ElementKind::Main && is_hidden(tag),
            first_event: self.content.events.len(),
            kept_before: self.kept,
            seen_before: self.seen,
            mark: None,
            link: 0,
            has_block: false,
            language: None,
        };
        match fate {
            Fate::Kept => {}
            Fate::Dropped => self.dropped += 1,
            Fate::Suspicious(_) | Fate::SetAside => self.sealed = self.content.events.len(),
        }
        self.count(element.kind, true);
        if self.dropped == 0 {
            self.seen.mains += u32::from(element.kind == ElementKind::Main);
            self.seen.articles += u32::from(element.kind == ElementKind::Article);
            self.seen.titles += u32::from(element.kind == ElementKind::Heading(1));
        }
        let block = self.block(element.kind, tag).filter(|_| self.takes());
        if let Some(block) = block {
            self.content.events.push(Event::Open(block));
            open.has_block = true;
        } else if element.kind.is_block() {
            self.event(Event::Edge);
        }
        if element.kind == ElementKind::Table {
            let event = open.has_block.then_some(open.first_event);
            let is_for_looks = matches!(tag.get(Attribute::Role), Some("presentation" | "none"));
            self.tables.push(TableShape::new(event, is_for_looks));
        }
        self.begin_mark(&mut open, tag);
        self.open.push(open);
    }

    /// What the element puts on the text in it: a mark, a link, signs, or the name of a language.
    fn begin_mark(&mut self, open: &mut OpenElement, tag: &Tag) {
        let kind = open.element.kind;
        let is_code = self.style.code || self.preformatted > 0;
        if let ElementKind::Marked(mark) | ElementKind::MarkedPart(mark) = kind {
            open.mark = Some(mark).filter(|_| !is_code);
        } else if kind == ElementKind::Term {
            open.mark = Some(Mark::Bold);
        }
        if let Some(mark) = open.mark {
            self.mark(mark, true);
        }
        if kind == ElementKind::Link {
            self.begin_link(open, tag);
        } else if kind == ElementKind::Quotation {
            self.text("\"");
        } else if kind == ElementKind::Reading {
            self.text("(");
        } else if kind == ElementKind::Part {
            open.language = language::of(tag).map(|language| self.content.take_note(language));
        } else if kind == ElementKind::Marked(Mark::Code) && self.preformatted > 0 {
            self.name_language(tag);
        }
    }

    fn begin_link(&mut self, open: &mut OpenElement, tag: &Tag) {
        let address = tag.get(Attribute::Href).unwrap_or_default().trim();
        if self.takes() && self.preformatted == 0 && !address.is_empty() {
            let note = self.content.take_note(address);
            self.content.links.push(note);
            open.link = u32::try_from(self.content.links.len()).unwrap_or_default();
            self.style.link = open.link;
            self.has_images_in_link = false;
        }
    }

    /// The code that is being read says its language in an element of its own.
    fn name_language(&mut self, tag: &Tag) {
        let code =
            self.open.iter().rev().find(|open| open.element.kind == ElementKind::Preformatted);
        let Some(index) = code.filter(|open| open.has_block).map(|open| open.first_event) else {
            return;
        };
        if let Some(language) = language::of(tag) {
            let note = self.content.take_note(language);
            if let Some(Event::Open(Block::Code(span))) = self.content.events.get_mut(index)
                && span.start == span.end
            {
                *span = note;
            }
        }
    }

    fn fate(&mut self, kind: ElementKind, tag: &Tag) -> Fate {
        let names_something = || {
            let inner = self.open.iter().rev().take(4);
            inner.into_iter().any(|open| {
                matches!(
                    open.element.kind,
                    ElementKind::Heading(_) | ElementKind::Term | ElementKind::MarkedPart(_)
                )
            })
        };
        self.seen.controls += u32::from(kind == ElementKind::Control);
        let is_dropped = matches!(
            kind,
            ElementKind::Title
                | ElementKind::Drawing
                | ElementKind::Dropped
                | ElementKind::ReadingSign
        ) || (kind == ElementKind::Label && self.forms > 0)
            || (kind == ElementKind::Control && !names_something());
        if is_dropped {
            Fate::Dropped
        } else if kind == ElementKind::Fallback {
            Fate::SetAside
        } else if kind == ElementKind::Footer && self.quotes > 0 {
            // Who said it.
            Fate::Kept
        } else {
            let suspicion = Suspicion::of(kind, tag, self.hearts > 0);
            let counts =
                |it: &Suspicion| self.keeps == KeptContent::MainPart || it.holds_in_files();
            suspicion.filter(counts).map_or(Fate::Kept, Fate::Suspicious)
        }
    }

    fn block(&mut self, kind: ElementKind, tag: &Tag) -> Option<Block> {
        let number = |attribute| tag.get(attribute)?.trim().parse::<u32>().ok();
        let small = |attribute, most: u16| {
            let number = number(attribute).and_then(|number| u16::try_from(number).ok());
            number.unwrap_or(1).clamp(1, most)
        };
        Some(match kind {
            ElementKind::Heading(level) => Block::Heading(level),
            ElementKind::Quote => Block::Quote,
            ElementKind::Preformatted => {
                let around = self.open.iter().rev().take(8);
                let around = around.into_iter().find_map(|open| open.language.clone());
                let named = language::of(tag).map(|language| self.content.take_note(language));
                Block::Code(named.or(around).unwrap_or_default())
            }
            ElementKind::List { is_ordered } => {
                let start = number(Attribute::Start).unwrap_or(1).min(NUMBER_MAX);
                Block::List(is_ordered.then_some(start))
            }
            ElementKind::Item => {
                Block::Item(number(Attribute::Value).map(|value| value.min(NUMBER_MAX)))
            }
            ElementKind::Definitions => Block::Definitions,
            ElementKind::Term => Block::Term,
            ElementKind::Definition => Block::Definition,
            ElementKind::Table => Block::Table { is_data: false },
            ElementKind::Row => {
                let of_head =
                    |open: &OpenElement| open.element.kind == ElementKind::Rows { is_head: true };
                Block::Row { is_head: self.open.last().is_some_and(of_head) }
            }
            ElementKind::Cell { is_header } => Block::Cell {
                is_header,
                columns: small(Attribute::Colspan, 16),
                rows: small(Attribute::Rowspan, 1_000),
            },
            ElementKind::Caption => Block::Caption,
            ElementKind::Plain
            | ElementKind::Page
            | ElementKind::Part
            | ElementKind::Paragraph
            | ElementKind::Main
            | ElementKind::Article
            | ElementKind::Edge
            | ElementKind::Header
            | ElementKind::Footer
            | ElementKind::Form
            | ElementKind::Marked(_)
            | ElementKind::MarkedPart(_)
            | ElementKind::Link
            | ElementKind::Quotation
            | ElementKind::Rows { .. }
            | ElementKind::Reading
            | ElementKind::ReadingSign
            | ElementKind::Fallback
            | ElementKind::Control
            | ElementKind::Label
            | ElementKind::Title
            | ElementKind::Drawing
            | ElementKind::Dropped
            | ElementKind::Leaf(_) => return None,
        })
    }

    /// An element without content.
    pub(super) fn leaf(&mut self, leaf: Leaf, tag: &Tag) {
        match leaf {
            Leaf::Break => self.event(Event::Break),
            Leaf::Rule => self.event(Event::Rule),
            Leaf::Image => self.image(tag),
            Leaf::Input => self.seen.controls += 1,
            Leaf::Nothing => {}
        }
    }

    fn image(&mut self, tag: &Tag) {
        let is_dot = [Attribute::Width, Attribute::Height]
            .iter()
            .any(|attribute| matches!(tag.get(*attribute), Some("0" | "1")));
        let alt = one_line(tag.get(Attribute::Alt).unwrap_or_default());
        if !self.takes() || self.preformatted > 0 || is_dot || alt.is_empty() {
            return;
        }
        let class = tag.get(Attribute::Class).unwrap_or_default();
        if class.contains("emoji") {
            return self.text(&alt);
        }
        if class.contains("math") || class.contains("latex") {
            self.mark(Mark::Code, true);
            self.text(&alt);
            return self.mark(Mark::Code, false);
        }
        let sources = [Attribute::DataSrc, Attribute::DataOriginal, Attribute::Src];
        let source = sources
            .iter()
            .filter_map(|source| tag.get(*source))
            .map(str::trim)
            .find(|source| !source.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("data:")));
        let source = self.content.take_note(source.unwrap_or_default());
        let start = end(&self.content.text);
        self.content.text.push_str(&alt);
        let span = start..end(&self.content.text);
        // A picture alone says nothing about what is around it.
        if self.style.link > 0 {
            self.count_text(alt.len());
        } else {
            self.kept += alt.len();
        }
        self.content.events.push(Event::Image { alt: span, source });
        self.has_images_in_link |= self.style.link > 0;
    }
}
