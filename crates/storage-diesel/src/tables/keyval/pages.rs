//! Pages of key-value entries, by address regardless of the filter.
//!
//! What an index serves as it stands is read at once. For the rest, the addresses of a page are looked
//! up first: in the order of pages among all entries of an owner, or in the index of keys.

use std::collections::BTreeMap;

use diesel::prelude::*;
use domain::StorageError;
use domain::keyval::{Entry, EntryAddress, EntryFilter, EntryOfGuest, KeyFilter, KeyvalScope};

use super::looks::{
    among_first, count, is_short, last_of_first, named_heads, named_values, page, sorted,
};
use super::range::{Order, Range};
use super::rows::{AddressColumns, AddressRow, Head, HeadColumns, address, entry};
use crate::engine::db::{Dialect, on_db};
use crate::engine::tx::Tx;
use crate::sql::json::to_json;
use crate::sql::statement::Statement;
use crate::tables::bot_rows::fitting;

/// How many entries one call looks at for those that a filter means, if no index knows which.
const EXAMINED: u32 = 20_000;
/// How many entries are looked at for a page of those with a prefix. If they are further apart, all
/// that have it are put in order after all, so that a page costs no more than they are.
const EXAMINED_FOR_PREFIX: u32 = 50_000;

/// What a look for addresses found, and the address to go on after if there may be more.
type AddressPage = (Vec<EntryAddress>, Option<EntryAddress>);

