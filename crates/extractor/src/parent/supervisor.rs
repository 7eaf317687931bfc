//! Stays with the process of a worker until it is gone, whatever becomes of who asked for it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{sleep, timeout};

use super::ending::Ending;
use crate::cage::Measure;

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

/// Begins to look after a process, which has so much time. What it holds is let go when it is gone.
pub(super) fn supervise(
    mut child: Child,
    held: impl Send + 'static,
    wall: Duration,
    warnings: Arc<Warnings>,
) -> io::Result<(ChildStdout, Supervised)> {
    let gone = || io::Error::other("a new process has no pipes");
    let stdout = child.stdout.take().ok_or_else(gone)?;
    let stderr = child.stderr.take().ok_or_else(gone)?;
    let group = Group::of(&child);
    let (wanted, unwanted) = oneshot::channel();
    let mut logging = tokio::spawn(keep_end(stderr));
    let ending = tokio::spawn(async move {
        let ending = live(child, group, wall, unwanted).await;
        let log = timeout(LAST_WORDS, &mut logging).await;
        logging.abort();
        let log = log.ok().and_then(Result::ok).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        warnings.warn(&log);
        if !log.is_empty() {
            tracing::debug!("a worker said: {}", log.trim_end());
        }
        // Removing a large file may take a while.
        let _ = spawn_blocking(move || drop(held)).await;
        ending.with_log(&log)
    });
    Ok((stdout, Supervised { ending, _wanted: wanted }))
}

/// Waits until a process has ended, by itself or because its time is over or nobody wants it any more.
async fn live(
    mut child: Child,
    group: Group,
    wall: Duration,
    unwanted: oneshot::Receiver<()>,
) -> Ending {
    let (is_late, status) = tokio::select! {
        status = child.wait() => (false, status),
        () = sleep(wall) => {
            group.kill();
            (true, child.wait().await)
        }
        _ = unwanted => {
            group.kill();
            (false, child.wait().await)
        }
    };
    // What it started must not outlive it.
    drop(group);
    Ending::new(status, is_late)
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

/// The processes of a worker. Those that are left are killed with the drop of this.
///
/// The leader may have been waited for by then. Its number is not given to another process while there is
/// anybody in its group, and if there is nobody, not before all other numbers were used.
#[derive(Debug)]
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }

    fn kill(&self) {
        if let Some(id) = self.0 {
            // Nobody may be left.
            let _ = kill_process_group(id, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Warnings {
    /// Warns of what the kernel refuses, once each.
    fn warn(&self, log: &str) {
        for (measure, is_known) in Measure::ALL.iter().zip(&self.0) {
            let refusal = measure.refusal();
            if log.lines().any(|line| line == refusal) && !is_known.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "documents are read in a weaker cage than there could be; {refusal}"
                );
            }
        }
    }
}
