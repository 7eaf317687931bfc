//! Deletes of many key-value entries.

use std::sync::Arc;

use crate::contract::keyval::{address, all_entries, entry, find, listed, of_bot, of_project, put};
use crate::contract::keyval_lists::{odd_addresses, odd_filters, store_at};
use crate::contract::users::stored_user;
use crate::world::{World, at};
use domain::error::DomainError;
use domain::keyval::{EntryAddress, EntryFilter, KeyFilter, KeyvalScope};
use domain::store::{Repositories, Store};

/// Deletes all that a filter means, batch by batch; returns the sizes of the batches.
fn delete_all(
    tx: &mut dyn Repositories,
    scope: &KeyvalScope,
    filter: &EntryFilter,
    keep_permanent: bool,
    limit: u32,
) -> Result<Vec<u64>, DomainError> {
    let mut batches = Vec::new();
    let mut after = None;
    loop {
        let (deleted, next) =
            tx.delete_entries(scope, filter, keep_permanent, after.as_ref(), limit)?;
        batches.push(deleted);
        match next {
            Some(next) => after = Some(next),
            None => return Ok(batches),
        }
    }
}

pub(crate) fn addresses_of(world: &World, scope: KeyvalScope) -> Vec<EntryAddress> {
    all_entries(world, scope).into_iter().map(|entry| entry.address).collect()
}

fn of_prefix(prefix: &str) -> EntryFilter {
    EntryFilter { key: KeyFilter::prefix(prefix.to_owned()), ..EntryFilter::default() }
}

pub(crate) fn a_delete_takes_what_its_filter_means(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = of_bot(&world, &world.stored_bot("bot"));
    let neighbour = of_bot(&world, &world.stored_bot("neighbour"));
    let addresses = odd_addresses();
    store_at(&world, neighbour, &addresses);
    let entries: Vec<_> = addresses.iter().map(|at| entry(&world, at, "1")).collect();
    let (all, reference) = (EntryFilter::default(), addresses.clone());
    let wrong = world.write(move |tx| {
        for entry in &entries {
            tx.put_entry(&scope, entry.clone())?;
        }
        for (number, filter) in odd_filters().into_iter().enumerate() {
            let keep_permanent = number % 3 != 0;
            let limit = [1, 4, 500][number % 3];
            let goes =
                |at: &EntryAddress| filter.matches(at) && !(keep_permanent && at.is_permanent());
            let batches = delete_all(tx, &scope, &filter, keep_permanent, limit)?;
            let left: Vec<_> = listed(tx, &scope, &all, 10_000)?
                .into_iter()
                .map(|found| found.entry.address)
                .collect();
            let stays: Vec<_> = reference.iter().filter(|at| !goes(at)).cloned().collect();
            let gone = u64::try_from(reference.len() - stays.len()).unwrap();
            let is_bounded = batches.iter().all(|&batch| batch <= u64::from(limit));
            if left != stays || batches.iter().sum::<u64>() != gone || !is_bounded {
                return Ok(Some((filter, keep_permanent, batches, left, stays)));
            }
            for entry in entries.iter().filter(|entry| goes(&entry.address)) {
                tx.put_entry(&scope, entry.clone())?;
            }
        }
        Ok(None)
    });
    assert_eq!(wrong, None);
    assert_eq!(addresses_of(&world, neighbour), addresses);
}

pub(crate) fn what_stays_is_not_looked_at_again(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = of_bot(&world, &world.stored_bot("bot"));
    let permanent = (0..50).map(|number| address(&format!("u/a/!{number:02}")));
    let (permanent, ordinary) = (
        permanent.collect::<Vec<_>>(),
        (0..5).map(|number| address(&format!("u/b/{number}"))).collect::<Vec<_>>(),
    );
    store_at(&world, scope, &permanent);
    store_at(&world, scope, &ordinary);
    let calls = world.write(move |tx| {
        let mut calls = Vec::new();
        let mut after: Option<EntryAddress> = None;
        loop {
            let all = EntryFilter::default();
            let (count, next) = tx.delete_entries(&scope, &all, true, after.as_ref(), 5)?;
            let Some(next) = next else {
                return Ok((calls, count));
            };
            // Each call goes on after the last one, and none looks at so many that others wait long.
            assert!(after.as_ref().is_none_or(|after| next > *after));
            calls.push(count);
            after = Some(next);
            assert!(calls.len() < 50);
        }
    });
    let (calls, last) = calls;
    assert!(calls.len() > 2, "{calls:?}");
    assert_eq!(calls.iter().sum::<u64>() + last, 5);
    assert_eq!(addresses_of(&world, scope), permanent);
}

