//! The threads of a store.

use std::thread::{self, JoinHandle};

use crate::open::OpenError;

/// Starts a thread of this name.
///
/// # Errors
/// The system has none left.
pub fn start(
    name: String,
    work: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, OpenError> {
    let started = thread::Builder::new().name(name).spawn(work);
    started.map_err(|error| OpenError::Failed(format!("no thread could be started: {error}")))
}

/// Waits until a thread has ended.
pub fn join(thread: JoinHandle<()>) {
    if thread.join().is_err() {
        tracing::error!("a thread of the store panicked");
    }
}
