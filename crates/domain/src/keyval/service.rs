//! What can be done with key-value entries.

use std::sync::Arc;
use std::time::Duration;

use super::unit::on_entries;
use super::{
    Access, Entry, EntryAddress, EntryFilter, EntryOfGuest, KeyvalScope, KeyvalUnit, PutEntry,
};
use crate::access::{Conditional as _, Operator, OwnerClaim, ResolvableClaim as _};
use crate::context::Context;
use crate::entity_tag::Tagged;
use crate::error::{DomainError, Resource};
use crate::input::Valid;
use crate::json::Json;
use crate::lock::Lock;
use crate::store::Repositories;
use crate::unit::Unit;

/// Owners of entries are not locked, so that writes of many users do not wait for each other: an entry only needs its
/// owner to exist, which a foreign key enforces.
const OWNER_LOCK: Lock = Lock::None;
/// How many entries one unit deletes, so that other writers need not wait long.
const DELETE_BATCH: u32 = 100;
/// How many access times one unit writes.
const ACCESS_BATCH: usize = 1_000;
/// How many access times wait for the next round of writing at most.
const ACCESSES_MAX: usize = 20_000;
/// An access so soon after the last one that is known is not worth a write.
const ACCESS_GRAIN: Duration = Duration::from_millis(500);

/// Key-value entries of bots and of projects.
#[derive(Clone)]
pub struct KeyvalService {
    context: Arc<Context>,
}

impl KeyvalService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The entry at this address. Reading it counts as an access.
    ///
    /// # Errors
    /// [`DomainError::Invalid`] for an address that no entry can have, [`DomainError::NotFound`] if
    /// the owner or the entry is not there.
    pub async fn get(
        &self,
        claim: &OwnerClaim,
        address: EntryAddress,
    ) -> Result<EntryOfGuest, DomainError> {
        address.violations().into_result(())?;
        let (scope, found) = self
            .context
            .look_up_claimed(claim, move |unit| {
                let scope = KeyvalScope::from(&unit.scope);
                let found = unit.tx.entry(&scope, &address, Lock::None)?;
                Ok((scope, found.ok_or(DomainError::NotFound(Resource::KeyvalEntry))?))
            })
            .await?;
        let at = self.context.clock.now();
        if at.minus(ACCESS_GRAIN) >= found.entry.accessed_at {
            let access = Access { scope, address: found.entry.address.clone(), at };
            let accesses = &self.context.accesses;
            if accesses.record(access) > ACCESSES_MAX
                && let Some(_permit) = accesses.flush_permit()
            {
                // A failure is ignored: the entry was read all the same, and the periodic writes of
                // accesses return their own failures.
                drop(self.write_accesses().await);
            }
        }
        Ok(found)
    }

    /// Entries that the filter means, by address, at most `limit`, after `after` if that is given;
    /// and the address to go on after, or `None` if there are no more. If values are large, there may
    /// be fewer than `limit` although there are more, but at least one. Listing them is no access.
    ///
    /// # Errors
    /// [`DomainError::Invalid`] for a filter or an address that no entry can match,
    /// [`DomainError::NotFound`] if the owner is not there.
    pub async fn page(
        &self,
        claim: &OwnerClaim,
        filter: &EntryFilter,
        mut after: Option<EntryAddress>,
        limit: u32,
    ) -> Result<(Vec<EntryOfGuest>, Option<EntryAddress>), DomainError> {
        filter.violations().into_result(())?;
        after.as_ref().map_or(Ok(()), |after| after.violations().into_result(()))?;
        loop {
            let (filter, from) = (filter.clone(), after.clone());
            let (entries, next) = self
                .context
                .read_claimed(claim, move |unit| {
                    let scope = (&unit.scope).into();
                    Ok(unit.tx.entries(&scope, &filter, from.as_ref(), limit)?)
                })
                .await?;
            if !entries.is_empty() || next.is_none() {
                return Ok((entries, next));
            }
            after = next;
        }
    }

    /// Stores a value under an address that is not permanent, whether there is an entry or not. It
    /// counts as an access.
    ///
    /// # Errors
    /// [`DomainError::PermanentKey`], [`DomainError::Invalid`] for an address that no entry can have,
    /// [`DomainError::NotFound`] if the owner is not there, [`DomainError::PreconditionFailed`].
    pub async fn put(
        &self,
        claim: &OwnerClaim,
        address: EntryAddress,
        request: Valid<PutEntry>,
    ) -> Result<EntryOfGuest, DomainError> {
        if address.is_permanent() {
            return Err(DomainError::PermanentKey);
        }
        address.violations().into_result(())?;
        let claim = claim.clone();
        self.context
            .write(Some(claim.project_id()), move |unit| {
                unit.once(claim.idempotent(), claim.bot_id(), |unit| {
                    put(unit, &claim, &address, request.value.clone())
                })
            })
            .await
    }

    /// Deletes the entry at this address, and returns the address; a permanent one only if `keep_permanent` is
    /// false.
    ///
    /// # Errors
    /// [`DomainError::PermanentKey`], whether there is such an entry or not,
    /// [`DomainError::Invalid`] for an address that no entry can have, and
    /// [`DomainError::NotFound`] if the owner or the entry is not there.
    pub async fn delete(
        &self,
        claim: &OwnerClaim,
        address: EntryAddress,
        keep_permanent: bool,
    ) -> Result<EntryAddress, DomainError> {
        if keep_permanent && address.is_permanent() {
            return Err(DomainError::PermanentKey);
        }
        address.violations().into_result(())?;
        self.context
            .delete_claimed(claim, OWNER_LOCK, move |unit| {
                let mut unit = on_entries(unit);
                unit.check_precondition_with(|unit| {
                    let found = locked_entry(unit, &address)?;
                    let found = found.ok_or(DomainError::NotFound(Resource::KeyvalEntry))?;
                    Ok(Some(found.entity_tag()))
                })?;
                let was_there = unit.tx.delete_entry(&unit.scope, &address)?;
                was_there
                    .then(|| address.clone())
                    .ok_or(DomainError::NotFound(Resource::KeyvalEntry))
            })
            .await
    }

    /// Deletes all entries that the request means, batch by batch, so that others can write in
    /// between: it is not atomic, and can be repeated. Returns their number.
    ///
    /// # Errors
    /// [`DomainError::Invalid`] for a filter that no entry can match, [`DomainError::NotFound`] if the
    /// owner is not there, or not any more.
    pub async fn bulk_delete(
        &self,
        claim: &OwnerClaim,
        filter: EntryFilter,
        keep_permanent: bool,
    ) -> Result<u64, DomainError> {
        filter.violations().into_result(())?;
        let mut deleted = 0;
        let mut after = None;
        loop {
            let filter = filter.clone();
            let (count, next) = self
                .context
                .delete_claimed(claim, OWNER_LOCK, move |unit| {
                    let scope = (&unit.scope).into();
                    let (count, next) = unit.tx.delete_entries(
                        &scope,
                        &filter,
                        keep_permanent,
                        after.as_ref(),
                        DELETE_BATCH,
                    )?;
                    match next {
                        Some(_) => unit.answer_later(),
                        None => unit.answer_with(|_| Ok(deleted + count))?,
                    }
                    Ok((count, next))
                })
                .await?;
            deleted += count;
            match next {
                Some(next) => after = Some(next),
                None => return Ok(deleted),
            }
        }
    }

    /// Writes down when entries were read last, as far as the database does not know.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails; nothing is forgotten then.
    pub async fn flush_accesses(&self, _operator: Operator) -> Result<(), DomainError> {
        self.write_accesses().await
    }

    async fn write_accesses(&self) -> Result<(), DomainError> {
        write_accesses(&self.context).await
    }
}

