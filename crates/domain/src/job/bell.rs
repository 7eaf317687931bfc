//! Tells workers of this process that there is something to do, so that a job need not wait until one of
//! them looks for it by itself.

use std::future::Future;

use event_listener::Event;

/// Rung whenever a job was noted for which somebody may be waiting.
#[derive(Default)]
pub(crate) struct Bell(Event);

impl Bell {
    /// Wakes all who listen.
    pub(crate) fn ring(&self) {
        self.0.notify(usize::MAX);
    }

    /// Listens from now on, not only from the first time that it is waited for.
    pub(crate) fn listen(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.listen()
    }
}
