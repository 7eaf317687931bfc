//! Where chunks begin and end.

use std::ops::Range;

use domain::document::{ExtractionSettings, Strategy};

use super::breaks::{Stretch, backward, forward, skip_blanks};
use super::lines::{Heading, Lines, Rank};
use crate::document::Document;

/// A chunk that would be smaller than this part of what it can hold goes on to a lesser break.
const LEAST_PART: usize = 4;

/// Goes through a text and says where its chunks are, in bytes.
#[derive(Debug)]
pub(super) struct Cutter<'a> {
    text: &'a str,
    lines: Lines<'a>,
    max: usize,
    overlap: usize,
    /// Whether blanks at the beginning of a line mean something.
    keeps_indent: bool,
    last: Range<usize>,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(document: &'a Document, settings: &ExtractionSettings) -> Self {
        Self {
            text: &document.text,
            lines: Lines::new(document, settings.strategy),
            max: settings.max_chars.max(1) as usize,
            overlap: settings.max_overlap.min(settings.max_chars.saturating_sub(1)) as usize,
            keeps_indent: settings.strategy != Strategy::Text,
            last: 0..0,
        }
    }

    /// Ends it: there are no more chunks.
    pub(super) fn stop(&mut self) {
        self.last = self.text.len()..self.text.len();
    }

    /// The next heading that begins at this byte or before it.
    pub(super) fn next_heading(&mut self, byte: usize) -> Option<Heading> {
        self.lines.next_heading(byte)
    }

    /// The next chunk: the first of what may be its beginning from which it reaches further than the
    /// last one did.
    pub(super) fn next(&mut self) -> Option<Range<usize>> {
        let fresh = skip_blanks(self.text, self.last.end)?;
        self.lines.forget(self.last.start);
        self.lines.read_to(fresh);
        let begin = self.indented(fresh);
        let repeated =
            if self.lines.rank_at(begin) < Rank::HEADING { self.repeated(fresh) } else { None };
        let range = [repeated, Some(begin)]
            .into_iter()
            .flatten()
            .find_map(|start| Some(start..self.end(start, fresh)?))
            .unwrap_or_else(|| {
                fresh..self.end(fresh, fresh).unwrap_or(forward(self.text, fresh, self.max))
            });
        self.last = range.clone();
        Some(range)
    }

    /// Where a chunk begins whose first character that is not blank is `fresh`.
    fn indented(&self, fresh: usize) -> usize {
        let blanks = self.text.get(self.last.end..fresh).unwrap_or_default();
        let line = blanks.rfind('\n').map_or(0, |at| at + 1) + self.last.end;
        let is_line = blanks.contains('\n') || line == 0;
        if self.keeps_indent && is_line && backward(self.text, fresh, self.max / LEAST_PART) <= line
        {
            return line;
        }
        // A blank and the mark that stands upon it are one.
        let before = backward(self.text, fresh, 1).max(self.last.end);
        Stretch::new(self.text, before, fresh).last_grapheme(fresh)
    }

    /// Where a chunk begins that repeats the end of the last one.
    fn repeated(&mut self, fresh: usize) -> Option<usize> {
        let Range { start, end } = self.last;
        let low = backward(self.text, end, self.overlap).max(forward(self.text, start, 1));
        if low >= end {
            return None;
        }
        let stretch = Stretch::new(self.text, start, end);
        let begin = self.lines.first(low..end).or_else(|| stretch.first(low, end))?;
        let first = skip_blanks(self.text, begin).filter(|at| *at < end)?;
        let is_line = self.lines.rank_at(begin) >= Rank::LINE;
        let begin = if self.keeps_indent && is_line { begin } else { stretch.last_grapheme(first) };
        (first < fresh).then_some(begin)
    }

    /// Where a chunk ends that begins at `start`, without blanks; `None` if it can't have `fresh` in it.
    fn end(&mut self, start: usize, fresh: usize) -> Option<usize> {
        let window = forward(self.text, start, self.max);
        // Blanks at the end do not count, so a break behind them is worth as much as one before them.
        let reach = skip_blanks(self.text, window).unwrap_or(self.text.len());
        self.lines.read_to(reach);
        let limit = self.lines.first_must(start).map_or(reach, |must| must.min(reach));
        let least = forward(self.text, fresh, 1);
        if limit < least {
            return None;
        }
        let stretch = Stretch::new(self.text, start, limit);
        if limit == self.text.len() || limit < reach || self.lines.rank_at(limit) == Rank::MUST {
            return self.trimmed(&stretch, limit, fresh, window);
        }
        let low = forward(self.text, start, self.max / LEAST_PART).max(least);
        let end = self.lines.best(low..reach + 1).or_else(|| stretch.last(low, reach));
        let end = end.unwrap_or_else(|| stretch.last_grapheme(window));
        if end >= least {
            return self.trimmed(&stretch, end, fresh, window);
        }
        // One grapheme that is longer than a chunk can be.
        (start == fresh).then_some(window)
    }

    /// The end without the blanks before it, between two graphemes, behind `fresh` and not behind `window`. A
    /// grapheme is parted only where the chunk begins with it; `None` if it would be because the chunk begins
    /// earlier.
    fn trimmed(
        &self,
        stretch: &Stretch<'_>,
        end: usize,
        fresh: usize,
        window: usize,
    ) -> Option<usize> {
        let trim = |end: usize| self.text.get(..end).unwrap_or_default().trim_end().len();
        let end = trim(end);
        let whole = stretch.next_grapheme(end);
        if whole <= window {
            return Some(whole);
        }
        let before = stretch.next_grapheme(trim(stretch.last_grapheme(end)).max(stretch.start));
        if (forward(self.text, fresh, 1)..=window).contains(&before) {
            return Some(before);
        }
        (stretch.start == fresh).then_some(end)
    }
}
