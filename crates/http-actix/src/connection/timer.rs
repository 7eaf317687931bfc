//! A deadline that is moved far more often than it passes.

use std::future::Future as _;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// Wakes its task when its deadline has passed. Moving the deadline on costs nothing: the timer of
/// the runtime is set anew only when it fires early.
pub(super) struct Deadline {
    at: Instant,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Deadline {
    /// One that passes after this time.
    pub(super) fn after(time: Duration) -> Self {
        Self { at: later(time), timer: None }
    }

    /// Has it pass after this time from now.
    pub(super) fn move_to(&mut self, time: Duration) {
        self.at = later(time);
    }

    /// Waits until it has passed.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.at {
            return Poll::Ready(());
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(self.at)));
        if timer.deadline() > self.at {
            timer.as_mut().reset(self.at);
        }
        while timer.as_mut().poll(context).is_ready() {
            if Instant::now() >= self.at {
                return Poll::Ready(());
            }
            timer.as_mut().reset(self.at);
        }
        Poll::Pending
    }
}

/// A moment that this far in the future, at most a year.
fn later(time: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);
    Instant::now() + time.min(YEAR)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[actix_web::test]
    async fn a_deadline_passes_where_it_was_moved_to() {
        tokio::time::pause();
        let hour = Duration::from_secs(3_600);
        let mut deadline = Deadline::after(hour);
        for time in [2 * hour, hour / 2, Duration::ZERO, hour] {
            let started = Instant::now();
            let polled = tokio::time::timeout(time / 2, poll_fn(|context| deadline.poll(context)));
            let _ = polled.await;
            deadline.move_to(time);
            let moved = Instant::now();
            poll_fn(|context| deadline.poll(context)).await;
            let passed = moved.elapsed();
            assert!(passed >= time && passed < time + hour / 100, "{time:?}: {passed:?}");
            assert!(started.elapsed() < 4 * hour);
        }
        Deadline::after(Duration::MAX).move_to(Duration::MAX);
    }
}
