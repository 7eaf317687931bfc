//! When key-value entries were read last.

use std::sync::Arc;

use crate::contract::keyval::{address, all_entries, entry, of_bot, of_project, put};
use crate::contract::keyval_lists::store_at;
use crate::world::{World, at, together};
use domain::clock::Timestamp;
use domain::keyval::{Access, EntryAddress, KeyvalScope};
use domain::store::Store;

pub(crate) fn the_time_of_an_access_never_goes_back(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let (scope, other) = (of_bot(&world, &bot), of_bot(&world, &neighbour));
    let project = of_project(&world, &world.project);
    let places = ["u/t/a", "u/t/%", "ä/t/🤖\"'\\"].map(address);
    for place in &places {
        for scope in [scope, other, project] {
            put(&world, scope, &entry(&world, place, "1"));
        }
    }
    let record = |accesses: &[(KeyvalScope, &EntryAddress, Timestamp)]| {
        let accesses: Vec<_> = accesses
            .iter()
            .map(|&(scope, address, at)| Access { scope, address: address.clone(), at })
            .collect();
        let held = world.write(move |tx| Ok(tx.record_accesses(&accesses)?));
        assert!(held.is_empty());
    };
    let times = |scope| {
        let found = all_entries(&world, scope);
        found.into_iter().map(|entry| (entry.address, entry.accessed_at)).collect::<Vec<_>>()
    };
    let [a, percent, robot] = &places;
    record(&[]);
    record(&[
        (scope, percent, at(2)),
        (scope, a, at(9)),
        (scope, &address("u/t/missing"), at(9)),
        (scope, robot, at(4)),
        (project, a, at(5)),
    ]);
    let of = |one, two, three| {
        [(percent.clone(), at(one)), (a.clone(), at(two)), (robot.clone(), at(three))]
    };
    assert_eq!(times(scope), of(3, 9, 4));
    assert_eq!(times(project), of(3, 5, 3));
    assert_eq!(times(other), of(3, 3, 3));
    record(&[(scope, a, at(8)), (scope, robot, at(5))]);
    assert_eq!(times(scope), of(3, 9, 5));
    assert!(all_entries(&world, scope).iter().all(|entry| entry.updated_at == at(2)));
}

pub(crate) fn many_accesses_at_once_are_all_recorded(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = of_bot(&world, &world.stored_bot("bot"));
    let places: Vec<_> =
        (0..1_000).map(|number| address(&format!("u{}/t/k{number}", number % 7))).collect();
    store_at(&world, scope, &places);
    // In whatever order they come.
    together(4, |number| {
        for round in 0..5 {
            let when = at(100 + round * 4 + i64::try_from(number).unwrap());
            let mut accesses: Vec<_> = places
                .iter()
                .map(|place| Access { scope, address: place.clone(), at: when })
                .collect();
            accesses.rotate_left(number * 250);
            if number % 2 == 0 {
                accesses.reverse();
            }
            // What another thread holds is returned, and written once more.
            while !accesses.is_empty() {
                let these = accesses.clone();
                let held = world.write(move |tx| Ok(tx.record_accesses(&these)?));
                accesses = held.into_iter().map(|place| accesses[place].clone()).collect();
            }
        }
    });
    assert!(all_entries(&world, scope).iter().all(|entry| entry.accessed_at == at(119)));
}
