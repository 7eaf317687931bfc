//! Cuts a text into chunks.
//!
//! `lines/` says which lines a chunk may well begin with, `cutter.rs` looks for the best place in what a
//! chunk can hold, and `breaks.rs` for one within a line. All of it goes through the text once, so that
//! no text takes longer than another of its length. (text-splitter looks at all that is left of a text for
//! each chunk: 400 KB of headings in chunks of 100 characters take it 16 seconds.)

mod breaks;
mod cutter;
mod lines;
#[cfg(test)]
mod tests;

use domain::document::{ExtractedChunk, ExtractionError, ExtractionSettings};

use crate::document::{Document, Page};
use crate::limits::Limits;
use cutter::Cutter;
use lines::Heading;

/// The chunks of a document, in their order; after an error there are no more.
pub(crate) fn chunks<'a>(
    document: &'a Document,
    settings: &ExtractionSettings,
    limits: &Limits,
) -> Chunks<'a> {
    Chunks {
        text: &document.text,
        cutter: Cutter::new(document, settings),
        chunks_left: limits.chunks,
        bytes_left: limits.result_bytes,
        last: (0, 0),
        pages: document.pages.iter(),
        page: None,
        headings: Vec::new(),
    }
}

/// The chunks of a document.
#[derive(Debug)]
pub(crate) struct Chunks<'a> {
    text: &'a str,
    cutter: Cutter<'a>,
    chunks_left: u32,
    bytes_left: u64,
    /// Where the last chunk began, in bytes and in characters.
    last: (usize, u64),
    /// The pages after `page`.
    pages: std::slice::Iter<'a, Page>,
    page: Option<u32>,
    /// The headings under which the last chunk stood, outermost first.
    headings: Vec<Heading>,
}

impl Iterator for Chunks<'_> {
    type Item = Result<ExtractedChunk, ExtractionError>;

    fn next(&mut self) -> Option<Self::Item> {
        let range = self.cutter.next()?;
        let text = self.text.get(range.clone())?;
        let (byte, char) = self.last;
        let start = char + chars(self.text.get(byte..range.start)?);
        self.last = (range.start, start);
        let left =
            (self.chunks_left.checked_sub(1), self.bytes_left.checked_sub(text.len() as u64));
        let (Some(chunks_left), Some(bytes_left)) = left else {
            self.cutter.stop();
            return Some(Err(ExtractionError::TooLarge));
        };
        (self.chunks_left, self.bytes_left) = (chunks_left, bytes_left);
        self.turn_pages(start);
        self.descend(range.start);
        Some(Ok(ExtractedChunk {
            text: text.to_owned(),
            char_start: start,
            char_end: start + chars(text),
            page: self.page,
            heading: self.headings.iter().map(|heading| heading.title.clone()).collect(),
        }))
    }
}

impl Chunks<'_> {
    /// Goes on to the page on which a character is.
    fn turn_pages(&mut self, char: u64) {
        while let Some(page) = self.pages.as_slice().first()
            && page.start <= char
        {
            self.page = Some(page.number);
            self.pages.next();
        }
    }

    /// Goes on to the headings under which a byte is. One that begins there counts.
    fn descend(&mut self, byte: usize) {
        while let Some(heading) = self.cutter.next_heading(byte) {
            let outer = self.headings.iter().position(|outer| outer.level >= heading.level);
            self.headings.truncate(outer.unwrap_or(self.headings.len()));
            self.headings.push(heading);
        }
    }
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}
