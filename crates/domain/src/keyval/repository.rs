//! The repository of key-value entries.

use super::{Access, Entry, EntryAddress, EntryFilter, EntryOfGuest, KeyvalScope};
use crate::access::{BotScope, OwnerClaim};
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::UserId;
use crate::lock::Lock;

/// Key-value entries in the database.
pub trait KeyvalRepository {
    /// The owner's entry at this address, locked as `lock` says.
    fn entry(
        &mut self,
        scope: &KeyvalScope,
        address: &EntryAddress,
        lock: Lock,
    ) -> Result<Option<EntryOfGuest>, StorageError>;

    /// Entries of the owner by address, at most `limit`, after `after` if that is given. With them
    /// comes the address to go on after, or `None` if there are no more. A call looks at a bounded
    /// number of entries and returns a bounded number of bytes, so it may return few or none although
    /// there are more. A filter that names a userId, a key or a prefix of keys is looked up in an
    /// index.
    fn entries(
        &mut self,
        scope: &KeyvalScope,
        filter: &EntryFilter,
        after: Option<&EntryAddress>,
        limit: u32,
    ) -> Result<(Vec<EntryOfGuest>, Option<EntryAddress>), StorageError>;

    /// Stores an entry. If there is one at its address already, that gets the new value and the new
    /// times of update and access, and keeps its identifier, its time of creation and a later time of
    /// access; which is what is returned. Of several writers at once the last one to commit wins, and none fails.
    fn put_entry(&mut self, scope: &KeyvalScope, entry: Entry) -> Result<Entry, StorageError>;

    /// Stores an entry if there is none at its address yet; returns whether it did.
    fn insert_entry(&mut self, scope: &KeyvalScope, entry: Entry) -> Result<bool, StorageError>;

    /// Stores an entry as [`Self::put_entry`] does, if its owner is found; `None` if not. It is one statement, so
    /// that it takes one round trip.
    fn put_entry_of(
        &mut self,
        claim: &OwnerClaim,
        entry: Entry,
    ) -> Result<Option<EntryOfGuest>, StorageError>;

    /// Deletes the owner's entry at this address; returns whether there was one.
    fn delete_entry(
        &mut self,
        scope: &KeyvalScope,
        address: &EntryAddress,
    ) -> Result<bool, StorageError>;

    /// Deletes the next entries that the filter means, `limit` of them, or a few more if others are written meanwhile,
    /// or fewer if their values are large, after `after` if that is given, in any order suits the filter; the permanent
    /// ones only if `keep_permanent` is false. Returns their number, and the address to go on after, or `None` if
    /// there were no more.
    fn delete_entries(
        &mut self,
        scope: &KeyvalScope,
        filter: &EntryFilter,
        keep_permanent: bool,
        after: Option<&EntryAddress>,
        limit: u32,
    ) -> Result<(u64, Option<EntryAddress>), StorageError>;

    /// Stores when entries were read last. A time never goes back, and what is not there any more is
    /// passed over. No other unit is waited for: returned are the indexes in `accesses` of those that were
    /// not written because another unit has locked their entry at the moment.
    fn record_accesses(&mut self, accesses: &[Access]) -> Result<Vec<usize>, StorageError>;

    /// Addresses of a project's own entries that are not permanent, with a key that begins with
    /// `prefix`, neither read nor written since `idle_since`: at most `limit`, ordered by key, userId
    /// and type, after `after` if that is given. With it comes the address to go on after, or `None`
    /// if there are no more; a call looks at a bounded number of entries, so it may return few or
    /// none although there are more.
    fn idle_entries(
        &mut self,
        scope: &KeyvalScope,
        prefix: &str,
        idle_since: Timestamp,
        after: Option<&EntryAddress>,
        limit: u32,
    ) -> Result<(Vec<EntryAddress>, Option<EntryAddress>), StorageError>;

    /// Deletes those of these entries that still were neither read nor written since `idle_since`: of the
    /// first ones, if their values are large. Returns their number, and of how many it was decided, at
    /// least one.
    fn delete_idle_entries(
        &mut self,
        scope: &KeyvalScope,
        addresses: &[EntryAddress],
        idle_since: Timestamp,
    ) -> Result<(u64, usize), StorageError>;

    /// Removes at most `limit` entries of a user who was deleted at this time, or fewer if their values are
    /// large, permanent ones included; what was written later stays. Returns their number, and whether
    /// those were all.
    fn remove_entries_of_user(
        &mut self,
        scope: &BotScope,
        user: UserId,
        deleted_at: Timestamp,
        limit: u32,
    ) -> Result<(u32, bool), StorageError>;

    /// Removes at most `limit` entries of a bot that is being torn down, or fewer if their values are large,
    /// but at least one if there is any; returns their number.
    fn remove_keyval_entries(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
