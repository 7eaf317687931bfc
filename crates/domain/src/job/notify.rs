//! Tells workers of this process that there is something to do, so that a job need not wait until one of
//! them looks for it by itself.

use std::future::Future;

use event_listener::Event;

/// Notified whenever a job that is due was added.
#[derive(Default)]
pub(crate) struct JobNotify(Event);

impl JobNotify {
    /// Wakes all who listen.
    pub(crate) fn notify(&self) {
        self.0.notify(usize::MAX);
    }

    /// Listens from now on, not only from the first time that it is waited for.
    pub(crate) fn listen(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.listen()
    }
}
