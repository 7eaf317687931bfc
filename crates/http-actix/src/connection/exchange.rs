//! What the wire and the application know of the request in progress on a connection.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::Waker;

/// Why a request never reaches an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Its head is not HTTP; what is wrong with it.
    Malformed(&'static str),
    /// Its target is longer than any target may be.
    TargetTooLong,
    /// Its head has more lines or bytes than any head may have.
    TooLarge,
    /// Its head did not come in time.
    TooSlow,
}

/// The request in progress on a connection. Clones share it: the wire has one, and the application
/// finds one among the data of the connection.
#[derive(Clone, Default)]
pub(crate) struct Exchange(Rc<Shared>);

#[derive(Default)]
struct Shared {
    refusal: Cell<Option<Refusal>>,
    body_error: Cell<Option<&'static str>>,
    is_answered: Cell<bool>,
    ends_with_client: Cell<bool>,
    /// The connection, waiting for the answer.
    waiting: RefCell<Option<Waker>>,
}

impl Exchange {
    /// Begins the next request, which may be there only to be refused.
    pub(crate) fn begin(&self, refusal: Option<Refusal>) {
        self.0.refusal.set(refusal);
        self.0.body_error.set(None);
        self.0.is_answered.set(false);
        self.0.ends_with_client.set(false);
    }

    /// Why this request must be refused, if it must.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.0.refusal.get()
    }

    /// Notes that the body of this request ends here, because of what is wrong with it.
    pub(crate) fn break_body(&self, fault: &'static str) {
        self.0.body_error.set(Some(fault));
    }

    /// What is wrong with the body of this request, if that was why it ended early.
    pub(crate) fn body_error(&self) -> Option<&'static str> {
        self.0.body_error.get()
    }

    /// Has the connection closed when the client sends no more, although the answer is not complete: one that never
    /// is.
    pub(crate) fn end_with_client(&self) {
        self.0.ends_with_client.set(true);
    }

    /// Whether the connection is closed when the client sends no more.
    pub(crate) fn ends_with_client(&self) -> bool {
        self.0.ends_with_client.get()
    }

    /// Notes that the framework has all of the answer.
    pub(crate) fn answered(&self) {
        self.0.is_answered.set(true);
        if let Some(waiting) = self.0.waiting.take() {
            waiting.wake();
        }
    }

    /// Whether the framework has all of the answer.
    pub(crate) fn is_answered(&self) -> bool {
        self.0.is_answered.get()
    }

    /// Has the connection woken when the framework has all of the answer.
    pub(crate) fn wake_when_answered(&self, waker: &Waker) {
        let mut waiting = self.0.waiting.borrow_mut();
        match &mut *waiting {
            Some(known) => known.clone_from(waker),
            None => *waiting = Some(waker.clone()),
        }
    }
}
