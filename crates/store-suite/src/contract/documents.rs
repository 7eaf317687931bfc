//! Documents, and the copies of them that bots have.

use std::slice;
use std::sync::Arc;

use crate::samples::document_copies::{copies, copy, store_copy};
use crate::samples::documents::{
    all_documents, document, file_blob, full_document, in_status, of_project, store_document,
};
use crate::world::{OPERATOR, World, at};
use domain::bot::Bot;
use domain::document::{
    BotDocument, Document, DocumentToExtract, ExtractionCounts, ExtractionStatus,
};
use domain::error::StorageError;
use domain::id::{DocumentId, ExtractionId};
use domain::lock::Lock;
use domain::store::{Repositories, Store};

const EVERY_STATUS: [ExtractionStatus; 5] = [
    ExtractionStatus::None,
    ExtractionStatus::Queued,
    ExtractionStatus::Running,
    ExtractionStatus::Finished,
    ExtractionStatus::Failed,
];

/// Checks that a change fails.
pub(crate) fn refuses<S: Clone + Send + 'static>(
    world: &World,
    scope: &S,
    change: impl Fn(&mut dyn Repositories, &S) -> Result<(), StorageError> + Send + 'static,
) {
    let scope = scope.clone();
    assert!(world.try_write(move |tx| Ok(change(tx, &scope)?)).is_err());
}

pub(crate) fn a_document_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let (file, other) = (file_blob(&world, &bot, 1), file_blob(&world, &bot, 2));
    let mut all = vec![document(&world, &file)];
    all.extend(EVERY_STATUS.map(|status| full_document(&world, &file, status)));
    for stored in &all {
        store_document(&world, stored);
        let (scope, id) = (of_project(&world, &bot), stored.id);
        for lock in [Lock::None, Lock::Shared, Lock::Exclusive] {
            let scope = scope.clone();
            let found = world.write(move |tx| Ok(tx.document(&scope, id, lock)?));
            assert_eq!(found.as_ref(), Some(stored));
        }
    }
    assert_eq!(all_documents(&world, &bot), all);

    // When it was uploaded is said once.
    let update = |document: &Document| {
        let (scope, document) = (of_project(&world, &bot), document.clone());
        world.write(move |tx| Ok(tx.update_document(&scope, &document)?));
    };
    let full = full_document(&world, &other, ExtractionStatus::Failed);
    let changed = Document { id: all[0].id, updated_at: at(9), ..full };
    update(&Document { created_at: at(8), ..changed.clone() });
    let expected = Document { created_at: at(1), ..changed };
    assert_eq!(all_documents(&world, &bot)[0], expected);
    update(&all[0]);
    assert_eq!(all_documents(&world, &bot), all);

    for is_there in [true, false] {
        let (scope, id) = (of_project(&world, &bot), all[0].id);
        let deleted = world.try_write(move |tx| Ok(tx.delete_document(&scope, id)?));
        assert_eq!(deleted.is_ok(), is_there);
        assert_eq!(all_documents(&world, &bot), all[1..]);
    }
}

pub(crate) fn documents_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let abroad = world.bot_of(&world.other_project());
    let file = file_blob(&world, &bot, 1);
    let documents = [(); 5].map(|()| document(&world, &file));
    for index in [3, 0, 4, 2, 1] {
        store_document(&world, &documents[index]);
    }
    store_document(&world, &document(&world, &file_blob(&world, &abroad, 1)));
    let page = |after: Option<DocumentId>, limit| {
        let scope = of_project(&world, &bot);
        world.read(move |tx| Ok(tx.documents(&scope, after, limit)?))
    };
    assert_eq!(page(None, 100), documents);
    assert_eq!(page(None, 2), documents[..2]);
    assert_eq!(page(Some(documents[1].id), 2), documents[2..4]);
    assert_eq!(page(Some(documents[4].id), 2), []);
    let scopes = [of_project(&world, &bot), of_project(&world, &abroad)];
    world.read(move |tx| {
        assert_eq!(tx.count_documents(&scopes[0])?, 5);
        assert_eq!(tx.count_documents(&scopes[1])?, 1);
        Ok(())
    });
}

