//! Which lines a chunk may well begin with, and the headings among them.

mod found;
mod markdown;
mod yaml;

use std::ops::Range;

use domain::document::Strategy;

use crate::document::Document;
use found::{Break, LineMatch};
pub(super) use found::{Heading, Rank};
use markdown::Markdown;
use yaml::Yaml;

/// The lines of a text, read as far as they are needed.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    /// Where the first line is that was not read.
    next: usize,
    kind: LineKind,
    found: LineMatch,
}

#[derive(Debug)]
enum LineKind {
    Plain { is_after_blank: bool },
    Markdown(Markdown),
    Yaml(Yaml),
}

impl<'a> Lines<'a> {
    pub(super) fn new(document: &'a Document, strategy: Strategy) -> Self {
        let text = document.text.as_str();
        let kind = match strategy {
            Strategy::Markdown => LineKind::Markdown(Markdown::new(text, true)),
            Strategy::Text if document.is_markdown => {
                LineKind::Markdown(Markdown::new(text, false))
            }
            Strategy::Text => LineKind::Plain { is_after_blank: false },
            Strategy::Yaml => LineKind::Yaml(Yaml::default()),
        };
        Self { text, next: 0, kind, found: LineMatch::default() }
    }

    /// Reads on until what begins at this byte is known, and the line after it, which may underline it.
    pub(super) fn read_to(&mut self, byte: usize) {
        let mut is_after = false;
        while self.next < self.text.len() && !(is_after && self.next > byte) {
            is_after = self.next > byte;
            let rest = self.text.get(self.next..).unwrap_or_default();
            let line = rest.split_inclusive('\n').next().unwrap_or_default();
            let at = self.next;
            self.next += line.len();
            match &mut self.kind {
                LineKind::Markdown(lines) => lines.read(self.text, at, line, &mut self.found),
                LineKind::Yaml(lines) => lines.read(at, line, &mut self.found),
                LineKind::Plain { is_after_blank } => {
                    let is_blank = line.trim().is_empty();
                    let rank = if *is_after_blank { Rank::PARAGRAPH } else { Rank::LINE };
                    if !is_blank {
                        self.found.line(at, rank);
                    }
                    *is_after_blank = is_blank;
                }
            }
        }
    }

    /// Forgets what is before this byte, but for headings.
    pub(super) fn forget(&mut self, byte: usize) {
        let before = self.found.breaks.partition_point(|known| known.at < byte);
        self.found.breaks.drain(..before);
    }

    /// The next heading that begins at this byte or before it.
    pub(super) fn next_heading(&mut self, byte: usize) -> Option<Heading> {
        self.found.headings.pop_front_if(|heading| heading.at <= byte)
    }

    pub(super) fn rank_at(&self, byte: usize) -> Rank {
        self.within(byte..byte + 1).map(|known| known.rank).next().unwrap_or(Rank::NONE)
    }

    /// The first line after this byte with which a chunk begins in any case.
    pub(super) fn first_must(&self, byte: usize) -> Option<usize> {
        let mut after = self.within(byte + 1..usize::MAX);
        after.find(|known| known.rank == Rank::MUST).map(|known| known.at)
    }

    /// The last of the best.
    pub(super) fn best(&self, range: Range<usize>) -> Option<usize> {
        self.within(range).max_by_key(|known| known.rank).map(|known| known.at)
    }

    /// The first of the best.
    pub(super) fn first(&self, range: Range<usize>) -> Option<usize> {
        self.within(range).rev().max_by_key(|known| known.rank).map(|known| known.at)
    }

    fn within(&self, range: Range<usize>) -> impl DoubleEndedIterator<Item = Break> {
        let place = |byte| self.found.breaks.partition_point(|known| known.at < byte);
        self.found.breaks.range(place(range.start)..place(range.end)).copied()
    }
}
