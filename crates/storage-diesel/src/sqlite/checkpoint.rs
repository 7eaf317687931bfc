//! Moving the write-ahead log into the database file.
//!
//! Most of it is copied by a thread of its own while units are run. What is left then is copied by the writer, because
//! the log can only be written anew from its beginning when all of it is in the file and no transaction reads
//! from it. Look-ups leave their transactions open, so these are ended before and after.

use std::path::Path;
use std::time::Duration;

use diesel::prelude::*;
use r2d2::Pool;

use super::log_copier::LogCopier;
use super::pool::{ReadOnly, end_all};
use crate::engine::generation::Generation;
use crate::open::OpenError;
use crate::sql::transaction::{Checkpoint, LogPages};

/// How many pages are copied at a time: 2 MiB. The disk is busy with them for some milliseconds, in which commits wait.
const COPIED_PAGES: i64 = 250;

/// How many pages the log grows by until it is moved: 16 MiB.
const PAGES: i64 = 2_000;

/// How many pages may then be left for the writer to copy. If more are, the thread copies these first.
const LEFT_PAGES: i64 = 64;

/// How many pages it grows by at most until the writer copies what is left, however much that is: 32 MiB.
const MOST_PAGES: i64 = 2 * PAGES;

/// How many more it grows by if look-ups were in its way.
const RETRY: i64 = 100;

/// How long look-ups in progress are waited for; after each that timed out twice as long, so that the log does not grow for
/// as long as the machine is busy.
const TIMEOUT: Duration = Duration::from_millis(5);
const LONGEST_TIMEOUT: Duration = Duration::from_millis(160);

/// Blocked, pages of the log, and pages that are in the file.
type Pages = (i64, i64, i64);

/// What is known of the write-ahead log.
pub struct Log {
    /// How many pages it has when it is to be moved, as soon as little of it is left to copy.
    move_at: i64,
    /// The same, whatever is left.
    move_by: i64,
    /// How many it had after the last commit.
    pages: i64,
    /// How many it had when the thread was told last to copy it.
    copied_at: i64,
    /// How long look-ups are waited for when it is moved next.
    timeout: Duration,
    copier: LogCopier,
}