pub(crate) fn a_delete_goes_on_after_a_cursor(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = of_bot(&world, &world.stored_bot("bot"));
    let places = ["a/t/k1", "a/t/k2", "a/t/k3", "b/t/k1", "b/t/k2"].map(address);
    store_at(&world, scope, &places);
    let delete = |filter: EntryFilter, after: &str| {
        let after = address(after);
        world.write(move |tx| Ok(tx.delete_entries(&scope, &filter, true, Some(&after), 9)?))
    };
    // By address; by key, in which order `b/t/k1` comes before `a/t/k2`.
    let of_a = EntryFilter { user_id: Some("a".to_owned()), ..EntryFilter::default() };
    assert_eq!(delete(of_a.clone(), "a/t/k2"), (1, None));
    assert_eq!(addresses_of(&world, scope), [0, 1, 3, 4].map(|index| places[index].clone()));
    assert_eq!(delete(of_a, "b/t/k0"), (0, None));
    assert_eq!(delete(of_prefix("k"), "b/t/k1"), (2, None));
    assert_eq!(addresses_of(&world, scope), [0, 3].map(|index| places[index].clone()));
}

pub(crate) fn idle_entries_are_found_by_key(store: Arc<dyn Store>) {
    let world = World::new(store);
    let project = of_project(&world, &world.project);
    let idle = |prefix: &str, since: i64, after: Option<EntryAddress>, limit| {
        let prefix = prefix.to_owned();
        world.read(move |tx| {
            Ok(tx.idle_entries(&project, &prefix, at(since), after.as_ref(), limit)?)
        })
    };
    let places = ["b/t/k1", "a/t/k2", "a/t/k_", "a/t/kä", "a/t/!k", "a/t/l"].map(address);
    for place in &places {
        put(&world, project, &entry(&world, place, "1"));
    }
    let bot = of_bot(&world, &world.stored_bot("bot"));
    put(&world, bot, &entry(&world, &places[0], "1"));
    let [one, two, underscore, umlaut, _, other] = places.clone();
    let of_k = [one.clone(), two.clone(), underscore.clone(), umlaut];
    assert_eq!(idle("k", 4, None, 9), (of_k.to_vec(), None));
    assert_eq!(idle("k", 3, None, 9), (vec![], None));
    assert_eq!(idle("k_", 4, None, 9), (vec![underscore], None));
    assert_eq!(idle("%", 4, None, 9), (vec![], None));
    assert_eq!(idle("!", 4, None, 9), (vec![], None));
    assert_eq!(idle("", 4, None, 9), ([&of_k[..], &[other]].concat(), None));
    assert_eq!(idle("k", 4, None, 1), (of_k[..1].to_vec(), Some(one)));
    assert_eq!(idle("k", 4, Some(of_k[0].clone()), 2).0, of_k[1..3]);
    assert_eq!(idle("k", 4, Some(of_k[3].clone()), 2), (vec![], None));

    let stale = [&of_k[..], &[address("u/t/missing"), address("a/t/k1")]].concat();
    let mut read = entry(&world, &two, "1");
    read.accessed_at = at(4);
    put(&world, project, &read);
    let asked = stale.clone();
    let delete = move |since| {
        let stale = asked.clone();
        world.write(move |tx| Ok(tx.delete_idle_entries(&project, &stale, at(since))?))
    };
    assert_eq!([3, 4, 4, 5].map(delete), [(0, 6), (3, 6), (0, 6), (1, 6)]);
}

