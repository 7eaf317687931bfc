//! Where a text can be parted within a line, and how far so many characters reach.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// The byte at which so many characters after `from` end; the end of the text if there are fewer.
pub(super) fn forward(text: &str, from: usize, chars: usize) -> usize {
    let mut rest = text.get(from..).unwrap_or_default().char_indices();
    rest.nth(chars).map_or(text.len(), |(at, _)| from + at)
}

/// The byte at which so many characters before `to` begin.
pub(super) fn backward(text: &str, to: usize, chars: usize) -> usize {
    let Some(last) = chars.checked_sub(1) else {
        return to;
    };
    text.get(..to).unwrap_or_default().char_indices().rev().nth(last).map_or(0, |(at, _)| at)
}

/// Where the first character that is not blank is, at `from` or after it.
pub(super) fn skip_blanks(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    rest.find(|char: char| !char.is_whitespace()).map(|at| from + at)
}

/// A stretch of the text that begins between two graphemes. What parts it is searched for in it alone, so
/// that no search takes longer than the stretch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch<'a> {
    pub(super) start: usize,
    /// With a character after its end, which decides whether there is a break.
    text: &'a str,
}

impl<'a> Stretch<'a> {
    pub(super) fn new(text: &'a str, start: usize, end: usize) -> Self {
        let end = forward(text, end, 1);
        Self { start, text: text.get(start..end).unwrap_or_default() }
    }

    /// Whether `at` is between two graphemes.
    pub(super) fn parts_graphemes(&self, at: usize) -> bool {
        let at = at - self.start;
        GraphemeCursor::new(at, self.text.len(), true).is_boundary(self.text, 0).unwrap_or(false)
    }

    /// The last place up to `at` that is between two graphemes.
    pub(super) fn last_grapheme(&self, at: usize) -> usize {
        if self.parts_graphemes(at) {
            return at;
        }
        let mut cursor = GraphemeCursor::new(at - self.start, self.text.len(), true);
        self.start + cursor.prev_boundary(self.text, 0).ok().flatten().unwrap_or_default()
    }

    /// The first place from `at` on that is between two graphemes.
    pub(super) fn next_grapheme(&self, at: usize) -> usize {
        if self.parts_graphemes(at) {
            return at;
        }
        let mut cursor = GraphemeCursor::new(at - self.start, self.text.len(), true);
        let next = cursor.next_boundary(self.text, 0).ok().flatten();
        self.start + next.unwrap_or(self.text.len())
    }

    /// The last place from `low` to `high` at which a chunk may end: after a sentence, else between words.
    pub(super) fn last(&self, low: usize, high: usize) -> Option<usize> {
        let fits = |at: &usize| (low..=high).contains(at) && self.parts_graphemes(*at);
        let sentence = self.sentences().take_while(|at| *at <= high).filter(fits).last();
        sentence
            .or_else(|| self.blanks().rev().find(fits))
            .or_else(|| self.words().rev().find(fits))
    }

    /// The first place from `low` to `high` at which a chunk may begin: with a sentence, else between words.
    pub(super) fn first(&self, low: usize, high: usize) -> Option<usize> {
        let fits = |at: &usize| (low..high).contains(at) && self.parts_graphemes(*at);
        let sentence = self.sentences().find(fits);
        sentence.or_else(|| self.blanks().find(fits)).or_else(|| self.words().find(fits))
    }

    /// Where sentences begin.
    fn sentences(self) -> impl Iterator<Item = usize> {
        self.text.split_sentence_bound_indices().map(move |(at, _)| self.start + at)
    }

    /// What follows a blank.
    fn blanks(self) -> impl DoubleEndedIterator<Item = usize> {
        let blanks = self.text.char_indices().filter(|(_, char)| char.is_whitespace());
        blanks.map(move |(at, char)| self.start + at + char.len_utf8())
    }

    /// Where words begin, and what is between them.
    fn words(self) -> impl DoubleEndedIterator<Item = usize> {
        self.text.split_word_bound_indices().map(move |(at, _)| self.start + at)
    }
}
