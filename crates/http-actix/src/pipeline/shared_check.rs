//! A check that many ask for and that is made for all of them together.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::problem::Problem;

/// A check, its last outcome, and when that began.
pub(super) struct SharedCheck {
    interval: Duration,
    last: Mutex<Option<(Instant, Result<(), Problem>)>>,
}

impl SharedCheck {
    /// A check that begins at most once in this interval.
    pub(super) fn every(interval: Duration) -> Self {
        Self { interval, last: Mutex::default() }
    }

    /// The outcome of a check that began after this was called. However many wait, one is made at a time, and the next
    /// counts for all who came meanwhile.
    ///
    /// # Errors
    /// What the check has found.
    pub(super) async fn make(
        &self,
        check: impl Future<Output = Result<(), Problem>>,
    ) -> Result<(), Problem> {
        let asked = Instant::now();
        let mut last = self.last.lock().await;
        if let Some((began, outcome)) = &*last {
            if *began >= asked {
                return outcome.clone();
            }
            // Clients without a token ask for it, and two who ask in turn must not keep the database busy.
            sleep_until(*began + self.interval).await;
        }
        let began = Instant::now();
        let outcome = check.await;
        *last = Some((began, outcome.clone()));
        outcome
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::pending;

    use futures_util::FutureExt as _;
    use futures_util::future::join_all;
    use tokio::sync::oneshot;
    use tokio::time::timeout;

    use super::*;
    use crate::problem::ProblemKind;

    #[actix_web::test]
    async fn all_who_wait_share_the_next_check() {
        let (check, made) = (SharedCheck::every(Duration::ZERO), Cell::new(0));
        let (end, ended) = oneshot::channel::<()>();
        let mut first = Box::pin(check.make(async {
            made.set(made.get() + 1);
            let _ = ended.await;
            Ok(())
        }));
        assert!(first.as_mut().now_or_never().is_none());
        let refused = || async {
            made.set(made.get() + 1);
            Err(Problem::new(ProblemKind::NotReady, "no"))
        };
        let mut others: Vec<_> = (0..50).map(|_| Box::pin(check.make(refused()))).collect();
        assert!(others.iter_mut().all(|other| other.as_mut().now_or_never().is_none()));
        end.send(()).unwrap();
        assert!(first.await.is_ok());
        // They came after the first began.
        assert!(join_all(others).await.iter().all(Result::is_err));
        assert_eq!(made.get(), 2);
        assert!(check.make(async { Ok(()) }).await.is_ok());
    }

    #[actix_web::test]
    async fn a_check_that_is_given_up_does_not_stop_others() {
        let check = SharedCheck::every(Duration::ZERO);
        assert!(timeout(Duration::ZERO, check.make(pending())).await.is_err());
        assert!(check.make(async { Ok(()) }).await.is_ok());
    }

    #[actix_web::test]
    async fn a_check_waits_until_the_interval_since_the_last_one_is_over() {
        let check = SharedCheck::every(Duration::from_secs(3_600));
        assert!(check.make(async { Ok(()) }).await.is_ok());
        let made = Cell::new(false);
        let next = check.make(async {
            made.set(true);
            Ok(())
        });
        assert!(timeout(Duration::from_millis(1), next).await.is_err() && !made.get());
    }
}
