//! Work that keeps a core busy: making content of what came over the wire.

use std::io::{self, Read};
use std::sync::{Arc, Weak};
use std::thread::available_parallelism;

use domain::crawl::CrawlError;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// How much work is done at once, however many cores there are.
const WORK_AT_ONCE_MAX: usize = 8;

/// The permits for such work. They bound memory as well: however small bodies are on the wire, no more of
/// them are there inflated, or as trees, than there are permits.
#[derive(Debug)]
pub(crate) struct WorkPermits(Arc<Semaphore>);

/// Whether a caller still waits for the work.
#[derive(Debug)]
pub(crate) struct Cancellation(Weak<()>);

impl Default for WorkPermits {
    fn default() -> Self {
        // The other half is for those who wait for answers.
        let half = available_parallelism().map_or(1, |cores| cores.get() / 2);
        Self(Arc::new(Semaphore::new(half.clamp(1, WORK_AT_ONCE_MAX))))
    }
}

impl WorkPermits {
    /// Does some work when a permit is free. It goes on if its caller stops waiting, unless it asks.
    pub(crate) async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Cancellation) -> T + Send + 'static,
    ) -> Result<T, CrawlError> {
        let permit = self.0.clone().acquire_owned().await;
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

    use tokio::sync::oneshot;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn work_whose_caller_is_gone_ends() {
        let permits = WorkPermits(Arc::new(Semaphore::new(1)));
        let (begun, begins) = oneshot::channel();
        let (ended, ends) = oneshot::channel();
        let work = permits.run_blocking(move |cancellation| {
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
        let next = timeout(Duration::from_secs(60), permits.run_blocking(|_| 1));
        assert_eq!(next.await.unwrap(), Ok(1));
    }
}