impl Log {
    /// The log of the database in this file.
    ///
    /// # Errors
    /// [`OpenError`] if the thread that copies it can't be started.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let copier = LogCopier::start(path)?;
        let (move_at, move_by) = (PAGES, MOST_PAGES);
        Ok(Self { move_at, move_by, pages: 0, copied_at: 0, timeout: TIMEOUT, copier })
    }

    /// Looks how long the log is, and returns how many pages were written since it was looked at last.
    ///
    /// # Errors
    /// Of the database.
    pub fn written_pages(&mut self, writer: &mut SqliteConnection) -> QueryResult<i64> {
        let (_, pages, _) = LogPages.get_result::<Pages>(writer)?;
        if pages < self.pages {
            (self.move_at, self.move_by) = (PAGES, MOST_PAGES);
            (self.pages, self.copied_at) = (0, 0);
        }
        let written = pages - self.pages;
        self.pages = pages;
        Ok(written)
    }

    /// Has the log copied if enough is new, and moves it if it has grown enough. As long as another process reads an old
    /// state, it stays, and grows.
    ///
    /// # Errors
    /// Of the database. What is committed is in the log, so nothing is lost.
    pub fn checkpoint_if_long(
        &mut self,
        writer: &mut SqliteConnection,
        (readers, generation): (&Pool<ReadOnly>, &Generation),
    ) -> QueryResult<()> {
        let new = self.pages - self.copied_at;
        if self.pages >= self.move_by {
            self.copier.wait();
            return self.move_rest(writer, readers, generation);
        }
        if self.copier.is_copying() {
            return Ok(());
        }
        let is_long = self.pages >= self.move_at;
        if is_long && new <= LEFT_PAGES {
            return self.move_rest(writer, readers, generation);
        }
        if is_long || new >= COPIED_PAGES {
            // The log is copied as far as all open transactions show it: those that are not in use are ended.
            end_all(readers, Duration::ZERO);
            self.copier.begin();
            self.copied_at = self.pages;
        }
        Ok(())
    }

    /// Copies what is left, and has the log written anew from its beginning.
    fn move_rest(
        &mut self,
        writer: &mut SqliteConnection,
        readers: &Pool<ReadOnly>,
        generation: &Generation,
    ) -> QueryResult<()> {
        // What is begun from here on shows the end of the log, so that all of it can be moved; and what is
        // begun when it has been moved reads from the file.
        let show_all = end_all(readers, self.timeout);
        let (_, pages, _) = Checkpoint.get_result::<Pages>(writer)?;
        generation.raise([]);
        let read_file = end_all(readers, self.timeout);
        self.copied_at = pages;
        if show_all && read_file {
            (self.move_at, self.move_by) = (pages + PAGES, pages + MOST_PAGES);
            self.timeout = TIMEOUT;
        } else {
            (self.move_at, self.move_by) = (pages + RETRY, pages + 2 * RETRY);
            self.timeout = (2 * self.timeout).min(LONGEST_TIMEOUT);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use diesel::connection::SimpleConnection;
    use tempfile::TempDir;

    use super::*;
    use crate::sqlite::connect::{connect, create, make_writer};
    use crate::sqlite::pool;

    /// A database without tables of ours, its writer, and its log.
    struct Setting {
        writer: SqliteConnection,
        readers: Pool<ReadOnly>,
        generation: Generation,
        log: Log,
        _folder: TempDir,
    }

    impl Setting {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("test.db");
            create(&path).unwrap();
            let mut writer = connect(&path).unwrap();
            make_writer(&mut writer, None).unwrap();
            writer.batch_execute("CREATE TABLE rows (content)").unwrap();
            let readers = pool::open(path.clone(), 2).unwrap();
            let (generation, log) = (Generation::default(), Log::open(&path).unwrap());
            Self { writer, readers, generation, log, _folder: folder }
        }

        fn write_pages(&mut self, pages: i64) {
            let insert = format!("INSERT INTO rows VALUES (zeroblob({pages} * 8192))");
            self.writer.batch_execute(&insert).unwrap();
        }

        fn checkpoint(&mut self) {
            self.log.written_pages(&mut self.writer).unwrap();
            let readers = (&self.readers, &self.generation);
            self.log.checkpoint_if_long(&mut self.writer, readers).unwrap();
        }

        /// Pages of the log, and how many of them are in the file.
        fn pages(&mut self) -> (i64, i64) {
            let (_, pages, copied) = LogPages.get_result::<Pages>(&mut self.writer).unwrap();
            (pages, copied)
        }
    }

    #[test]
    fn the_log_is_copied_while_the_writer_goes_on() {
        let mut setting = Setting::new();
        setting.write_pages(COPIED_PAGES);
        assert_eq!(setting.pages().1, 0);
        setting.checkpoint();
        setting.log.copier.wait();
        let (pages, copied) = setting.pages();
        assert!(pages > COPIED_PAGES && copied == pages, "{copied} of {pages} pages");
    }

    #[test]
    fn the_writer_moves_what_is_left_of_a_long_log() {
        let mut setting = Setting::new();
        setting.write_pages(PAGES);
        let (pages, _) = setting.pages();
        setting.log.copied_at = pages;
        setting.checkpoint();
        assert!(!setting.log.copier.is_copying());
        assert_eq!(setting.pages(), (pages, pages));
        setting.write_pages(3);
        let (pages, _) = setting.pages();
        assert!(pages < PAGES, "the log goes on with {pages} pages");
    }

    #[test]
    fn a_log_with_a_look_up_in_its_way_is_moved_soon_after() {
        let mut setting = Setting::new();
        let look_up = setting.readers.get().unwrap();
        setting.write_pages(MOST_PAGES);
        setting.checkpoint();
        let (pages, _) = setting.pages();
        assert_eq!(setting.log.move_by, pages + 2 * RETRY);
        assert_eq!(setting.log.timeout, 2 * TIMEOUT);
        drop(look_up);
        setting.log.pages = setting.log.move_by;
        let readers = (&setting.readers, &setting.generation);
        setting.log.checkpoint_if_long(&mut setting.writer, readers).unwrap();
        assert_eq!(setting.log.move_by, pages + MOST_PAGES);
        assert_eq!(setting.log.timeout, TIMEOUT);
    }

    #[test]
    fn a_short_log_stays() {
        let mut setting = Setting::new();
        setting.write_pages(COPIED_PAGES / 2);
        setting.checkpoint();
        assert!(!setting.log.copier.is_copying());
        assert_eq!(setting.pages().1, 0);
    }

    #[test]
    fn the_writer_waits_for_a_copy_during_which_the_log_has_grown_too_much() {
        let mut setting = Setting::new();
        let (ends, ended) = mpsc::sync_channel(0);
        setting.log.copier = LogCopier::in_progress(ended);
        setting.write_pages(MOST_PAGES);
        let waiting = thread::spawn(move || {
            setting.checkpoint();
            setting.pages()
        });
        // Is received by who waits only, and fails when nobody can any more.
        ends.send(()).unwrap();
        let (pages, copied) = waiting.join().unwrap();
        assert_eq!(copied, pages);
    }
}
