//! Lists of key-value entries: their order, pages and filters, against a plain reference.

use std::sync::Arc;

use crate::contract::keyval::{address, entry, listed, of_bot, of_project, put};
use crate::world::{World, in_pages};
use domain::error::DomainError;
use domain::keyval::{Entry, EntryAddress, EntryFilter, EntryOfGuest, KeyFilter, KeyvalScope};
use domain::store::Store;

/// Words in which a careless comparison would see something special.
const WORDS: [&str; 24] = [
    "!",
    "!a",
    "\"",
    "%",
    "%a",
    "A",
    "Z",
    "_",
    "_b",
    "a",
    "a%",
    "a*",
    "a/b",
    "a_",
    "ab",
    "aä",
    "a\u{10ffff}",
    "b",
    "ä",
    "äa",
    "\u{d7ff}",
    "\u{e000}",
    "🤖",
    "\u{10ffff}",
];

/// Addresses made of such words, in their order.
pub(crate) fn odd_addresses() -> Vec<EntryAddress> {
    let users = ["%", "Ada", "ada", "ad_", "\u{10ffff}"];
    let types = ["T", "t", "t%"];
    let mut addresses = Vec::new();
    for (one, user_id) in users.into_iter().enumerate() {
        for (two, entry_type) in types.into_iter().enumerate() {
            for (three, key) in WORDS.into_iter().enumerate() {
                // Not every user has everything.
                if (one * 7 + two * 5 + three * 3) % 4 != 0 {
                    let [user_id, entry_type, key] = [user_id, entry_type, key].map(str::to_owned);
                    addresses.push(EntryAddress { user_id, entry_type, key });
                }
            }
        }
    }
    addresses.sort();
    addresses
}

/// Every filter that can be made of these, of words that nothing begins with, and of none.
pub(crate) fn odd_filters() -> Vec<EntryFilter> {
    let mut keys = vec![KeyFilter::Any];
    for word in WORDS.into_iter().chain(["nothing", "a\u{10fffe}"]) {
        keys.extend([KeyFilter::Is(word.to_owned()), KeyFilter::Prefix(word.to_owned())]);
    }
    let mut filters = Vec::new();
    for user_id in [None, Some("ada"), Some("%"), Some("nobody")] {
        for entry_type in [None, Some("t"), Some("nothing")] {
            for key in &keys {
                let [user_id, entry_type] =
                    [user_id, entry_type].map(|text| text.map(str::to_owned));
                filters.push(EntryFilter { user_id, entry_type, key: key.clone() });
            }
        }
    }
    filters
}

/// Stores entries at these addresses in one unit, in another order than theirs.
pub(crate) fn store_at(world: &World, scope: KeyvalScope, addresses: &[EntryAddress]) {
    let entries = addresses.iter().map(|at| entry(world, at, "1"));
    let mut entries: Vec<Entry> = entries.collect();
    entries.sort_by_cached_key(|entry| entry.address.key.chars().rev().collect::<String>());
    world.write(move |tx| {
        entries.iter().try_for_each(|entry| tx.put_entry(&scope, entry.clone()).map(|_| ()))?;
        Ok(())
    });
}

fn addresses_of(found: Vec<EntryOfGuest>) -> Vec<EntryAddress> {
    found.into_iter().map(|found| found.entry.address).collect()
}

pub(crate) fn entries_are_listed_by_user_type_and_key(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let places = ["b/a/c", "a/b/c", "a/a/d", "a/a/c", "B/a/c", "a/ä/c"].map(address);
    let order = ["B/a/c", "a/a/c", "a/a/d", "a/b/c", "a/ä/c", "b/a/c"].map(address);
    put(&world, of_bot(&world, &neighbour), &entry(&world, &places[0], "1"));
    for scope in [of_bot(&world, &bot), of_project(&world, &world.project)] {
        for place in &places {
            put(&world, scope, &entry(&world, place, "1"));
        }
        let page = |after: Option<&EntryAddress>, limit| {
            let after = after.cloned();
            let all = EntryFilter::default();
            addresses_of(
                world.read(move |tx| Ok(tx.entries(&scope, &all, after.as_ref(), limit)?.0)),
            )
        };
        assert_eq!(page(None, 100), order);
        assert_eq!(page(None, 2), order[..2]);
        assert_eq!(page(Some(&order[1]), 2), order[2..4]);
        assert_eq!(page(Some(&address("a/a/cc")), 1), order[2..3]);
        assert_eq!(page(Some(&order[5]), 9), []);
        assert_eq!(in_pages(1, page), order);
    }
}

