//! Tests of the archive policy, through the port.
//!
//! `accepted.rs` has what ordinary programs write, `refused/` an archive for each way of breaking
//! a rule, `damaged.rs` archives that were cut off or changed anywhere, `running.rs` how a check runs
//! and ends. `zip.rs` writes archives, honest ones and others.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "these are tests, and so are the functions that they share"
)]

mod accepted;
mod damaged;
mod refused;
mod running;

use std::io::{self, Cursor};
use std::sync::{Arc, LazyLock};

use archive::{ArchiveLimits, ArchivePolicy};
use domain::archive::{Archive, ArchiveCheck, ArchiveError};
use domain::blob::{ReadSeek, Sha256, Staged};
use domain::id::ProjectId;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(1).build().unwrap());

/// Staged bytes in memory.
struct InMemory(Arc<[u8]>);

impl Staged for InMemory {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn sha256(&self) -> Sha256 {
        Sha256::from_bytes([0; 32])
    }

    fn open(&self) -> io::Result<Box<dyn ReadSeek>> {
        Ok(Box::new(Cursor::new(self.0.clone())))
    }
}

/// The project of this number.
fn project(number: usize) -> ProjectId {
    ProjectId::parse(&format!("00000000-0000-4000-8000-{number:012x}")).unwrap()
}

/// Holds these bytes against the policy with its ordinary limits.
fn check(bytes: &[u8]) -> Result<Archive, ArchiveError> {
    check_with(ArchiveLimits::default(), bytes)
}

/// Holds these bytes against the policy.
fn check_with(limits: ArchiveLimits, bytes: &[u8]) -> Result<Archive, ArchiveError> {
    let file: Arc<dyn Staged> = Arc::new(InMemory(bytes.into()));
    RUNTIME.block_on(ArchivePolicy::new(limits).check(project(0), &file))
}
