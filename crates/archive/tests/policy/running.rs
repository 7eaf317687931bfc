//! How a check runs and ends.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::available_parallelism;
use std::time::Duration;

use archive::{ArchiveLimits, ArchivePolicy};
use domain::archive::{ArchiveCheck, ArchiveError, ArchiveRule};
use domain::blob::{ReadSeek, Sha256, Staged};
use domain::id::ProjectId;

use crate::{InMemory, RUNTIME, check_with, project};
use test_samples::archive::{Entry, Zip};

#[test]
fn a_check_ends_when_its_time_is_over() {
    let limits = ArchiveLimits { time: Duration::ZERO, ..ArchiveLimits::default() };
    let zip = Zip::of([Entry::stored("a", b"a")]).bytes();
    assert_eq!(check_with(limits, &zip), Err(ArchiveError::Bad(ArchiveRule::TookTooLong)));
}

/// Bytes whose readers do something else.
struct Watched<F>(InMemory, F);

impl<F, R> Staged for Watched<F>
where
    F: Fn(Box<dyn ReadSeek>) -> io::Result<R> + Send + Sync,
    R: ReadSeek + 'static,
{
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn sha256(&self) -> Sha256 {
        self.0.sha256()
    }

    fn open(&self) -> io::Result<Box<dyn ReadSeek>> {
        Ok(Box::new((self.1)(self.0.open()?)?))
    }
}

#[test]
fn bytes_that_can_not_be_read_are_no_fault_of_the_archive() {
    let policy = ArchivePolicy::new(ArchiveLimits::default());
    let bytes: Arc<[u8]> = Zip::of([Entry::stored("a", &[0; 100_000])]).bytes().into();
    let closed: Arc<dyn Staged> = Arc::new(Watched(InMemory(bytes.clone()), |_| {
        Err::<Cursor<Vec<u8>>, _>(io::ErrorKind::PermissionDenied.into())
    }));
    // It has become shorter since it was staged.
    let short: Arc<dyn Staged> =
        Arc::new(Watched(InMemory(bytes), |mut whole: Box<dyn ReadSeek>| {
            let mut bytes = Vec::new();
            whole.read_to_end(&mut bytes)?;
            bytes.truncate(50_000);
            Ok(Cursor::new(bytes))
        }));
    for file in [closed, short] {
        let answer = RUNTIME.block_on(policy.check(project(0), &file));
        assert!(matches!(answer, Err(ArchiveError::Unreadable(_))), "{answer:?}");
    }
}

/// Counts its reads, waits in one of them, and closes a channel when it is dropped.
struct Gated {
    inner: Box<dyn ReadSeek>,
    reads: Arc<AtomicUsize>,
    reached: Sender<()>,
    gate: Receiver<()>,
    _ended: Sender<()>,
}

/// Well within the content.
const WAITS_IN_READ: usize = 20;

impl Read for Gated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.reads.fetch_add(1, Ordering::SeqCst) + 1 == WAITS_IN_READ {
            self.reached.send(()).unwrap();
            self.gate.recv().unwrap();
        }
        self.inner.read(buffer)
    }
}

impl Seek for Gated {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[test]
fn a_check_ends_when_its_answer_is_not_wanted_any_more() {
    let bytes = Zip::of([Entry::stored("a", &vec![0; 8 << 20])]).bytes();
    let (reached, when_reached) = channel();
    let (open_gate, gate) = channel();
    let (ended, when_ended) = channel();
    let reads = Arc::new(AtomicUsize::new(0));
    let parts = Mutex::new(Some((reached, gate, ended)));
    let counter = reads.clone();
    let file: Arc<dyn Staged> = Arc::new(Watched(InMemory(bytes.into()), move |inner| {
        let (reached, gate, ended) = parts.lock().unwrap().take().unwrap();
        Ok(Gated { inner, reads: counter.clone(), reached, gate, _ended: ended })
    }));
    let check = RUNTIME.spawn(async move {
        ArchivePolicy::new(ArchiveLimits::default()).check(project(0), &file).await
    });
    when_reached.recv().unwrap();
    check.abort();
    assert!(RUNTIME.block_on(check).unwrap_err().is_cancelled());
    open_gate.send(()).unwrap();
    assert!(when_ended.recv().is_err(), "it tells by its end only");
    assert_eq!(reads.load(Ordering::SeqCst), WAITS_IN_READ);
}

/// The most checks that run at once, if each of so many is for a project that `of` says.
fn most_at_once(expected: usize, of: fn(usize) -> ProjectId) -> usize {
    let cores = available_parallelism().unwrap().get();
    let bytes: Arc<[u8]> = Zip::of([Entry::stored("a", b"a")]).bytes().into();
    let policy = Arc::new(ArchivePolicy::new(ArchiveLimits::default()));
    // No check goes on before as many run as may run at once.
    let barrier = Arc::new(Barrier::new(expected));
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let checks: Vec<_> = (0..4 * cores)
        .map(|number| {
            let (policy, barrier) = (policy.clone(), barrier.clone());
            let (running, most) = (running.clone(), most.clone());
            let file: Arc<dyn Staged> = Arc::new(Watched(InMemory(bytes.clone()), move |inner| {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                barrier.wait();
                Ok(Counted { inner, running: running.clone() })
            }));
            RUNTIME.spawn(async move { policy.check(of(number), &file).await })
        })
        .collect();
    for check in checks {
        RUNTIME.block_on(check).unwrap().unwrap();
    }
    most.load(Ordering::SeqCst)
}

#[test]
fn as_many_checks_run_at_once_as_there_are_cores_and_half_of_them_for_a_project() {
    let cores = available_parallelism().unwrap().get();
    assert_eq!(most_at_once(cores, project), cores);
    assert_eq!(most_at_once(cores.div_ceil(2), |_| project(0)), cores.div_ceil(2));
}

/// Counts itself out when it is dropped.
struct Counted {
    inner: Box<dyn ReadSeek>,
    running: Arc<AtomicUsize>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}
