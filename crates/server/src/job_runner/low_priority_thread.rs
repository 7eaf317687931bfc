//! A thread for work that no request waits for: it comes after all else that this process does.

use std::io;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::priority;

/// The thread. It ends when this is dropped, and what it has not ended by then is dropped as well.
pub struct LowPriorityThread {
    runtime: Handle,
    _open: oneshot::Sender<()>,
}

impl LowPriorityThread {
    /// Starts it.
    ///
    /// # Errors
    /// The system has no thread left.
    pub fn start(name: &str) -> io::Result<Self> {
        let mut builder = Builder::new_current_thread();
        // Threads for what would block this one.
        builder.thread_name(name).on_thread_start(priority::step_back);
        let runtime = builder.enable_all().build()?;
        let handle = runtime.handle().clone();
        let (open, closed) = oneshot::channel();
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            priority::step_back();
            // Nothing is ever sent: this returns when the channel closes, as the `LowPriorityThread` is dropped.
            drop(runtime.block_on(closed));
            // A page that is still being read does not hold up the end.
            runtime.shutdown_background();
        })?;
        Ok(Self { runtime: handle, _open: open })
    }

    /// Has it do this.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        self.runtime.spawn(work)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use thread_priority::{
        NormalThreadSchedulePolicy, ThreadSchedulePolicy, thread_schedule_policy,
    };
    use tokio::task::spawn_blocking;

    use super::*;

    #[actix_web::test]
    async fn background_work_has_the_lowest_priority() {
        let low_priority = LowPriorityThread::start("test").unwrap();
        let (sender, receiver) = oneshot::channel();
        let work = low_priority.spawn(async move {
            let policies =
                [thread_schedule_policy(), spawn_blocking(thread_schedule_policy).await.unwrap()];
            sender.send(policies).unwrap();
        });
        work.await.unwrap();
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        assert_eq!(receiver.await.unwrap(), [Ok(idle), Ok(idle)]);
        let mine = thread_schedule_policy();
        assert_ne!(mine, Ok(idle));
    }

    #[actix_web::test]
    async fn unfinished_work_is_dropped_with_it() {
        let low_priority = LowPriorityThread::start("test").unwrap();
        let work = low_priority.spawn(std::future::pending());
        drop(low_priority);
        assert!(work.await.unwrap_err().is_cancelled());
    }
}
