//! Does the jobs that are due: [`worker`] is the loop that one of them goes through, [`report`] what
//! is logged and counted of it.
//!
//! Every node runs some workers, and whatever node has time claims the next job. So nothing here may
//! rely on a job being done where it was added, or only once. Each queue has workers of its own, so that
//! what takes long, as website-crawls do, does not keep the rest waiting. Those that keep a core busy do
//! so on a thread of their own ([`low_priority_thread`]).

mod low_priority_thread;
mod report;
#[cfg(test)]
mod tests;
mod worker;

use std::time::Duration;

use actix_web::rt;
use anyhow::{Context as _, Result};
use domain::Botyard;
use domain::job::Queue;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use self::low_priority_thread::LowPriorityThread;
use self::report::Outage;
use self::worker::{STEP_AT_MOST, Worker, WorkerPool};
use crate::operator::OPERATOR;

/// How long a worker that was asked to stop may take beyond its last step, to give its job back.
const REQUEUE_AT_MOST: Duration = Duration::from_secs(2);

/// The workers of one server that do jobs.
pub struct JobRunner {
    workers: Vec<JoinHandle<()>>,
    stop: watch::Sender<bool>,
    low_priority: LowPriorityThread,
}

impl JobRunner {
    /// Inserts the repeating jobs that are not there, and starts the given number of workers of each queue.
    ///
    /// # Errors
    /// If the database fails, or the system has no thread left.
    pub async fn start(botyard: &Botyard, queues: [(Queue, usize); 4]) -> Result<Self> {
        botyard.jobs.plan_repeating(OPERATOR).await?;
        report::register(botyard.jobs.kinds());
        let (stop, stop_requested) = watch::channel(false);
        let outage = Outage::default();
        let low_priority = LowPriorityThread::start("crawls").context("no thread for crawls")?;
        let mut workers = Vec::new();
        for (queue, count) in queues {
            let (jobs, crawls) = (botyard.jobs.clone(), botyard.crawls.clone());
            let pool = WorkerPool::new(queue, jobs, crawls, outage.clone());
            for _ in 0..count {
                let worker = Worker::new(pool.clone(), stop_requested.clone());
                let work = async move { worker.work().await };
                workers.push(match queue {
                    // What extractions take is taken by processes of their own, and webhooks mostly wait.
                    Queue::Maintenance | Queue::Extractions | Queue::Webhooks => rt::spawn(work),
                    Queue::Crawls => low_priority.spawn(work),
                });
            }
        }
        Ok(Self { workers, stop, low_priority })
    }

    /// Lets each worker end the step that it is at, or drop it where that loses nothing, and give its
    /// job back, so that another node goes on with it at once. That takes some seconds at most.
    pub async fn stop(self) {
        let Self { workers, stop, low_priority } = self;
        stop.send_replace(true);
        let aborts: Vec<_> = workers.iter().map(JoinHandle::abort_handle).collect();
        let ending = async {
            for worker in workers {
                // A worker that panicked has nothing to give back.
                drop(worker.await);
            }
        };
        if timeout(STEP_AT_MOST + REQUEUE_AT_MOST, ending).await.is_err() {
            tracing::warn!("a job could not be released: it goes on when its lease has run out");
            for abort in aborts {
                abort.abort();
            }
        }
        drop(low_priority);
    }
}
