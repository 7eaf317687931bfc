//! The memory that bodies take which are read whole.

use std::sync::Arc;
use std::time::Duration;

use domain::id::ProjectId;
use domain::memory::{ContentMemory, ReservedBytes};
use metrics::{Gauge, gauge};

use crate::problem::Problem;

/// How long a body waits for free memory.
const WAIT: Duration = Duration::from_secs(10);

/// Memory that a large body takes, until this is dropped.
pub(super) struct BodyMemory {
    bytes: f64,
    _reserved: ReservedBytes,
}

impl BodyMemory {
    /// Waits until there is memory for so many bytes of a body. `None` for few, which do not count.
    ///
    /// # Errors
    /// 503 if there is none for 10 s.
    pub(super) async fn wait(
        memory: &Arc<ContentMemory>,
        project: ProjectId,
        bytes: u64,
    ) -> Result<Option<Self>, Problem> {
        let reserved = tokio::time::timeout(WAIT, memory.reserve_when_free(project, bytes)).await;
        let reserved = reserved.map_err(|_| Problem::no_memory())?;
        Ok(reserved.map(|reserved| {
            let bytes = bytes as f64;
            in_memory().increment(bytes);
            Self { bytes, _reserved: reserved }
        }))
    }
}

impl Drop for BodyMemory {
    fn drop(&mut self) {
        in_memory().decrement(self.bytes);
    }
}

fn in_memory() -> Gauge {
    gauge!("botyard_http_body_bytes")
}
