//! Key-value entries, one by one.

use std::slice;
use std::sync::Arc;

use crate::contract::users::stored_user;
use crate::world::{OPERATOR, World, at};
use domain::bot::Bot;
use domain::error::StorageError;
use domain::id::KeyvalEntryId;
use domain::json::Json;
use domain::keyval::{Entry, EntryAddress, EntryFilter, EntryOfGuest, KeyvalScope};
use domain::lock::Lock;
use domain::project::Project;
use domain::store::{Repositories, Store};
use domain::testing::ResolveClaim as _;

/// The address `userId/type/key`.
pub(crate) fn address(text: &str) -> EntryAddress {
    let mut parts = text.splitn(3, '/').map(str::to_owned);
    let mut part = || parts.next().unwrap();
    EntryAddress { user_id: part(), entry_type: part(), key: part() }
}

/// The right to a bot's entries.
pub(crate) fn of_bot(world: &World, bot: &Bot) -> KeyvalScope {
    (&world.scope(bot)).into()
}

/// The right to a project's own entries.
pub(crate) fn of_project(world: &World, project: &Project) -> KeyvalScope {
    let claim = OPERATOR.project(project);
    world.read(move |tx| Ok((&claim.resolve(tx, Lock::None)?.1).into()))
}

/// An entry, not stored.
pub(crate) fn entry(world: &World, at_address: &EntryAddress, value: &str) -> Entry {
    Entry {
        id: KeyvalEntryId::from_uuid(world.id()),
        address: at_address.clone(),
        value: Json::parse_text(value).unwrap(),
        created_at: at(1),
        updated_at: at(2),
        accessed_at: at(3),
    }
}

pub(crate) fn put(world: &World, scope: KeyvalScope, entry: &Entry) -> Entry {
    let entry = entry.clone();
    world.write(move |tx| Ok(tx.put_entry(&scope, entry.clone())?))
}

pub(crate) fn find(
    world: &World,
    scope: KeyvalScope,
    at_address: &EntryAddress,
) -> Option<EntryOfGuest> {
    let at_address = at_address.clone();
    world.read(move |tx| Ok(tx.entry(&scope, &at_address, Lock::None)?))
}

/// All that a filter means, read in pages of this size.
pub(crate) fn listed(
    tx: &mut dyn Repositories,
    scope: &KeyvalScope,
    filter: &EntryFilter,
    size: u32,
) -> Result<Vec<EntryOfGuest>, StorageError> {
    let (mut listed, mut after) = (Vec::new(), None);
    loop {
        let (page, next) = tx.entries(scope, filter, after.as_ref(), size)?;
        assert!(page.len() <= size as usize);
        listed.extend(page);
        match next {
            Some(next) => after = Some(next),
            None => return Ok(listed),
        }
    }
}

/// All entries of an owner.
pub(crate) fn all_entries(world: &World, scope: KeyvalScope) -> Vec<Entry> {
    let all = EntryFilter::default();
    let entries = world.read(move |tx| Ok(listed(tx, &scope, &all, 50_000)?));
    entries.into_iter().map(|found| found.entry).collect()
}

fn of_nobody(entry: &Entry) -> EntryOfGuest {
    EntryOfGuest { entry: entry.clone(), guest_id: None }
}

/// Owners that differ in each possible way: no other of them has what one of them has.
fn owners(world: &World) -> Vec<KeyvalScope> {
    let other = world.other_project();
    let bots = [world.stored_bot("bot"), world.stored_bot("neighbour"), world.bot_of(&other)];
    let mut owners: Vec<_> = bots.iter().map(|bot| of_bot(world, bot)).collect();
    owners.extend([&world.project, &other].map(|project| of_project(world, project)));
    owners
}

