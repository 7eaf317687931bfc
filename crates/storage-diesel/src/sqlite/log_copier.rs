//! The thread that copies the write-ahead log into the database file while units are run.
//!
//! If the writer did it, no unit could be run meanwhile: 8 MiB take as long as some ten commits.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use diesel::prelude::*;

use super::connect::{connect, make_reader};
use crate::engine::threads;
use crate::open::OpenError;
use crate::sql::transaction::Checkpoint;

/// The writer's side of the thread, which ends when this is dropped.
pub struct LogCopier {
    requests: Option<Sender<()>>,
    ended: Receiver<()>,
    is_copying: bool,
    thread: Option<JoinHandle<()>>,
}

impl LogCopier {
    /// Starts the thread, with a connection of its own to this file.
    ///
    /// # Errors
    /// [`OpenError`] if the file can't be opened, or the system has no thread left.
    pub fn start(path: &Path) -> Result<Self, OpenError> {
        let mut db = connect(path)?;
        // A checkpoint is no change of the data, which such a connection could not make.
        make_reader(&mut db)?;
        let (requests, to_do) = channel();
        let (done, ended) = channel();
        let thread = threads::start("storage-log".to_owned(), move || {
            while to_do.recv().is_ok() {
                if let Err(error) = Checkpoint.execute(&mut db) {
                    tracing::warn!("the write-ahead log can't be copied: {error}");
                }
                if done.send(()).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { requests: Some(requests), ended, is_copying: false, thread: Some(thread) })
    }

    /// One that copies until this is set.
    #[cfg(test)]
    pub fn in_progress(ended: Receiver<()>) -> Self {
        Self { requests: None, ended, is_copying: true, thread: None }
    }

    /// Has what is in the log now copied. Nothing is copied if the thread has ended, which it does not unless it panicked.
    pub fn begin(&mut self) {
        self.is_copying = self.requests.as_ref().is_some_and(|requests| requests.send(()).is_ok());
    }

    /// Whether it is still being copied.
    pub fn is_copying(&mut self) -> bool {
        self.is_copying = self.is_copying && self.ended.try_recv() == Err(TryRecvError::Empty);
        self.is_copying
    }

    /// Waits until it is copied.
    pub fn wait(&mut self) {
        if self.is_copying {
            // An error means that the thread has ended, and so copies nothing.
            let _ = self.ended.recv();
            self.is_copying = false;
        }
    }
}

impl Drop for LogCopier {
    fn drop(&mut self) {
        self.requests.take();
        self.thread.take().into_iter().for_each(threads::join);
    }
}
