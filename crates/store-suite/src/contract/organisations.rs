//! Organisations and projects.

use std::sync::Arc;

use crate::world::{OPERATOR, World};
use domain::error::{DomainError, StorageError};
use domain::id::OrganisationId;
use domain::lock::Lock;
use domain::store::Store;

pub(crate) fn an_organisation_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let made = world.organisation("Ämter & Söhne 🏛️ \"'\\\n");
    let later = world.organisation("");
    for organisation in [&made, &later] {
        let organisation = organisation.clone();
        world.write(move |tx| Ok(tx.insert_organisation(OPERATOR, &organisation)?));
    }
    let id = made.id;
    let found = world.read(move |tx| Ok(tx.organisation(OPERATOR, id)?));
    assert_eq!(found, Some(made.clone()));

    let mut all = world.read(|tx| Ok(tx.organisations(OPERATOR)?));
    let own = [world.organisation.id, made.id, later.id];
    all.retain(|organisation| own.contains(&organisation.id));
    assert_eq!(all, [world.organisation.clone(), made, later]);

    let missing = world.organisation("missing").id;
    assert_eq!(world.read(move |tx| Ok(tx.organisation(OPERATOR, missing)?)), None);
}

pub(crate) fn a_project_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let made = world.project(&world.organisation, "Projekt „Ü“ 🗂️");
    let stored = made.clone();
    world.write(move |tx| Ok(tx.insert_project(OPERATOR, &stored)?));
    let id = made.id;
    assert_eq!(world.read(move |tx| Ok(tx.project(OPERATOR, id)?)), Some(made));
    let missing = world.project(&world.organisation, "missing").id;
    assert_eq!(world.read(move |tx| Ok(tx.project(OPERATOR, missing)?)), None);
}

pub(crate) fn projects_are_listed_by_organisation_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let elsewhere = world.organisation("elsewhere");
    let second = world.project(&world.organisation, "a");
    let foreign = world.project(&elsewhere, "b");
    let third = world.project(&world.organisation, "0");
    let made = (elsewhere.clone(), [third.clone(), foreign.clone(), second.clone()]);
    world.write(move |tx| {
        tx.insert_organisation(OPERATOR, &made.0)?;
        for project in &made.1 {
            tx.insert_project(OPERATOR, project)?;
        }
        Ok(())
    });
    let of = |id: OrganisationId| world.read(move |tx| Ok(tx.projects(OPERATOR, Some(id))?));
    let own = [world.project.clone(), second.clone(), third.clone()];
    assert_eq!(of(world.organisation.id), own);
    assert_eq!(of(elsewhere.id), std::slice::from_ref(&foreign));
    assert_eq!(of(world.organisation("none").id), []);

    let mut all = world.read(|tx| Ok(tx.projects(OPERATOR, None)?));
    let mine = [world.organisation.id, elsewhere.id];
    all.retain(|project| mine.contains(&project.organisation_id));
    assert_eq!(all, [world.project.clone(), second, foreign, third]);
}

pub(crate) fn a_project_is_claimed_only_in_its_organisation(store: Arc<dyn Store>) {
    let world = World::new(store);
    let elsewhere = world.organisation("elsewhere");
    let stored = elsewhere.clone();
    world.write(move |tx| Ok(tx.insert_organisation(OPERATOR, &stored)?));
    let mut forged = world.project.clone();
    forged.organisation_id = elsewhere.id;
    for lock in [Lock::None, Lock::Shared, Lock::Exclusive] {
        let (good, bad) = (world.claim_on_project(), OPERATOR.project(&forged));
        let find = move |tx: &mut dyn domain::store::Repositories| {
            Ok((tx.claimed_project(&good, lock)?, tx.claimed_project(&bad, lock)?))
        };
        let expected = (Some(world.project.clone()), None);
        assert_eq!(world.write(find.clone()), expected, "{lock:?}");
        // A reading unit has nothing to hold.
        assert_eq!(world.read(find), expected, "{lock:?}");
    }
}

pub(crate) fn a_project_needs_its_organisation(store: Arc<dyn Store>) {
    let world = World::new(store);
    let orphan = world.project(&world.organisation("missing"), "orphan");
    let id = orphan.id;
    let refused = world.try_write(move |tx| Ok(tx.insert_project(OPERATOR, &orphan)?));
    // A store in which units cross each other may take it for one that came too late.
    let is_refused = matches!(
        refused,
        Err(DomainError::Storage(StorageError::Broken(_) | StorageError::Contended(_)))
    );
    assert!(is_refused, "{refused:?}");
    assert_eq!(world.read(move |tx| Ok(tx.project(OPERATOR, id)?)), None);
}