pub(crate) fn an_entry_is_inserted_only_where_there_is_none(store: Arc<dyn Store>) {
    let world = World::new(store);
    for scope in owners(&world) {
        let [first, second] = ["1", "2"].map(|value| entry(&world, &address("u/t/k"), value));
        for (entry, is_stored) in [(&first, true), (&second, false)] {
            let entry = entry.clone();
            let stored = world.write(move |tx| Ok(tx.insert_entry(&scope, entry.clone())?));
            assert_eq!(stored, is_stored);
        }
        let at_address = first.address.clone();
        let held = world.write(move |tx| Ok(tx.entry(&scope, &at_address, Lock::Exclusive)?));
        assert_eq!(held, Some(of_nobody(&first)));
    }
}

pub(crate) fn a_keyval_entry_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let long = [256, 256, 1_024].map(|length| "ä".repeat(length / 2)).join("/");
    let addresses = ["u/t/k", "ada/T %/a/b?c#d..", "\u{10ffff}/\u{1}/!\u{7f}\"'\\", &long];
    let big = format!("\"{}\"", "x".repeat((1 << 20) - 2));
    let values = [
        r#"{ "z" : 1.50, "a":[1e400, -0, 123456789012345678901234567890]}"#,
        "null",
        "\"\\u0000\"",
        &big,
    ];
    for scope in owners(&world) {
        let entries = addresses.iter().zip(values).map(|(text, value)| {
            let stored = entry(&world, &address(text), value);
            assert_eq!(find(&world, scope, &stored.address), None);
            assert_eq!(put(&world, scope, &stored), stored);
            assert_eq!(find(&world, scope, &stored.address), Some(of_nobody(&stored)));
            stored
        });
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by(|one, other| one.address.cmp(&other.address));
        assert_eq!(all_entries(&world, scope), entries);
    }
}

pub(crate) fn an_entry_is_put_in_place_of_what_was_there(store: Arc<dyn Store>) {
    let world = World::new(store);
    let owners = owners(&world);
    let place = address("u/t/k");
    let stored = owners.iter().map(|&scope| put(&world, scope, &entry(&world, &place, "1")));
    let stored: Vec<_> = stored.collect();
    let mut again = entry(&world, &place, r#"["longer than before"]"#);
    (again.created_at, again.updated_at, again.accessed_at) = (at(7), at(8), at(9));
    let kept = Entry { id: stored[0].id, created_at: stored[0].created_at, ..again.clone() };
    assert_eq!(put(&world, owners[0], &again), kept);
    assert_eq!(all_entries(&world, owners[0]), std::slice::from_ref(&kept));
    // A clock that goes back does not take back when an entry was read.
    let mut late = again.clone();
    (late.updated_at, late.accessed_at) = (at(6), at(6));
    let kept = Entry { updated_at: at(6), ..kept };
    assert_eq!(put(&world, owners[0], &late), kept);
    assert_eq!(all_entries(&world, owners[0]), [kept]);
    for (&scope, stored) in owners.iter().zip(&stored).skip(1) {
        assert_eq!(all_entries(&world, scope), slice::from_ref(stored));
    }
    // An entry that was deleted is a new one when it comes again.
    let (scope, at_place) = (owners[0], place.clone());
    assert!(world.write(move |tx| Ok(tx.delete_entry(&scope, &at_place)?)));
    let at_place = place.clone();
    assert!(!world.write(move |tx| Ok(tx.delete_entry(&scope, &at_place)?)));
    assert_eq!(put(&world, scope, &again), again);
}

pub(crate) fn addresses_are_compared_byte_by_byte(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = of_bot(&world, &world.stored_bot("bot"));
    let words = ["ada", "Ada", "ada ", "\u{e9}", "e\u{301}", "ß", "ss", "%", "_", "ad_", "ad%"];
    let mut addresses = Vec::new();
    for word in words {
        addresses.extend([format!("{word}/t/k"), format!("u/{word}/k"), format!("u/t/{word}")]);
    }
    let addresses: Vec<_> = addresses.iter().map(|text| address(text)).collect();
    for (number, place) in addresses.iter().enumerate() {
        put(&world, scope, &entry(&world, place, &number.to_string()));
    }
    assert_eq!(all_entries(&world, scope).len(), addresses.len());
    for (number, place) in addresses.iter().enumerate() {
        let found = find(&world, scope, place).unwrap().entry;
        assert_eq!(found.value.as_str(), number.to_string(), "{place:?}");
    }
    for missing in ["ADA/t/k", "u/t/ada\u{301}", "u/t/a", "U/t/k"] {
        assert_eq!(find(&world, scope, &address(missing)), None, "{missing}");
    }
}

pub(crate) fn entries_of_another_owner_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let place = address("u/t/k");
    let stored = put(&world, of_bot(&world, &bot), &entry(&world, &place, "1"));
    // Every other owner, and this very bot as if it lay in another project.
    let mut others = owners(&world);
    others.push((&world.forged_scope(&bot, &world.other_project())).into());
    for other in others {
        assert_eq!(find(&world, other, &place), None);
        assert_eq!(all_entries(&world, other), []);
        let place = place.clone();
        let deleted = world.write(move |tx| {
            let all = EntryFilter::default();
            let (deleted, _) = tx.delete_entries(&other, &all, false, None, 9)?;
            let idle = tx.delete_idle_entries(&other, slice::from_ref(&place), at(1_000))?;
            let (found, _) = tx.idle_entries(&other, "", at(1_000), None, 9)?;
            assert_eq!(found, []);
            Ok((tx.delete_entry(&other, &place)?, deleted, idle))
        });
        assert_eq!(deleted, (false, 0, (0, 1)));
    }
    let forged = world.forged_scope(&bot, &world.other_project());
    let scope = KeyvalScope::from(&forged);
    let over = entry(&world, &place, "2");
    assert!(world.try_write(move |tx| Ok(tx.put_entry(&scope, over.clone())?)).is_err());
    assert_eq!(world.write(move |tx| Ok(tx.remove_keyval_entries(&forged, 9)?)), 0);
    assert_eq!(all_entries(&world, of_bot(&world, &bot)), [stored]);
}

