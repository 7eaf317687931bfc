//! What is done in the background: by a job for which no client waits.
//!
//! A store lets the units of work of such jobs keep fewer of its threads busy than others. It learns from here which is
//! which, when a unit is handed to it.

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};

thread_local! {
    static IS_CURRENT: Cell<bool> = const { Cell::new(false) };
}

/// Whether what this thread does at the moment is done in the background.
#[must_use]
pub fn is_current() -> bool {
    IS_CURRENT.get()
}

/// Work in the background. What it spawns as a task of its own is not.
pub struct Background<F>(Pin<Box<F>>);

impl<F: Future> Background<F> {
    /// Has this done in the background.
    pub fn new(work: F) -> Self {
        Self(Box::pin(work))
    }
}

impl<F: Future> Future for Background<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        /// Puts back what was current before, after a panic as well.
        struct Before(bool);

        impl Drop for Before {
            fn drop(&mut self) {
                IS_CURRENT.set(self.0);
            }
        }

        let _before = Before(IS_CURRENT.replace(true));
        self.0.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn work_is_in_the_background_whenever_it_goes_on() {
        let mut polls = 0;
        let mut work = Background::new(std::future::poll_fn(|_| {
            polls += 1;
            if polls > 1 { Poll::Ready(is_current()) } else { Poll::Pending }
        }));
        assert_eq!((&mut work).now_or_never(), None);
        assert!(!is_current());
        assert_eq!(work.now_or_never(), Some(true));
        assert!(!is_current());
    }

    #[test]
    fn a_panic_ends_it() {
        let panicking = Background::new(async { assert!(!is_current(), "on purpose") });
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            panicking.now_or_never();
        }));
        assert!(panicked.is_err());
        assert!(!is_current());
    }
}
