//! Room that is kept back on the disks of blobs.

use std::fs::File;
use std::io;

use domain::blob::BlobError;

/// How many bytes stay free on a disk.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reserve(u64);

impl Reserve {
    pub(crate) const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Checks that more may be written to the disk of a file.
    pub(crate) fn check(self, file: &File) -> Result<(), BlobError> {
        if self.0 == 0 {
            return Ok(());
        }
        let disk = rustix::fs::fstatvfs(file).map_err(io::Error::from)?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if free < self.0 {
            let what = format!("{free} bytes are free, and {} are kept back", self.0);
            return Err(BlobError::Full(what));
        }
        Ok(())
    }
}
