//! Requests of this process that wait for the end of an extraction.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use event_listener::{Event, EventListener};

use crate::id::ExtractionId;

/// Wakes requests of this process that wait for the end of an extraction.
#[derive(Default)]
pub(crate) struct ExtractionWaiters(Mutex<HashMap<ExtractionId, Event>>);

impl ExtractionWaiters {
    /// Listens from now on, not only from the first time that it is waited for.
    pub(super) fn listen(&self, id: ExtractionId) -> EventListener {
        let mut awaited = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Extractions that other processes end are never notified here.
        awaited.retain(|_, event| event.total_listeners() > 0);
        awaited.entry(id).or_default().listen()
    }

    /// Wakes all who listen for this extraction.
    pub(crate) fn notify(&self, id: ExtractionId) {
        let ended = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        if let Some(event) = ended {
            event.notify(usize::MAX);
        }
    }
}
