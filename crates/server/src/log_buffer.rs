//! Lines of the log on their way to standard error.
//!
//! A system call for each line would cost a busy server a tenth of its time, so lines are collected and
//! written together, ten times a second. A line that reports trouble goes out at once, with all before
//! it, and so does everything when the program ends by itself. A killed process takes what it logged in
//! its last tenth of a second along.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line waits at most.
const PAUSE: Duration = Duration::from_millis(100);
/// With so many bytes waiting, they are written without waiting for the time.
const ENOUGH: usize = 64 << 10;

/// The lines that wait. Clones share them.
#[derive(Clone, Default)]
pub struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl LogBuffer {
    /// A buffer that a thread of its own empties.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start() -> io::Result<Self> {
        let buffer = Self::default();
        let emptied = buffer.clone();
        std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            loop {
                std::thread::sleep(PAUSE);
                emptied.flush();
            }
        })?;
        Ok(buffer)
    }

    /// Writes what waits.
    pub fn flush(&self) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !waiting.is_empty() {
            // A failed write is ignored: where standard error is closed, it can't be reported anywhere.
            // The lock is held meanwhile, so that lines stay in order.
            let _ = io::stderr().lock().write_all(&waiting);
            waiting.clear();
        }
    }
}

/// One line being written.
pub struct Line {
    buffer: LogBuffer,
    is_urgent: bool,
}

impl Write for Line {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let is_enough = {
            let mut waiting = self.buffer.0.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.extend_from_slice(text);
            waiting.len() >= ENOUGH
        };
        if self.is_urgent || is_enough {
            self.buffer.flush();
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogBuffer {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { buffer: self.clone(), is_urgent: true }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> Line {
        Line { buffer: self.clone(), is_urgent: *event.level() <= Level::WARN }
    }
}
