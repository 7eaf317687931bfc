//! The repository of imports.

use crate::access::BotScope;
use crate::blob::Sha256;
use crate::clock::Timestamp;
use crate::error::StorageError;

/// How much of a file is stored. It goes with the bot for which the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportPosition {
    /// The hash of the file and of the bot for which it is.
    pub sha256: Sha256,
    /// How many of its records are stored.
    pub records: u64,
    /// Whether that is all.
    pub is_complete: bool,
    /// When the last of them were.
    pub updated_at: Timestamp,
}

/// Files of which a part is stored, or that must not be stored twice.
pub trait ImportRepository {
    /// How much of the file is stored, if it is known.
    fn import_position(
        &mut self,
        scope: &BotScope,
        sha256: Sha256,
    ) -> Result<Option<ImportPosition>, StorageError>;

    /// Remembers how much of a file is stored, if so far it was `before` records, of which 0 means that it is not known;
    /// returns whether it was. Waits for units that do so at the same time.
    fn advance_import(
        &mut self,
        scope: &BotScope,
        before: u64,
        position: ImportPosition,
    ) -> Result<bool, StorageError>;

    /// Forgets a file, if so far `records` of it are stored; returns whether they are.
    fn forget_import(
        &mut self,
        scope: &BotScope,
        sha256: Sha256,
        records: u64,
    ) -> Result<bool, StorageError>;

    /// Forgets files of the bot's project that were stored as a whole before then.
    fn forget_old_imports(
        &mut self,
        scope: &BotScope,
        before: Timestamp,
    ) -> Result<(), StorageError>;
}
