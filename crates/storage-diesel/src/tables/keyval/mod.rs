//! Key-value entries in the database.
//!
//! There are two orders in which an owner's entries can be scanned, [that of addresses and
//! that of keys](range::Order). Every statement on several entries is about one [run](range::Range)
//! in one of them.

mod accesses;
mod deletes;
mod looks;
mod pages;
#[cfg(test)]
pub(crate) mod plans;
mod range;
mod rows;

use domain::StorageError;
use domain::access::{BotScope, OwnerClaim};
use domain::clock::Timestamp;
use domain::id::UserId;
use domain::keyval::{
    Access, Entry, EntryAddress, EntryFilter, EntryOfGuest, KeyFilter, KeyvalRepository,
    KeyvalScope,
};
use domain::lock::Lock;

use crate::engine::tx::Tx;
use range::{Order, Range};

impl KeyvalRepository for Tx<'_> {
    fn entry(
        &mut self,
        scope: &KeyvalScope,
        address: &EntryAddress,
        lock: Lock,
    ) -> Result<Option<EntryOfGuest>, StorageError> {
        self.find_entry(scope, address, lock)
    }

    fn entries(
        &mut self,
        scope: &KeyvalScope,
        filter: &EntryFilter,
        after: Option<&EntryAddress>,
        limit: u32,
    ) -> Result<(Vec<EntryOfGuest>, Option<EntryAddress>), StorageError> {
        self.page_of_entries(scope, filter, after, limit)
    }

    fn put_entry(&mut self, scope: &KeyvalScope, entry: Entry) -> Result<Entry, StorageError> {
        self.upsert_entry(scope, entry)
    }

    fn insert_entry(&mut self, scope: &KeyvalScope, entry: Entry) -> Result<bool, StorageError> {
        self.insert_new_entry(scope, entry)
    }

    fn put_entry_of(
        &mut self,
        claim: &OwnerClaim,
        entry: Entry,
    ) -> Result<Option<EntryOfGuest>, StorageError> {
        self.upsert_entry_of(claim, entry)
    }

    fn delete_entry(
        &mut self,
        scope: &KeyvalScope,
        address: &EntryAddress,
    ) -> Result<bool, StorageError> {
        self.delete_at(scope, address)
    }

    fn delete_entries(
        &mut self,
        scope: &KeyvalScope,
        filter: &EntryFilter,
        keep_permanent: bool,
        after: Option<&EntryAddress>,
        limit: u32,
    ) -> Result<(u64, Option<EntryAddress>), StorageError> {
        self.delete_batch(scope, filter, keep_permanent, after, limit)
    }

    fn record_accesses(&mut self, accesses: &[Access]) -> Result<Vec<usize>, StorageError> {
        self.set_accesses(accesses)
    }

    fn idle_entries(
        &mut self,
        scope: &KeyvalScope,
        prefix: &str,
        idle_since: Timestamp,
        after: Option<&EntryAddress>,
        limit: u32,
    ) -> Result<(Vec<EntryAddress>, Option<EntryAddress>), StorageError> {
        let key = KeyFilter::prefix(prefix.to_owned());
        let filter = EntryFilter { key, ..EntryFilter::default() };
        match Range::of(scope, &filter, Order::Key).after(after) {
            Some(range) => self.look_for_idle(&range, idle_since, limit),
            None => Ok((Vec::new(), None)),
        }
    }

    fn delete_idle_entries(
        &mut self,
        scope: &KeyvalScope,
        addresses: &[EntryAddress],
        idle_since: Timestamp,
    ) -> Result<(u64, usize), StorageError> {
        self.delete_if_idle(scope, addresses, idle_since)
    }

    fn remove_entries_of_user(
        &mut self,
        scope: &BotScope,
        user: UserId,
        deleted_at: Timestamp,
        limit: u32,
    ) -> Result<(u32, bool), StorageError> {
        let scope = KeyvalScope::from(scope);
        let filter = EntryFilter { user_id: Some(user.to_string()), ..EntryFilter::default() };
        let range = Range::of(&scope, &filter, Order::Address);
        let before = Some(("updated_at <= ", deleted_at.millis()));
        self.delete_first(&scope, range, before, limit)
    }

    fn remove_keyval_entries(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        let scope = KeyvalScope::from(scope);
        let range = Range::of(&scope, &EntryFilter::default(), Order::Address);
        Ok(self.delete_first(&scope, range, None, limit)?.0)
    }
}