pub(crate) fn documents_of_another_project_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let other = world.other_project();
    let abroad = world.bot_of(&other);
    let stored = full_document(&world, &file_blob(&world, &bot, 1), ExtractionStatus::Queued);
    store_document(&world, &stored);
    let own = copy(&world, &bot, &stored);
    store_copy(&world, &own, &bot);
    let scope = of_project(&world, &abroad);
    let (foreign, found) = (scope.clone(), stored.clone());
    world.write(move |tx| {
        assert_eq!(tx.document(&foreign, found.id, Lock::Exclusive)?, None);
        assert_eq!(tx.documents(&foreign, None, 10)?, []);
        assert_eq!(tx.count_documents(&foreign)?, 0);
        assert_eq!(tx.bots_of_documents(&foreign, found.id..=found.id, 9)?, []);
        assert_eq!(tx.lock_documents(&foreign, &[found.id])?, []);
        assert_eq!(tx.bots_with_document(&foreign, found.id)?, []);
        let nothing = ExtractionCounts { queued: 0, running: 0 };
        assert_eq!(tx.extraction_counts(&foreign)?, nothing);
        Ok(())
    });
    for foreign in [world.scope(&abroad), world.forged_scope(&bot, &other)] {
        let (scope, found) = (foreign.clone(), stored.clone());
        world.write(move |tx| {
            assert_eq!(tx.bot_documents(&scope, &[found.id])?, []);
            assert_eq!(tx.delete_bot_documents(&scope, &[found.id])?, []);
            assert_eq!(tx.rename_skill_of_bot_documents(&scope, ("skill-ü", "x"), at(9), 10)?, []);
            assert_eq!(tx.remove_bot_documents(&scope, 10)?, 0);
            Ok(())
        });
        let stray = BotDocument { bot_id: foreign.bot_id(), ..copy(&world, &bot, &stored) };
        refuses(&world, &foreign, move |tx, scope| {
            tx.insert_bot_documents(scope, slice::from_ref(&stray))
        });
    }
    let (stolen, id) = (stored.clone(), stored.id);
    refuses(&world, &scope, move |tx, scope| tx.update_document(scope, &stolen));
    refuses(&world, &scope, move |tx, scope| tx.delete_document(scope, id));
    let stray = document(&world, &file_blob(&world, &bot, 2));
    let with_stolen_file = Document { project_id: other.id, ..stray.clone() };
    refuses(&world, &scope, move |tx, scope| tx.insert_document(scope, &stray));
    refuses(&world, &scope, move |tx, scope| tx.insert_document(scope, &with_stolen_file));
    assert_eq!(all_documents(&world, &bot), slice::from_ref(&stored));
    assert_eq!(copies(&world, &bot, &[stored]), [own]);
    assert_eq!(all_documents(&world, &abroad), []);
}

pub(crate) fn what_is_extracted_is_found_and_counted(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let abroad = world.bot_of(&world.other_project());
    let mut all = Vec::new();
    for (bot, statuses) in [(&bot, &EVERY_STATUS[..]), (&bot, &EVERY_STATUS[1..2]), (&abroad, &[])]
    {
        let file = file_blob(&world, bot, u8::try_from(all.len()).unwrap());
        for status in statuses {
            let stored = full_document(&world, &file, *status);
            store_document(&world, &stored);
            all.push(stored);
        }
    }
    let counted = |bot: &Bot| {
        let scope = of_project(&world, bot);
        world.read(move |tx| Ok(tx.extraction_counts(&scope)?))
    };
    assert_eq!(counted(&bot), ExtractionCounts { queued: 2, running: 1 });
    assert_eq!(counted(&abroad), ExtractionCounts { queued: 0, running: 0 });
    let find = |id: ExtractionId, lock| {
        world.write(move |tx| Ok(tx.document_to_extract(OPERATOR, id, lock)?))
    };
    let organisation_id = world.organisation.id;
    for document in &all {
        let Some(id) = document.extraction.id else { continue };
        let expected = DocumentToExtract { organisation_id, document: document.clone() };
        assert_eq!(find(id, Lock::None).as_ref(), Some(&expected));
        assert_eq!(find(id, Lock::Exclusive), Some(expected));
        // That of which its chunks are is done.
        assert_eq!(find(document.extraction.chunks_of.unwrap(), Lock::None), None);
    }
    // No two documents of a project have one, nor chunks, in common.
    let file = file_blob(&world, &bot, 9);
    let [mut twin, mut other] =
        [(); 2].map(|()| in_status(&world, &file, ExtractionStatus::Queued));
    twin.extraction.id = all[1].extraction.id;
    other.extraction.chunks_of = all[1].extraction.chunks_of;
    for stray in [twin, other] {
        refuses(&world, &of_project(&world, &bot), move |tx, scope| {
            tx.insert_document(scope, &stray)
        });
    }
    assert_eq!(all_documents(&world, &bot).len(), all.len());
}
