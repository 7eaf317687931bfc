//! The content of an entry: unpacked into a counter and a checksum, a block at a time.

use crc32fast::Hasher;
use domain::archive::ArchiveRule::{ChecksumMismatch, HeadersDisagree, Malformed};
use flate2::{Decompress, FlushDecompress, Status};

use crate::central::{Entry, Method};
use crate::refusal::Refusal;
use crate::source::Stretch;
use crate::watch::Watch;

/// How much is unpacked at once.
const BLOCK: usize = 32 << 10;

/// Unpacks one entry after the other.
pub(crate) struct Unpacker<'a> {
    inflate: Decompress,
    block: Vec<u8>,
    watch: &'a Watch,
}

/// What came out of an entry so far.
struct Counter<'a> {
    entry: &'a Entry,
    hasher: Hasher,
    size: u64,
}

impl<'a> Unpacker<'a> {
    pub(crate) fn new(watch: &'a Watch) -> Self {
        Self { inflate: Decompress::new(false), block: vec![0; BLOCK], watch }
    }

    /// Unpacks the content, which must be all of these bytes and be what the entry says.
    pub(crate) fn check(&mut self, entry: &Entry, bytes: &mut Stretch<'_>) -> Result<(), Refusal> {
        let mut counter = Counter { entry, hasher: Hasher::new(), size: 0 };
        match entry.method {
            Method::Stored => self.stored(bytes, &mut counter)?,
            Method::Deflated => self.deflated(bytes, &mut counter)?,
        }
        counter.finish()
    }

    fn stored(&self, bytes: &mut Stretch<'_>, counter: &mut Counter<'_>) -> Result<(), Refusal> {
        while bytes.left() > 0 {
            self.watch.check()?;
            let block = bytes.block()?;
            let count = block.len();
            counter.add(block)?;
            bytes.advance(count)?;
        }
        Ok(())
    }

    /// The stream must end with the last of the bytes.
    fn deflated(
        &mut self,
        bytes: &mut Stretch<'_>,
        counter: &mut Counter<'_>,
    ) -> Result<(), Refusal> {
        self.inflate.reset(false);
        loop {
            self.watch.check()?;
            let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
            let packed = bytes.block()?;
            let status = self
                .inflate
                .decompress(packed, &mut self.block, FlushDecompress::None)
                .map_err(|_| Malformed)?;
            let taken = (self.inflate.total_in() - before_in) as usize;
            let given = (self.inflate.total_out() - before_out) as usize;
            bytes.advance(taken)?;
            counter.add(self.block.get(..given).unwrap_or_default())?;
            match status {
                Status::StreamEnd if bytes.left() == 0 => return Ok(()),
                Status::StreamEnd => return Err(Malformed.into()),
                // Without progress there is nothing more to come: the stream was cut off.
                Status::Ok | Status::BufError if taken == 0 && given == 0 => {
                    return Err(Malformed.into());
                }
                Status::Ok | Status::BufError => {}
            }
        }
    }
}

impl Counter<'_> {
    /// Stops at the first block that goes beyond the size that the entry says, and which was held
    /// against the limits: headers lie.
    fn add(&mut self, block: &[u8]) -> Result<(), Refusal> {
        self.size += block.len() as u64;
        if self.size > self.entry.size {
            return Err(HeadersDisagree.into());
        }
        self.hasher.update(block);
        Ok(())
    }

    fn finish(self) -> Result<(), Refusal> {
        if self.size != self.entry.size {
            return Err(HeadersDisagree.into());
        }
        if self.hasher.finalize() != self.entry.crc {
            return Err(ChecksumMismatch.into());
        }
        Ok(())
    }
}
