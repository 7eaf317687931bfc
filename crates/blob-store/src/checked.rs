//! Staged bytes on their way to their place, hashed once more.

use std::io;

use domain::blob::{BlobError, ReadSeek, Sha256, Staged};
use sha2::Digest as _;

/// Reads staged bytes and checks at the end whether they are what was staged. A disk can lose bytes,
/// and a hash must never lead to other bytes than those that it stands for.
pub(crate) struct Checked {
    reader: Box<dyn ReadSeek>,
    hasher: sha2::Sha256,
    expected: Sha256,
}

impl Checked {
    pub(crate) fn open(staged: &dyn Staged) -> io::Result<Self> {
        let expected = staged.sha256();
        Ok(Self { reader: staged.open()?, hasher: sha2::Sha256::new(), expected })
    }

    /// The next bytes, in a buffer that is full before the end and empty behind it.
    pub(crate) fn fill<'a>(&mut self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let mut length = 0;
        while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
            match self.reader.read(rest) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let (read, _) = buffer.split_at(length);
        self.hasher.update(read);
        Ok(read)
    }

    /// Whether all that was read is what was staged.
    pub(crate) fn check(self) -> Result<(), BlobError> {
        let expected = self.expected;
        if Sha256::from_bytes(self.hasher.finalize().into()) == expected {
            return Ok(());
        }
        Err(BlobError::Failed(format!("the staged bytes are not those with the hash {expected}")))
    }
}
