//! The memory that bodies take which are read whole.

use std::time::Duration;

use domain::memory::HeldBytes;
use metrics::{Gauge, gauge};

use super::take::Unread;
use crate::problem::Problem;

/// How long a body waits for room in memory.
const WAIT: Duration = Duration::from_secs(10);

/// Memory that a large body takes, until this is dropped.
pub(super) struct BodyRoom {
    bytes: f64,
    _held: HeldBytes,
}

impl BodyRoom {
    fn of(bytes: u64, held: HeldBytes) -> Self {
        let bytes = bytes as f64;
        in_memory().increment(bytes);
        Self { bytes, _held: held }
    }
}

impl Drop for BodyRoom {
    fn drop(&mut self) {
        in_memory().decrement(self.bytes);
    }
}

fn in_memory() -> Gauge {
    gauge!("botyard_http_body_bytes")
}

impl Unread<'_> {
    /// Waits until there is memory for so many more bytes of the body, which the request then holds.
    ///
    /// # Errors
    /// 503 if there is none for 10 s.
    pub(super) async fn make_room(&self, bytes: u64) -> Result<(), Problem> {
        let held = self.app.body_memory.hold_when_free(self.project, bytes);
        let held = tokio::time::timeout(WAIT, held).await.map_err(|_| Problem::no_memory())?;
        if let Some(held) = held {
            self.stream.keep(BodyRoom::of(bytes, held));
        }
        Ok(())
    }
}