/// Stores a value under the precondition of the claim, if it has one.
fn put(
    unit: &mut Unit<'_>,
    claim: &OwnerClaim,
    address: &EntryAddress,
    value: Json,
) -> Result<EntryOfGuest, DomainError> {
    if let Some(precondition) = claim.precondition() {
        let scope = claim.look_up(unit.tx, OWNER_LOCK)?;
        return unit.with_precondition(Some(precondition), scope, |unit| {
            put_if(&mut on_entries(unit), address, value)
        });
    }
    let entry = new_entry(unit, address.clone(), value);
    if let Some(entry) = unit.tx.put_entry_of(claim, entry.clone())? {
        return Ok(entry);
    }
    // It is what is not there, unless the entry can't be stored for another reason.
    let scope = (&claim.look_up(unit.tx, OWNER_LOCK)?).into();
    let entry = unit.tx.put_entry(&scope, entry)?;
    let found = unit.tx.entry(&scope, address, Lock::None)?;
    Ok(EntryOfGuest { entry, guest_id: found.and_then(|found| found.guest_id) })
}

/// Stores a value if the precondition holds for what is at the address.
fn put_if(
    unit: &mut KeyvalUnit<'_>,
    address: &EntryAddress,
    value: Json,
) -> Result<EntryOfGuest, DomainError> {
    let found = locked_entry(unit, address)?;
    unit.check_precondition_with(|_| Ok(found.as_ref().map(Tagged::entity_tag)))?;
    let entry = new_entry(unit, address.clone(), value);
    match found {
        Some(EntryOfGuest { guest_id, .. }) => {
            Ok(EntryOfGuest { entry: unit.tx.put_entry(&unit.scope, entry)?, guest_id })
        }
        None => {
            let is_stored = unit.tx.insert_entry(&unit.scope, entry)?;
            let found = unit.tx.entry(&unit.scope, address, Lock::None)?;
            // Nothing can be locked where nothing is: another unit may have stored an entry there meanwhile.
            let tag = || DomainError::PreconditionFailed(found.as_ref().map(Tagged::entity_tag));
            if is_stored { found.clone().ok_or_else(tag) } else { Err(tag()) }
        }
    }
}

/// The entry at an address, locked exclusively.
fn locked_entry(
    unit: &mut KeyvalUnit<'_>,
    address: &EntryAddress,
) -> Result<Option<EntryOfGuest>, DomainError> {
    match unit.tx.entry(&unit.scope, address, Lock::Exclusive)? {
        // While it waited for the lock, PostgreSQL kept to the guestId of the beginning.
        Some(_) => Ok(unit.tx.entry(&unit.scope, address, Lock::None)?),
        None => Ok(None),
    }
}

/// An entry as it is when there was none before.
pub(crate) fn new_entry<S>(unit: &Unit<'_, S>, address: EntryAddress, value: Json) -> Entry {
    let now = unit.now();
    Entry { id: unit.next_id(), address, value, created_at: now, updated_at: now, accessed_at: now }
}

/// Writes the accesses that are remembered and not written yet, in bounded units.
pub(crate) async fn write_accesses(context: &Context) -> Result<(), DomainError> {
    for batch in context.accesses.waiting().chunks(ACCESS_BATCH) {
        let accesses = batch.to_vec();
        let write = move |tx: &mut dyn Repositories| Ok(tx.record_accesses(&accesses)?);
        let locked = context.store.write(write).await?;
        // What another unit holds stays remembered until the next call.
        let numbered = batch.iter().enumerate().filter(|(index, _)| !locked.contains(index));
        let written: Vec<_> = numbered.map(|(_, access)| access.clone()).collect();
        context.accesses.written(&written);
    }
    Ok(())
}
