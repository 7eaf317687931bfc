//! What is found in lines.

use std::collections::VecDeque;

/// How good a place is to begin a chunk with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::chunk) struct Rank(u8);

impl Rank {
    /// It is no beginning of a line.
    pub(super) const NONE: Self = Self(0);
    pub(in crate::chunk) const LINE: Self = Self(1);
    pub(super) const PARAGRAPH: Self = Self(10);
    /// The least of the headings.
    pub(in crate::chunk) const HEADING: Self = Self(11);
    /// A chunk begins there in any case.
    pub(in crate::chunk) const MUST: Self = Self(u8::MAX);

    /// A heading of this level, 1 to 6.
    pub(super) const fn of_heading(level: u8) -> Self {
        Self(Self::HEADING.0 + 6_u8.saturating_sub(level))
    }

    /// A line that begins with so many blanks, where these say how deep it stands.
    pub(super) fn of_indent(blanks: usize) -> Self {
        let deep = u8::try_from(blanks).unwrap_or(u8::MAX);
        Self(Self::PARAGRAPH.0.saturating_sub(deep).max(Self::LINE.0))
    }
}

/// A heading in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::chunk) struct Heading {
    pub(in crate::chunk) at: usize,
    /// 1 to 6; those of a lower level stand above it.
    pub(in crate::chunk) level: u8,
    pub(in crate::chunk) title: String,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Break {
    pub(super) at: usize,
    pub(super) rank: Rank,
}

/// What was found in the lines that were read, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct LineMatch {
    pub(super) breaks: VecDeque<Break>,
    pub(super) headings: VecDeque<Heading>,
}

impl LineMatch {
    pub(super) fn line(&mut self, at: usize, rank: Rank) {
        self.breaks.push_back(Break { at, rank });
    }

    /// A line that was found turns out to be more.
    pub(super) fn raise(&mut self, at: usize, rank: Rank) {
        let place = self.breaks.partition_point(|known| known.at < at);
        if let Some(known) = self.breaks.get_mut(place).filter(|known| known.at == at) {
            known.rank = rank;
        }
    }
}