pub(crate) fn an_entry_needs_its_owner(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = of_bot(&world, &world.bot("never stored"));
    let orphan = entry(&world, &address("u/t/k"), "1");
    assert!(world.try_write(move |tx| Ok(tx.put_entry(&scope, orphan.clone())?)).is_err());
}

pub(crate) fn guest_ids_come_and_go_with_their_users(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let (ada, bob) = (stored_user(&world, &bot, "ada"), stored_user(&world, &bot, "bob"));
    let foreign = stored_user(&world, &neighbour, "of the neighbour");
    let scope = of_bot(&world, &bot);
    let users = [&ada.id.to_string(), &bob.id.to_string(), &foreign.id.to_string(), "ada"]
        .map(String::from);
    let places = users.map(|user| address(&format!("{user}/t/k")));
    for place in &places {
        put(&world, scope, &entry(&world, place, "1"));
        put(&world, of_project(&world, &world.project), &entry(&world, place, "1"));
    }
    let guests = |scope: KeyvalScope| {
        let alone = places.clone().map(|place| find(&world, scope, &place).unwrap().guest_id);
        let all = EntryFilter::default();
        let found = world.read(move |tx| Ok(listed(tx, &scope, &all, 9)?));
        let listed_guest = |place: &EntryAddress| {
            let found = found.iter().find(|found| found.entry.address == *place);
            found.unwrap().guest_id.clone()
        };
        assert_eq!(places.clone().map(|place| listed_guest(&place)), alone);
        alone.map(Option::unwrap_or_default)
    };
    assert_eq!(guests(scope), ["ada", "bob", "", ""]);
    assert_eq!(guests(of_project(&world, &world.project)), [""; 4]);
    let of_users = world.scope(&bot);
    let deleted = ada.id;
    world.write(move |tx| Ok(tx.delete_users(&of_users, &[deleted], at(5))?));
    assert_eq!(guests(scope), ["", "bob", "", ""]);
}