pub(crate) fn a_look_for_idle_entries_is_bounded(store: Arc<dyn Store>) {
    let world = World::new(store);
    let project = of_project(&world, &world.project);
    let mut places: Vec<_> =
        (0..5_000).map(|number| address(&format!("u/t/k{number:04}"))).collect();
    let mut old = entry(&world, &places.remove(4_321), "1");
    store_at(&world, project, &places);
    old.accessed_at = at(-1);
    put(&world, project, &old);
    let (mut looks, mut found, mut after) = (0, Vec::new(), None);
    loop {
        let from = after.clone();
        let (idle, next) =
            world.read(move |tx| Ok(tx.idle_entries(&project, "k", at(0), from.as_ref(), 100)?));
        found.extend(idle);
        looks += 1;
        assert!(next.is_none() || next > after, "a look goes on");
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert!(looks > 1);
    assert_eq!(found, [old.address]);
}

pub(crate) fn entries_of_a_user_go_with_the_user(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let user = stored_user(&world, &bot, "ada").id;
    let places =
        ["t/a", "t/b", "t/!c", "s/d", "s/later"].map(|rest| address(&format!("{user}/{rest}")));
    let others = [of_bot(&world, &neighbour), of_project(&world, &world.project)];
    let scope = of_bot(&world, &bot);
    for place in &places {
        for owner in others {
            put(&world, owner, &entry(&world, place, "1"));
        }
        put(&world, scope, &entry(&world, place, "1"));
    }
    let mut later = entry(&world, &places[4], "2");
    later.updated_at = at(6);
    put(&world, scope, &later);
    put(&world, scope, &entry(&world, &address("ada/t/a"), "1"));
    let removed = world.scope(&bot);
    let counts = world.write(move |tx| {
        let mut counts = Vec::new();
        for _ in 0..4 {
            counts.push(tx.remove_entries_of_user(&removed, user, at(5), 2)?);
        }
        Ok(counts)
    });
    assert_eq!(counts, [(2, false), (2, false), (0, true), (0, true)]);
    let mut left = vec![places[4].clone(), address("ada/t/a")];
    left.sort();
    assert_eq!(addresses_of(&world, scope), left);
    for owner in others {
        assert_eq!(addresses_of(&world, owner).len(), places.len());
    }
}

pub(crate) fn entries_are_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let places = ["u/t/!a", "u/t/b", "u/s/c", "v/t/d", "w/t/e"].map(address);
    let kept = [of_bot(&world, &neighbour), of_project(&world, &world.project)];
    for owner in [of_bot(&world, &bot), kept[0], kept[1]] {
        store_at(&world, owner, &places);
    }
    let scope = world.scope(&bot);
    let counts = world.write(move |tx| {
        let mut counts = Vec::new();
        for limit in [2, 2, 9, 9] {
            counts.push(tx.remove_keyval_entries(&scope, limit)?);
        }
        Ok(counts)
    });
    assert_eq!(counts, [2, 2, 1, 0]);
    assert_eq!(find(&world, of_bot(&world, &bot), &places[4]), None);
    for owner in kept {
        assert_eq!(addresses_of(&world, owner).len(), places.len());
    }
}

/// The database goes through the bytes of what it removes, and other writers wait for it.
pub(crate) fn of_large_entries_a_unit_deletes_few(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let user = stored_user(&world, &bot, "ada").id;
    let places: Vec<_> = (0..6).map(|number| address(&format!("{user}/t/k{number}"))).collect();
    let large = format!("\"{}\"", "x".repeat((1 << 20) - 2));
    let (scope, project, bot) =
        (of_bot(&world, &bot), of_project(&world, &world.project), world.scope(&bot));
    let fill = |scope| {
        for place in &places {
            put(&world, scope, &entry(&world, place, &large));
        }
    };
    for filter in [EntryFilter::default(), of_prefix("k"), of_prefix("")] {
        fill(scope);
        let batches = world.write(move |tx| delete_all(tx, &scope, &filter, true, 500));
        assert_eq!(batches, [4, 2]);
        assert_eq!(addresses_of(&world, scope), []);
    }
    fill(scope);
    let removed = bot.clone();
    let removed = world.write(move |tx| {
        Ok([(); 3].map(|()| tx.remove_entries_of_user(&removed, user, at(5), 200)))
    });
    assert_eq!(removed, [Ok((4, false)), Ok((2, true)), Ok((0, true))]);
    fill(scope);
    let removed = world.write(move |tx| Ok([(); 3].map(|()| tx.remove_keyval_entries(&bot, 200))));
    assert_eq!(removed, [Ok(4), Ok(2), Ok(0)]);
    fill(project);
    let idle = places.clone();
    let deleted = world.write(move |tx| {
        let first = tx.delete_idle_entries(&project, &idle, at(9))?;
        Ok([first, tx.delete_idle_entries(&project, &idle[first.1..], at(9))?])
    });
    assert_eq!(deleted, [(4, 4), (2, 2)]);
    assert_eq!(addresses_of(&world, project), []);
}
