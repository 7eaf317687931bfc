//! What becomes of a step that goes wrong, or takes too long.

use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::clock::Clock as _;
use domain::job::{JobState, Queue};
use storage_diesel::system::SystemClock;

use super::super::low_priority_thread::LowPriorityThread;
use super::{Bench, Tidy, until};
use crate::operator::OPERATOR;

#[actix_web::test]
async fn a_step_that_fails_or_panics_is_tried_again_later() {
    for (tidy, reason) in [
        (Tidy::Fails, "the blob store failed: the broom broke"),
        (Tidy::Panics, "the unit of work panicked: the broom broke"),
    ] {
        let bench = &Bench::new(tidy).await;
        let test = async {
            until(async || bench.job().await.failures == 1).await;
            let job = bench.job().await;
            assert_eq!((job.state, job.attempt), (JobState::Queued, 1));
            assert_eq!(job.last_error.as_deref(), Some(reason));
            assert!(job.run_at > SystemClock.now().plus(Duration::from_secs(60)));
            // The worker goes on: it does the job once more as soon as it is due.
            bench.jobs.retry(OPERATOR, job.id).await.unwrap();
            until(async || bench.job().await.attempt == 2).await;
            bench.stop.send_replace(true);
        };
        let worker = bench.worker(Queue::Maintenance);
        tokio::join!(worker.work(), test);
    }
}

#[actix_web::test]
async fn a_worker_whose_job_went_to_another_lets_go_of_it() {
    let bench = &Bench::new(Tidy::NeverEnds).await;
    let Bench { jobs, clock, is_tidying, .. } = bench;
    let test = async {
        until(async || is_tidying.load(Ordering::SeqCst)).await;
        // No other worker gets it while its worker makes the lease longer.
        assert_eq!(jobs.claim(OPERATOR, Queue::Maintenance).await.unwrap(), None);
        let taken = loop {
            clock.0.fetch_add(3_600_000, Ordering::SeqCst);
            if let Some(job) = jobs.claim(OPERATOR, Queue::Maintenance).await.unwrap() {
                break job;
            }
        };
        assert_eq!(taken.attempt, 2);
        until(async || !is_tidying.load(Ordering::SeqCst)).await;
        bench.stop.send_replace(true);
        let job = bench.job().await;
        assert_eq!((job.state, job.attempt), (JobState::Running, 2));
        jobs.finish(OPERATOR, &taken).await.unwrap();
    };
    let worker = bench.worker(Queue::Maintenance);
    tokio::join!(worker.work(), test);
}

#[actix_web::test]
async fn a_worker_keeps_its_job_while_its_thread_gets_nowhere() {
    let bench = &Bench::new(Tidy::KeepsThread).await;
    let low_priority = LowPriorityThread::start("test").unwrap();
    let worker = bench.worker(Queue::Maintenance);
    let work = low_priority.spawn(async move { worker.work().await });
    until(async || bench.is_tidying.load(Ordering::SeqCst)).await;
    let lease = async || bench.job().await.leased_until.unwrap();
    let first = lease().await;
    until(async || lease().await > first || SystemClock.now() > first).await;
    assert!(lease().await > first);
    bench.is_tidying.store(false, Ordering::SeqCst);
    bench.stop.send_replace(true);
    work.await.unwrap();
}

#[actix_web::test]
async fn a_worker_that_is_asked_to_stop_gives_its_job_back() {
    let bench = &Bench::new(Tidy::NeverEnds).await;
    let test = async {
        until(async || bench.is_tidying.load(Ordering::SeqCst)).await;
        bench.stop.send_replace(true);
    };
    let worker = bench.worker(Queue::Maintenance);
    tokio::join!(worker.work(), test);
    let job = bench.job().await;
    assert_eq!((job.state, job.attempt, job.failures), (JobState::Queued, 1, 0));
    let again = bench.jobs.claim(OPERATOR, Queue::Maintenance).await.unwrap();
    assert_eq!(again.map(|job| job.attempt), Some(2));
}
