//! Stays with the process of a worker until it is gone, whatever becomes of who asked for it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{sleep, timeout};

use super::ending::{Cut, Ending};
use super::group::Group;
use super::starter::Started;
use super::work_dir::WorkDir;
use crate::limits::Limits;
use crate::sandbox::Measure;

/// How many bytes of what a worker says to the log are kept, the last ones.
const LOG: usize = 64 << 10;
/// How long the last of it is waited for when the processes that could say something are gone.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A worker that is looked after. Dropping this ends it.
#[derive(Debug)]
pub(super) struct Supervised {
    /// How it ended; what it held is free by then.
    pub(super) ending: JoinHandle<Ending>,
    _wanted: oneshot::Sender<()>,
}

/// The measures whose lack the log knows of.
#[derive(Debug, Default)]
pub(super) struct Warnings([AtomicBool; Measure::ALL.len()]);

/// Watches a process that works in this folder and within these limits. `held` is dropped when the process
/// has ended.
pub(super) fn supervise(
    (group, mut child): Started,
    work_dir: WorkDir,
    held: impl Send + 'static,
    limits: Limits,
    warnings: Arc<Warnings>,
) -> io::Result<(ChildStdout, Supervised)> {
    let gone = || io::Error::other("a new process has no pipes");
    let stdout = child.stdout.take().ok_or_else(gone)?;
    let stderr = child.stderr.take().ok_or_else(gone)?;
    let (wanted, unwanted) = oneshot::channel();
    let mut logging = tokio::spawn(keep_end(stderr));
    let ending = tokio::spawn(async move {
        let ending = live(child, group, &work_dir, &limits, unwanted).await;
        let log = timeout(LAST_WORDS, &mut logging).await;
        logging.abort();
        let log = log.ok().and_then(Result::ok).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        warnings.warn(&log);
        if !log.is_empty() {
            tracing::debug!("a worker said: {}", log.trim_end());
        }
        // Removing a large file may take a while.
        let _ = spawn_blocking(move || drop((work_dir, held))).await;
        ending.with_log(&log)
    });
    Ok((stdout, Supervised { ending, _wanted: wanted }))
}

/// Waits until a process has ended, by itself or because its time is over, its folder full, its processes
/// too many or too large, or its result not wanted any more.
async fn live(
    mut child: Child,
    group: Group,
    work_dir: &WorkDir,
    limits: &Limits,
    unwanted: oneshot::Receiver<()>,
) -> Ending {
    let ended = tokio::select! {
        status = child.wait() => Ok(status),
        () = sleep(limits.wall) => Err(Cut::Late),
        () = work_dir.overflows() => Err(Cut::Overflow),
        cut = group.exceeds(limits) => Err(cut),
        _ = unwanted => Err(Cut::Unwanted),
    };
    let (status, mut cut) = match ended {
        Ok(status) => (status, None),
        Err(cut) => {
            group.kill();
            (child.wait().await, Some(cut))
        }
    };
    // What it started must not outlive it.
    group.end().await;
    // Who can't write may try it for ever.
    if cut == Some(Cut::Late) && work_dir.is_on_full_disk().await {
        cut = Some(Cut::LateOnFullDisk);
    }
    Ending::new(status, cut)
}

/// Reads to the end, and keeps the last bytes.
async fn keep_end(mut from: ChildStderr) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut buffer = [0; 4 << 10];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        kept.extend_from_slice(buffer.get(..length).unwrap_or_default());
        if kept.len() > 2 * LOG {
            kept.drain(..kept.len() - LOG);
        }
    }
    kept.drain(..kept.len().saturating_sub(LOG));
    kept
}

impl Warnings {
    /// Warns of what the kernel refuses, once each.
    fn warn(&self, log: &str) {
        for (measure, is_known) in Measure::ALL.iter().zip(&self.0) {
            let refusal = measure.refusal();
            if log.lines().any(|line| line == refusal) && !is_known.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "documents are read in a weaker sandbox than there could be; {refusal}"
                );
            }
        }
    }
}
