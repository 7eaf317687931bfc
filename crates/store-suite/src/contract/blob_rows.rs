//! What the database knows of blobs.

use std::sync::Arc;

use crate::samples::blobs::{blob, store_blob};
use crate::samples::documents::{document, store_document};
use crate::samples::fusion_views::{full_view, store_view};
use crate::world::{OPERATOR, World, project_of};
use domain::access::ProjectScope;
use domain::blob::{Blob, BlobKind, BlobState, Sha256};
use domain::bot::Bot;
use domain::id::{BlobId, ProjectId};
use domain::store::{Repositories, Store};

fn present(scope: &ProjectScope, hash: u8) -> impl Fn(&mut dyn Repositories) -> BlobLookup + use<> {
    let scope = scope.clone();
    move |tx| Ok(tx.present_blob(&scope, BlobKind::Fusion, Sha256::from_bytes([hash; 32]))?)
}

type BlobLookup = Result<Option<Blob>, domain::error::DomainError>;

pub(crate) fn a_blob_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let (stored, other) = (blob(&world, &bot, 0xab), blob(&world, &bot, 0));
    for stored in [&stored, &other] {
        store_blob(&world, stored, &bot);
        let id = stored.id;
        assert_eq!(world.write(move |tx| Ok(tx.blob(OPERATOR, id)?)).as_ref(), Some(stored));
    }
    let missing = BlobId::from_uuid(world.id());
    assert_eq!(world.write(move |tx| Ok(tx.blob(OPERATOR, missing)?)), None);
    let scope = project_of(&world.scope(&bot));
    assert_eq!(world.read(present(&scope, 0xab)), Some(stored.clone()));
    assert_eq!(world.write(present(&scope, 0xab)), Some(stored.clone()));
    assert_eq!(world.read(present(&scope, 0xac)), None);

    let unknown = |hash: u8| blob(&world, &bot, hash).key();
    // More than a statement can take at once.
    let mut orphaned: Vec<_> = (0..1_200).map(|_| unknown(1)).collect();
    let elsewhere = Blob { project_id: ProjectId::from_uuid(world.id()), ..blob(&world, &bot, 2) };
    let mut asked = orphaned.clone();
    asked.extend([stored.key(), elsewhere.key(), other.key(), unknown(3)]);
    orphaned.extend(asked.last().cloned());
    assert_eq!(world.read(move |tx| Ok(tx.orphaned_blobs(OPERATOR, &asked)?)), orphaned);
}

pub(crate) fn only_present_content_is_found_again(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = project_of(&world.scope(&bot));
    let (old, new) = (blob(&world, &bot, 1), blob(&world, &bot, 1));
    store_blob(&world, &old, &bot);
    world.write(move |tx| Ok(tx.mark_blob_deleting(OPERATOR, old.id)?));
    assert_eq!(world.read(present(&scope, 1)), None);
    // A new generation of the same content, beside the old one.
    store_blob(&world, &new, &bot);
    assert_eq!(world.read(present(&scope, 1)), Some(new.clone()));
    let deleting = world.write(move |tx| Ok(tx.blob(OPERATOR, old.id)?)).unwrap();
    assert_eq!(deleting, Blob { state: BlobState::Deleting, ..old });
    for _ in 0..2 {
        world.write(move |tx| Ok(tx.forget_blob(OPERATOR, old.id)?));
        assert_eq!(world.write(move |tx| Ok(tx.blob(OPERATOR, old.id)?)), None);
    }
    assert!(world.try_write(move |tx| Ok(tx.mark_blob_deleting(OPERATOR, old.id)?)).is_err());
    assert_eq!(world.read(present(&scope, 1)), Some(new));
}

pub(crate) fn content_and_bytes_are_counted_by_project(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let abroad = world.bot_of(&world.other_project());
    let bytes = |bot: &Bot| {
        let scope = project_of(&world.scope(bot));
        world.read(move |tx| Ok(tx.blob_bytes(&scope)?))
    };
    assert_eq!(bytes(&bot), 0);
    let first = blob(&world, &bot, 1);
    store_blob(&world, &first, &bot);
    store_blob(&world, &blob(&world, &bot, 2), &neighbour);
    let foreign = blob(&world, &abroad, 1);
    store_blob(&world, &foreign, &abroad);
    world.write(move |tx| Ok(tx.mark_blob_deleting(OPERATOR, first.id)?));
    assert_eq!((bytes(&bot), bytes(&neighbour), bytes(&abroad)), (2_003, 2_003, 1_001));
    assert_eq!(world.read(present(&project_of(&world.scope(&neighbour)), 1)), None);
    assert_eq!(world.read(present(&project_of(&world.scope(&abroad)), 1)), Some(foreign));
    let (scope, stray) = (project_of(&world.scope(&bot)), blob(&world, &abroad, 3));
    assert!(world.try_write(move |tx| Ok(tx.insert_blob(&scope, &stray)?)).is_err());
}

pub(crate) fn references_to_a_blob_are_found(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let (used, unused) = (blob(&world, &bot, 1), blob(&world, &bot, 2));
    for stored in [&used, &unused] {
        store_blob(&world, stored, &bot);
    }
    let view = full_view(&world, &bot, &used);
    store_view(&world, &view, &bot);
    let is_referred_to = |blob: &Blob| {
        let blob = blob.clone();
        world.read(move |tx| Ok(tx.is_blob_referred_to(OPERATOR, &blob)?))
    };
    assert_eq!((is_referred_to(&used), is_referred_to(&unused)), (true, false));
    // What is referred to can't be forgotten, whatever the services think.
    assert!(world.try_write(move |tx| Ok(tx.forget_blob(OPERATOR, used.id)?)).is_err());
    let scope = world.scope(&bot);
    world.write(move |tx| Ok(tx.delete_fusion_view(&scope, view.id)?));
    assert!(!is_referred_to(&used));
    // It is the same with documents, of which one is enough.
    let documents = [(); 2].map(|()| document(&world, &unused));
    documents.iter().for_each(|document| store_document(&world, document));
    for document in &documents {
        assert!(is_referred_to(&unused));
        assert!(world.try_write(move |tx| Ok(tx.forget_blob(OPERATOR, unused.id)?)).is_err());
        let (scope, id) = (project_of(&world.scope(&bot)), document.id);
        world.write(move |tx| Ok(tx.delete_document(&scope, id)?));
    }
    assert!(!is_referred_to(&unused));
}
