//! What the writer sees to between two transactions: its cache, the write-ahead log, and the free pages of the file.

use diesel::prelude::*;

use super::writer::Writer;
use crate::sql::transaction::{FreePages, ShrinkMemory};

/// After how many bytes that are stored or removed in bulk the writer's cache is emptied: they would fill
/// it with what no unit needs, and it does not shrink by itself.
const BULK: i64 = 1 << 20;

impl Writer {
    /// Empties the cache of the connection after much that went through it in bulk.
    pub(super) fn shrink_cache(&mut self) {
        if self.bulk >= BULK {
            self.empty_cache();
        }
    }

    pub(super) fn empty_cache(&mut self) {
        self.bulk = 0;
        if let Err(error) = self.execute(ShrinkMemory) {
            tracing::debug!("emptying the writer's cache: {error:?}");
        }
    }

    /// Sees to the log, and returns how many pages were written to it since the last time.
    pub(super) fn checkpoint_log(&mut self) -> i64 {
        let readers = (&self.readers, &*self.generation);
        let written = self.log.written_pages(&mut self.db);
        let ended = written.and_then(|written| {
            self.log.checkpoint_if_long(&mut self.db, readers)?;
            Ok(written)
        });
        ended.unwrap_or_else(|error| {
            tracing::warn!("the write-ahead log can't be checkpointed: {error}");
            0
        })
    }

    /// Notes how much of the file can be used again, if the disk has so little room that it matters.
    pub(super) fn record_free_pages(&mut self) {
        if !self.disk_reserve.is_below_reserve() {
            return;
        }
        match FreePages.get_result::<i64>(&mut self.db) {
            Ok(pages) => self.disk_reserve.record_free_pages(pages),
            Err(error) => tracing::debug!("counting the free pages: {error}"),
        }
    }
}