pub(crate) fn every_filter_finds_what_it_means(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = of_bot(&world, &world.stored_bot("bot"));
    let neighbour = of_bot(&world, &world.stored_bot("neighbour"));
    let addresses = odd_addresses();
    store_at(&world, scope, &addresses);
    store_at(&world, neighbour, &[address("ada/t/a"), address("nobody/t/nothing")]);
    // Pages go on after addresses that are there, that are not, and that the filter does not mean.
    let mut cursors: Vec<_> = addresses.iter().step_by(31).cloned().map(Some).collect();
    cursors.extend([None, Some(address("ada/t/aa")), Some(address("ada/s/%"))]);
    let wrong = world.read(move |tx| {
        for filter in odd_filters() {
            for after in &cursors {
                let is_meant = |address: &&EntryAddress| {
                    filter.matches(address) && after.as_ref().is_none_or(|after| *address > after)
                };
                let expected: Vec<_> = addresses.iter().filter(is_meant).take(7).cloned().collect();
                let found = addresses_of(tx.entries(&scope, &filter, after.as_ref(), 7)?.0);
                if found != expected {
                    return Ok::<_, DomainError>(Some((filter, after.clone(), found, expected)));
                }
            }
        }
        Ok(None)
    });
    assert_eq!(wrong, None);
}

pub(crate) fn a_list_is_read_page_by_page(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = of_project(&world, &world.project);
    let addresses = odd_addresses();
    store_at(&world, scope, &addresses);
    let prefix = |text: &str| KeyFilter::prefix(text.to_owned());
    let of = |user_id: Option<&str>, key| EntryFilter {
        user_id: user_id.map(str::to_owned),
        entry_type: None,
        key,
    };
    for filter in [
        EntryFilter::default(),
        of(None, prefix("a")),
        of(None, prefix("")),
        of(Some("ada"), prefix("a")),
        of(Some("ada"), KeyFilter::Any),
        of(None, KeyFilter::Is("a".to_owned())),
    ] {
        let expected: Vec<_> = addresses.iter().filter(|at| filter.matches(at)).cloned().collect();
        assert!(expected.len() > 2, "{filter:?}");
        for size in [1, 2, 5, 1_000] {
            let of_filter = filter.clone();
            let found = world.read(move |tx| Ok(listed(tx, &scope, &of_filter, size)?));
            assert_eq!(addresses_of(found), expected, "{filter:?} by {size}");
        }
    }
}

pub(crate) fn a_page_ends_early_where_values_are_large(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = of_project(&world, &world.project);
    let of = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
    let (large, small) = (256 << 10, 4_096);
    // Values around the size beyond which they are not read along with the rest.
    let lengths = [3, large, small, small + 1, large, large, large - 3, 9_000, large, 2, large];
    let entries: Vec<_> = (lengths.iter().enumerate())
        .map(|(number, &length)| {
            let place = address(&format!("u/t/{}{number:02}", if number < 9 { "a" } else { "b" }));
            put(&world, scope, &entry(&world, &place, &of(length)))
        })
        .collect();
    let prefix = KeyFilter::Prefix("a".to_owned());
    let of_type = EntryFilter { entry_type: Some("t".to_owned()), ..EntryFilter::default() };
    for (filter, count) in [
        (EntryFilter::default(), 11),
        (of_type.clone(), 11),
        (EntryFilter { key: prefix.clone(), ..of_type }, 9),
        (EntryFilter { key: prefix, ..EntryFilter::default() }, 9),
    ] {
        for size in [1, 4, 100] {
            let (all, by) = (filter.clone(), filter.clone());
            let found = world.read(move |tx| Ok(listed(tx, &scope, &all, size)?));
            let found: Vec<_> = found.into_iter().map(|found| found.entry).collect();
            assert!(found == entries[..count], "{filter:?} by {size}");
            let (first, next) = world.read(move |tx| Ok(tx.entries(&scope, &by, None, size)?));
            // There is room for all before the fourth large one.
            assert_eq!(first.len(), 6.min(size as usize));
            assert_eq!(next.as_ref(), first.last().map(|last| &last.entry.address));
        }
    }
}