impl Tx<'_> {
    pub(super) fn page_of_entries(
        &mut self,
        scope: &KeyvalScope,
        filter: &EntryFilter,
        after: Option<&EntryAddress>,
        limit: u32,
    ) -> Result<(Vec<EntryOfGuest>, Option<EntryAddress>), StorageError> {
        let is_of_one_type = filter.user_id.is_some() && filter.entry_type.is_some();
        let order = match &filter.key {
            KeyFilter::Is(_) if !is_of_one_type => Order::Key,
            KeyFilter::Any | KeyFilter::Is(_) | KeyFilter::Prefix(_) => Order::Address,
        };
        let Some(range) = Range::of(scope, filter, order).after_by_address(after) else {
            return Ok((Vec::new(), None));
        };
        if range.is_exact() {
            let heads = self.heads(|dialect| page(dialect, &range, limit))?;
            let is_full = heads.len() >= limit as usize;
            let next = heads.last().filter(|_| is_full).map(Head::address);
            return self.with_values(scope, heads, next);
        }
        let (found, next) = match &filter.key {
            KeyFilter::Prefix(_) => {
                let keys = Range::of(scope, filter, Order::Key);
                let is_of_one_user = filter.user_id.is_some();
                self.look_for_prefix(&keys, &range, is_of_one_user, after, limit)?
            }
            KeyFilter::Any | KeyFilter::Is(_) => self.look_for(&range, limit, EXAMINED)?,
        };
        if found.is_empty() {
            return Ok((Vec::new(), next));
        }
        let named = to_json("addresses", &members(&found))?;
        let heads = self.heads(|dialect| named_heads(dialect, scope, &named))?;
        self.with_values(scope, heads, next)
    }

    /// Looks for entries with a prefix. `keys` has them in the order of keys, `range` has what is
    /// left of them in that of addresses.
    fn look_for_prefix(
        &mut self,
        keys: &Range,
        range: &Range,
        is_of_one_user: bool,
        after: Option<&EntryAddress>,
        limit: u32,
    ) -> Result<AddressPage, StorageError> {
        if !self.is_short(keys)? {
            if is_of_one_user {
                return self.look_for(range, limit, EXAMINED);
            }
            let (found, next) = self.look_for(range, limit, EXAMINED_FOR_PREFIX)?;
            if next.is_none() || found.len() >= limit as usize {
                return Ok((found, next));
            }
        }
        let found = self.found(|dialect| sorted(dialect, keys, after, limit))?;
        let next = found.last().filter(|_| found.len() >= limit as usize).cloned();
        Ok((found, next))
    }

    /// Whether the index has so few entries in the range that they can be put in another order.
    fn is_short(&mut self, range: &Range) -> Result<bool, StorageError> {
        let count: i64 = self.query(|db| {
            let count = count(db.dialect(), range);
            on_db!(db, db => count.get_result(db))
        })?;
        Ok(is_short(count))
    }

    /// Looks for entries of a range among its first ones, for whose order that of addresses will do.
    fn look_for(
        &mut self,
        range: &Range,
        limit: u32,
        examined: u32,
    ) -> Result<AddressPage, StorageError> {
        let found = self.found(|dialect| among_first(dialect, range, limit, examined))?;
        let next = match found.last() {
            Some(last) if found.len() >= limit as usize => Some(last.clone()),
            // The unit sees the same entries once more.
            Some(_) | None => self.found(|dialect| last_of_first(dialect, range, examined))?.pop(),
        };
        Ok((found, next))
    }

    fn found(
        &mut self,
        look: impl Fn(Dialect) -> Statement<AddressColumns>,
    ) -> Result<Vec<EntryAddress>, StorageError> {
        let found: Vec<AddressRow> = self.query(|db| {
            let look = look(db.dialect());
            on_db!(db, db => look.load(db))
        })?;
        Ok(found.into_iter().map(address).collect())
    }

    /// Entries without their large values, by address.
    fn heads(
        &mut self,
        page: impl Fn(Dialect) -> Statement<HeadColumns>,
    ) -> Result<Vec<Head>, StorageError> {
        let mut heads: Vec<Head> = self.query(|db| {
            let page = page(db.dialect());
            on_db!(db, db => page.load(db))
        })?;
        heads.sort_by(|one, other| one.address.cmp(&other.address));
        Ok(heads)
    }

    /// The first of these entries, as far as there is room for their values, and the address to go on
    /// after, which is `next` if there is room for all.
    fn with_values(
        &mut self,
        scope: &KeyvalScope,
        mut heads: Vec<Head>,
        next: Option<EntryAddress>,
    ) -> Result<(Vec<EntryOfGuest>, Option<EntryAddress>), StorageError> {
        let fitting = fitting(heads.iter().map(|head| head.bytes));
        let is_cut = fitting < heads.len();
        heads.truncate(fitting);
        self.reserve_memory(heads.iter().map(|head| head.bytes).sum())?;
        let next = if is_cut { heads.last().map(Head::address) } else { next };

        let large = heads.iter().filter(|head| head.value.is_none()).map(Head::address);
        let large: Vec<_> = large.collect();
        let mut values = BTreeMap::new();
        if !large.is_empty() {
            let named = to_json("addresses", &members(&large))?;
            let found: Vec<(AddressRow, String)> = self.query(|db| {
                let query = named_values(db.dialect(), scope, &named);
                on_db!(db, db => query.load(db))
            })?;
            values.extend(found);
        }
        let mut entries = Vec::with_capacity(heads.len());
        for mut head in heads {
            let value = head.value.take().or_else(|| values.remove(&head.address));
            entries.push(entry(address(head.address), &head.particulars, value.as_deref())?);
        }
        let guests = self.guests_of(scope, &entries)?;
        let of_guest = |entry: Entry| {
            let guest_id = guests.get(&entry.address.user_id).cloned();
            EntryOfGuest { entry, guest_id }
        };
        Ok((entries.into_iter().map(of_guest).collect(), next))
    }
}

/// The addresses as a JSON array names them.
pub(super) fn members(addresses: &[EntryAddress]) -> Vec<[&str; 3]> {
    let parts = addresses.iter();
    parts
        .map(|EntryAddress { user_id, entry_type, key }| {
            [user_id, entry_type, key].map(String::as_str)
        })
        .collect()
}
