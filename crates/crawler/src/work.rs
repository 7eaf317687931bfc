//! Work that keeps a core busy: making content of what came over the wire.

use std::io::{self, Read};
use std::sync::{Arc, Weak};
use std::thread::available_parallelism;

use domain::crawl::CrawlError;
use domain::id::ProjectId;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::fair_permits::FairPermits;

/// How much work is done at once, however many cores there are.
const WORK_AT_ONCE_MAX: usize = 8;

/// The permits for such work. They bound memory as well: however small bodies are on the wire, no more of
/// them are there inflated, or as trees, than there are permits.
#[derive(Debug)]
pub(crate) struct WorkPermits(FairPermits);

/// Whether a caller still waits for the work.
#[derive(Debug)]
pub(crate) struct Cancellation(Weak<()>);

impl Default for WorkPermits {
    fn default() -> Self {
        Self(FairPermits::new(at_once(), || Semaphore::new(at_once())))
    }
}

/// How much work is done at once, and for one project if no other has any. The other half of the cores is for those who
/// wait for answers.
fn at_once() -> usize {
    let half = available_parallelism().map_or(1, |cores| cores.get() / 2);
    half.clamp(1, WORK_AT_ONCE_MAX)
}

impl WorkPermits {
    /// Does some work for a project when a permit is free. It goes on if its caller stops waiting, unless it asks.
    pub(crate) async fn run_blocking<T: Send + 'static>(
        &self,
        project: ProjectId,
        work: impl FnOnce(&Cancellation) -> T + Send + 'static,
    ) -> Result<T, CrawlError> {
        let permit = self.0.take(Some(project)).await;
        let waiting = Arc::new(());
        let cancellation = Cancellation::by(&waiting);
        let work = spawn_blocking(move || {
            // Kept until the work has ended, even if its caller has gone.
            let _permit = permit;
            work(&cancellation)
        });
        let done = work.await.map_err(|_| CrawlError::BadContent);
        drop(waiting);
        done
    }
}

impl Cancellation {
    /// Until this is dropped.
    pub(crate) fn by(waiting: &Arc<()>) -> Self {
        Self(Arc::downgrade(waiting))
    }

    /// The same, but reading from it fails when the caller has stopped waiting.
    pub(crate) fn reader<R: Read>(&self, from: R) -> Reader<'_, R> {
        Reader { cancellation: self, from }
    }
}

/// What is read until that is cancelled.
pub(crate) struct Reader<'a, R> {
    cancellation: &'a Cancellation,
    from: R,
}

impl<R: Read> Read for Reader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancellation.0.strong_count() == 0 {
            return Err(io::Error::other("the crawl has ended"));
        }
        self.from.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::mpsc::unbounded_channel;
    use tokio::sync::oneshot;
    use tokio::time::timeout;

    use super::*;
    use crate::fair_permits::tests::project;

    #[tokio::test]
    async fn work_whose_caller_is_gone_ends() {
        let permits = WorkPermits(FairPermits::new(1, || Semaphore::new(1)));
        let project = project(1).unwrap();
        let (begun, begins) = oneshot::channel();
        let (ended, ends) = oneshot::channel();
        let work = permits.run_blocking(project, move |cancellation| {
            begun.send(()).unwrap();
            // Takes minutes if it is not ended.
            let endless = io::repeat(0).take(1 << 40);
            let done = io::copy(&mut cancellation.reader(endless), &mut io::sink());
            ended.send(done.is_err()).unwrap();
        });
        tokio::select! {
            _ = work => {}
            _ = begins => {}
        }
        assert!(ends.await.unwrap());
        // And its permit is free again.
        let next = timeout(Duration::from_secs(60), permits.run_blocking(project, |_| 1));
        assert_eq!(next.await.unwrap(), Ok(1));
    }

    #[tokio::test]
    async fn a_project_with_much_work_keeps_others_waiting_for_one() {
        let permits = Arc::new(WorkPermits(FairPermits::new(1, || Semaphore::new(1))));
        let (order, mut done) = unbounded_channel();
        let begin = |number| {
            let (permits, order) = (permits.clone(), order.clone());
            tokio::spawn(async move {
                let work = permits.run_blocking(project(number).unwrap(), |_| ()).await;
                order.send((number, work)).unwrap();
            })
        };
        let of_one: Vec<_> = (0..20).map(|_| begin(1)).collect();
        tokio::task::yield_now().await;
        begin(2).await.unwrap();
        let mut before = 0;
        while done.recv().await.unwrap().0 != 2 {
            before += 1;
        }
        assert!(before <= 2, "{before} of the other project came before");
        drop(of_one);
    }
}
