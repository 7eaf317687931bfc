//! Reading the bytes of an archive, stretch by stretch.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;

use domain::archive::ArchiveRule;
use domain::blob::{ReadSeek, Staged};

use crate::refusal::Refusal;

/// How much is read at once.
const BLOCK: usize = 32 << 10;

/// The bytes of an archive.
pub(crate) struct Source {
    reader: BufReader<Box<dyn ReadSeek>>,
    position: u64,
    size: u64,
}

impl Source {
    pub(crate) fn open(file: &dyn Staged) -> io::Result<Self> {
        let reader = BufReader::with_capacity(BLOCK, file.open()?);
        Ok(Self { reader, position: 0, size: file.size() })
    }

    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    /// Goes to a range of the bytes. Reading past its end is refused with this rule; so is a range that
    /// ends before it begins.
    pub(crate) fn stretch(
        &mut self,
        range: Range<u64>,
        rule: ArchiveRule,
    ) -> Result<Stretch<'_>, Refusal> {
        let left = range.end.checked_sub(range.start).ok_or(rule)?;
        if range.end > self.size {
            return Err(rule.into());
        }
        // What is in the buffer stays there, so that entries in a row are read without a jump.
        let way = i128::from(range.start) - i128::from(self.position);
        self.reader.seek_relative(i64::try_from(way).map_err(io::Error::other)?)?;
        self.position = range.start;
        Ok(Stretch { source: self, left, rule })
    }
}

/// A range of the bytes, read from its beginning to its end and not further.
pub(crate) struct Stretch<'a> {
    source: &'a mut Source,
    left: u64,
    rule: ArchiveRule,
}

impl Stretch<'_> {
    /// How many bytes are left.
    pub(crate) const fn left(&self) -> u64 {
        self.left
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        self.pass(N as u64)?;
        let mut array = [0; N];
        self.source.reader.read_exact(&mut array)?;
        Ok(array)
    }

    /// The next bytes, as many of them.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Refusal> {
        self.pass(count as u64)?;
        let mut bytes = vec![0; count];
        self.source.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Passes over the next bytes.
    pub(crate) fn skip(&mut self, count: u16) -> Result<(), Refusal> {
        self.pass(u64::from(count))?;
        Ok(self.source.reader.seek_relative(i64::from(count))?)
    }

    /// The next bytes as a stretch of their own. It has to be read to its end before this one is
    /// read on.
    pub(crate) fn part(&mut self, count: u64) -> Result<Stretch<'_>, ArchiveRule> {
        self.left = self.left.checked_sub(count).ok_or(self.rule)?;
        Ok(Stretch { source: self.source, left: count, rule: self.rule })
    }

    /// Some of the bytes that are left; none only if none are left. They are next again until
    /// [`advance`](Self::advance) passes over them.
    pub(crate) fn block(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Ok(&[]);
        }
        let buffer = self.source.reader.fill_buf()?;
        if buffer.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        Ok(buffer.get(..left).unwrap_or(buffer))
    }

    /// Passes over the first bytes of a block.
    pub(crate) fn advance(&mut self, count: usize) -> Result<(), ArchiveRule> {
        self.pass(count as u64)?;
        self.source.reader.consume(count);
        Ok(())
    }

    fn pass(&mut self, count: u64) -> Result<(), ArchiveRule> {
        self.left = self.left.checked_sub(count).ok_or(self.rule)?;
        self.source.position += count;
        Ok(())
    }
}
