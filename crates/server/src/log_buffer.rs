//! Lines of the log on their way to standard error.
//!
//! A system call for each line would cost a busy server a tenth of its time, so lines are collected and
//! written together, ten times a second; warnings and errors at once. One thread writes them. If the log
//! is not read, lines beyond a bound are dropped and counted, and the service goes on: only a panic and the
//! end of the program wait for the log, and not for long. A killed process loses the lines of its last tenth
//! of a second.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

/// How long a line waits at most, if the log is read.
const PAUSE: Duration = Duration::from_millis(100);
/// Waiting bytes that are written at once.
const ENOUGH: usize = 64 << 10;
/// How long a panic, and the end of the program, wait at most until their lines are written.
const TIMEOUT: Duration = Duration::from_millis(500);

/// The lines that wait. Clones share them.
#[derive(Clone)]
pub struct LogBuffer(Arc<Shared>);

struct Shared {
    lines: Mutex<Lines>,
    /// There is something to be written at once.
    wanted: Condvar,
    /// Something was written.
    written: Condvar,
    /// Most bytes that wait.
    bound: usize,
}

#[derive(Default)]
struct Lines {
    waiting: Vec<u8>,
    is_wanted: bool,
    /// Times that lines were taken to be written, and times that this was finished.
    taken: u64,
    finished: u64,
    /// A `flush` has given up; until something is written, others return at once.
    is_stuck: bool,
    /// Lines that found no room since the last that did.
    dropped: u64,
}

impl LogBuffer {
    /// A buffer of at most `bound` bytes, which a thread of its own writes to standard error.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(bound: usize) -> io::Result<Self> {
        Self::onto(bound, io::stderr())
    }

    fn onto(bound: usize, mut log: impl Write + Send + 'static) -> io::Result<Self> {
        let buffer = Self(Arc::new(Shared {
            lines: Mutex::default(),
            wanted: Condvar::new(),
            written: Condvar::new(),
            bound,
        }));
        let emptied = buffer.clone();
        std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            let mut lines = Vec::new();
            loop {
                let dropped = emptied.take(&mut lines);
                // A failed write is ignored: where standard error is closed, it can't be reported anywhere.
                let _ = log.write_all(&lines).and_then(|()| log.flush());
                lines.clear();
                emptied.finish();
                if dropped > 0 {
                    tracing::warn!(
                        lines = dropped,
                        "lines of the log were dropped, because it was not read"
                    );
                }
            }
        })?;
        Ok(buffer)
    }

    /// Waits until what has been logged is written. Returns whether it was: it gives up after
    /// half a second, because the log is not read.
    pub fn flush(&self) -> bool {
        let mut lines = self.lines();
        let Some(round) = lines.round_of_the_last() else { return true };
        if lines.is_stuck {
            return false;
        }
        lines.is_wanted = true;
        self.0.wanted.notify_one();
        let is_waiting = |lines: &mut Lines| lines.finished < round;
        let waited = self.0.written.wait_timeout_while(lines, TIMEOUT, is_waiting);
        let (mut lines, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        lines.is_stuck |= timeout.timed_out();
        !timeout.timed_out()
    }

    fn add(&self, line: &[u8], level: Level) {
        let mut lines = self.lines();
        if lines.waiting.len().saturating_add(line.len()) > self.0.bound {
            lines.dropped += 1;
            drop(lines);
            metrics::counter!("botyard_log_lines_dropped_total").increment(1);
            return;
        }
        lines.waiting.extend_from_slice(line);
        if level <= Level::WARN || lines.waiting.len() >= ENOUGH {
            lines.is_wanted = true;
            self.0.wanted.notify_one();
        }
    }

    /// Waits until it is time to write, and takes what there is. Returns how many lines are missing
    /// behind it.
    fn take(&self, into: &mut Vec<u8>) -> u64 {
        let wanted = |lines: &mut Lines| !lines.is_wanted;
        let waited = self.0.wanted.wait_timeout_while(self.lines(), PAUSE, wanted);
        let (mut lines, _) = waited.unwrap_or_else(PoisonError::into_inner);
        lines.is_wanted = false;
        lines.taken += 1;
        std::mem::swap(&mut lines.waiting, into);
        std::mem::take(&mut lines.dropped)
    }

    fn finish(&self) {
        let mut lines = self.lines();
        lines.finished = lines.taken;
        lines.is_stuck = false;
        self.0.written.notify_all();
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    /// Which write brings out the last line; `None` if it is out.
    fn round_of_the_last(&self) -> Option<u64> {
        if !self.waiting.is_empty() {
            Some(self.taken + 1)
        } else {
            (self.finished < self.taken).then_some(self.taken)
        }
    }
}

/// One line being written.
pub struct Line {
    buffer: LogBuffer,
    level: Level,
}

impl Write for Line {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.buffer.add(text, self.level);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogBuffer {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line { buffer: self.clone(), level: Level::WARN }
    }

    fn make_writer_for(&'a self, event: &Metadata<'_>) -> Line {
        Line { buffer: self.clone(), level: *event.level() }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A log whose reader takes one write for each permit, and all once there are no more to come.
    struct Reader {
        permits: Receiver<()>,
        read: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Reader {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            if !text.is_empty() {
                let _ = self.permits.recv();
            }
            self.read.lock().unwrap().extend_from_slice(text);
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn log(bound: usize) -> (LogBuffer, Sender<()>, Arc<Mutex<Vec<u8>>>) {
        let ((permit, permits), read) = (channel(), Arc::default());
        let reader = Reader { permits, read: Arc::clone(&read) };
        (LogBuffer::onto(bound, reader).unwrap(), permit, read)
    }

    fn text(read: &Mutex<Vec<u8>>) -> String {
        String::from_utf8(read.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn lines_are_written_in_their_order() {
        let (log, permit, read) = log(1 << 20);
        drop(permit);
        let lines: Vec<_> = (0..10_000).map(|number| format!("line {number}\n")).collect();
        for (line, level) in
            lines.iter().zip([Level::INFO, Level::WARN, Level::ERROR].iter().cycle())
        {
            log.add(line.as_bytes(), *level);
        }
        assert!(log.flush());
        assert_eq!(text(&read), lines.concat());
        assert!(log.flush());
    }

    #[test]
    fn a_log_that_is_not_read_stops_nothing_and_loses_only_what_finds_no_room() {
        let (log, permit, read) = log(30);
        log.add(b"first\n", Level::ERROR);
        assert!(!log.flush());
        assert!(log.lines().is_stuck);
        for line in [&b"second, of 22 bytes..\n"[..], b"too much\n", b"third\n", b"lost\n"] {
            log.add(line, Level::ERROR);
        }
        assert_eq!(log.lines().dropped, 2);
        assert!(!log.flush());
        drop(permit);
        let written = log.0.written.wait_while(log.lines(), |lines| lines.is_stuck);
        drop(written.unwrap());
        assert!(log.flush());
        assert_eq!(text(&read), "first\nsecond, of 22 bytes..\nthird\n");
        log.add(b"again\n", Level::ERROR);
        assert!(log.flush());
        assert!(text(&read).ends_with("third\nagain\n"));
    }
}
