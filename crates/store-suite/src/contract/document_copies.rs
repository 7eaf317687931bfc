//! The copies of documents that bots have.

use std::ops::RangeInclusive;
use std::slice;
use std::sync::Arc;

use crate::contract::documents::refuses;
use crate::samples::document_copies::{copies, copy, store_copy};
use crate::samples::documents::{
    all_documents, document, file_blob, full_document, of_project, store_document,
};
use crate::world::{World, at, project_of};
use domain::bot::{Bot, BotKind, BotState};
use domain::copy_step::CopyStep;
use domain::document::{BotDocument, ExtractionStatus};
use domain::id::{BotDocumentId, BotId, DocumentId};
use domain::store::Store;

fn bots_of(
    world: &World,
    bot: &Bot,
    ids: RangeInclusive<DocumentId>,
    limit: u32,
) -> Vec<(DocumentId, BotId)> {
    let scope = of_project(world, bot);
    world.read(move |tx| Ok(tx.bots_of_documents(&scope, ids.clone(), limit)?))
}

fn holders(world: &World, bot: &Bot, id: DocumentId) -> Vec<BotId> {
    let scope = of_project(world, bot);
    world.read(move |tx| Ok(tx.bots_with_document(&scope, id)?))
}

pub(crate) fn a_copy_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let file = file_blob(&world, &bot, 1);
    let documents =
        [document(&world, &file), full_document(&world, &file, ExtractionStatus::Finished)];
    documents.iter().for_each(|document| store_document(&world, document));
    let plain = copy(&world, &bot, &documents[0]);
    let full = BotDocument {
        skill_id: Some("skill-ü".to_owned()),
        function_name: Some("Zoë 🤖 \"quoted\" \\".to_owned()),
        ..copy(&world, &bot, &documents[1])
    };
    let of_neighbour = copy(&world, &neighbour, &documents[0]);
    store_copy(&world, &plain, &bot);
    store_copy(&world, &full, &bot);
    store_copy(&world, &of_neighbour, &neighbour);
    assert_eq!(copies(&world, &bot, &documents), [plain.clone(), full.clone()]);
    assert_eq!(copies(&world, &neighbour, &documents), slice::from_ref(&of_neighbour));

    // It has what its document has, but not what both have of their own.
    let (scope, mut changed) = (of_project(&world, &bot), documents[0].clone());
    changed.file.file_name = "other".to_owned();
    changed.updated_at = at(9);
    let update = changed.clone();
    world.write(move |tx| Ok(tx.update_document(&scope, &update)?));
    let expected = BotDocument { document: changed, ..plain.clone() };
    assert_eq!(copies(&world, &bot, &documents), [expected, full.clone()]);

    // A bot has one of each, and none of what is not there.
    let missing = copy(&world, &bot, &document(&world, &file));
    for stray in [copy(&world, &bot, &documents[0]), missing] {
        refuses(&world, &world.scope(&bot), move |tx, scope| {
            tx.insert_bot_documents(scope, slice::from_ref(&stray))
        });
    }
    let stray = copy(&world, &bot, &documents[1]);
    refuses(&world, &world.scope(&neighbour), move |tx, scope| {
        tx.insert_bot_documents(scope, slice::from_ref(&stray))
    });
    let (id, missing) = (documents[0].id, DocumentId::from_uuid(world.id()));
    for gone in [vec![id], Vec::new()] {
        let scope = world.scope(&bot);
        let removed =
            world.write(move |tx| Ok(tx.delete_bot_documents(&scope, &[id, missing, id])?));
        assert_eq!(removed, gone);
    }
    assert_eq!(copies(&world, &bot, &documents), [full]);
    assert_eq!(copies(&world, &neighbour, &documents)[0].id, of_neighbour.id);
}

pub(crate) fn bots_of_documents_are_those_that_are_found(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bots = ["c", "a", "b"].map(|name| world.stored_bot(name));
    let hidden = |kind, state| {
        let bot = Bot { kind, state, ..world.bot("hidden") };
        world.store_bot(&bot);
        bot
    };
    let hidden = [
        hidden(BotKind::Demo, BotState::Active),
        hidden(BotKind::Regular, BotState::Archived),
        hidden(BotKind::Regular, BotState::Trashed),
        hidden(BotKind::Regular, BotState::Deleted),
    ];
    let file = file_blob(&world, &bots[0], 1);
    let documents = [(); 3].map(|()| document(&world, &file));
    documents.iter().for_each(|document| store_document(&world, document));
    for bot in bots[1..].iter().chain(&hidden).chain(&bots[..1]) {
        store_copy(&world, &copy(&world, bot, &documents[1]), bot);
    }
    store_copy(&world, &copy(&world, &bots[2], &documents[0]), &bots[2]);
    let ids = documents.each_ref().map(|document| document.id);
    let of_second = bots.each_ref().map(|bot| (ids[1], bot.id));
    let all = [&[(ids[0], bots[2].id)][..], &of_second].concat();
    let bots_of = |ids, limit| bots_of(&world, &bots[0], ids, limit);
    assert_eq!(bots_of(ids[0]..=ids[2], u32::MAX), all);
    assert_eq!(bots_of(ids[0]..=ids[2], 3), all[..3]);
    assert_eq!(bots_of(ids[1]..=ids[2], 9), of_second);
    assert_eq!(bots_of(ids[0]..=ids[0], 9), all[..1]);
    assert_eq!(bots_of(ids[2]..=ids[2], 9), []);
    // What is done to a document concerns those as well that may be found again.
    let mut holding: Vec<_> = bots.iter().chain(&hidden[..3]).map(|bot| bot.id).collect();
    holding.sort_unstable();
    assert_eq!(holders(&world, &bots[0], ids[1]), holding);
    assert_eq!(holders(&world, &bots[0], ids[0]), [bots[2].id]);
    assert_eq!(holders(&world, &bots[0], ids[2]), []);

    // A document that goes is gone from every bot, whether that can be found or not.
    let (scope, id) = (of_project(&world, &bots[0]), ids[1]);
    let mut gone: Vec<BotId> = Vec::new();
    loop {
        let scope = scope.clone();
        let some = world.write(move |tx| Ok(tx.take_document_from_bots(&scope, id, 2)?));
        gone.extend(&some);
        if some.len() < 2 {
            break;
        }
    }
    world.write(move |tx| Ok(tx.delete_document(&scope, id)?));
    let mut expected: Vec<_> = bots.iter().chain(&hidden).map(|bot| bot.id).collect();
    gone.sort_unstable();
    expected.sort_unstable();
    assert_eq!(gone, expected);
    assert_eq!(bots_of(ids[0]..=ids[2], 9), [(ids[0], bots[2].id)]);
    assert_eq!(holders(&world, &bots[0], ids[1]), []);
    for bot in bots.iter().chain(&hidden) {
        assert_eq!(copies(&world, bot, &documents[1..]), []);
    }
}

pub(crate) fn copies_follow_a_new_skill_id(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let file = file_blob(&world, &bot, 1);
    let documents = [(); 4].map(|()| document(&world, &file));
    documents.iter().for_each(|document| store_document(&world, document));
    let of_skill = |bot, document, skill: Option<&str>| {
        let skill_id = skill.map(str::to_owned);
        let copy = BotDocument { skill_id, ..copy(&world, bot, document) };
        store_copy(&world, &copy, bot);
        copy
    };
    let skills = [Some("old"), Some("Old"), None, Some("old")];
    let mut expected: Vec<_> = documents
        .iter()
        .zip(skills)
        .map(|(document, skill)| of_skill(&bot, document, skill))
        .collect();
    let other = of_skill(&neighbour, &documents[0], Some("old"));
    let rename = |old: &'static str, new: &'static str| {
        let scope = world.scope(&bot);
        world.write(move |tx| Ok(tx.rename_skill_of_bot_documents(&scope, (old, new), at(9), 1)?))
    };
    assert_eq!(rename("old", "new"), [expected[0].id]);
    assert_eq!(rename("old", "new"), [expected[3].id]);
    assert_eq!(rename("old", "new"), []);
    for index in [0, 3] {
        expected[index].skill_id = Some("new".to_owned());
        expected[index].updated_at = at(9);
    }
    assert_eq!(copies(&world, &bot, &documents), expected);
    assert_eq!(copies(&world, &neighbour, &documents), [other]);
}

pub(crate) fn copies_are_copied_and_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, other) = (world.stored_bot("bot"), world.stored_bot("other"));
    let file = file_blob(&world, &bot, 1);
    // More than one statement copies.
    let documents: Vec<_> = (0..205).map(|_| document(&world, &file)).collect();
    let originals: Vec<_> = documents
        .iter()
        .map(|document| BotDocument {
            skill_id: Some(document.id.to_string()),
            function_name: Some("f".to_owned()),
            ..copy(&world, &bot, document)
        })
        .collect();
    let (scopes, stored) = ([world.scope(&bot), world.scope(&other)], originals.clone());
    let new_documents = documents.clone();
    let ids: Vec<_> = documents.iter().map(|_| BotDocumentId::from_uuid(world.id())).collect();
    let [from, to] = scopes.clone();
    let given = ids.clone();
    world.write(move |tx| {
        for (document, copy) in new_documents.iter().zip(&stored) {
            tx.insert_document(&project_of(&from), document)?;
            tx.insert_bot_documents(&from, slice::from_ref(copy))?;
        }
        let mut ids = given.iter();
        Ok(tx.copy_bot_documents((&from, &to), at(7), &mut CopyStep::whole(), &mut || {
            *ids.next().unwrap()
        })?)
    });
    let expected: Vec<_> = originals
        .iter()
        .zip(ids)
        .map(|(original, id)| {
            let (created_at, updated_at) = (at(7), at(7));
            BotDocument { id, bot_id: other.id, created_at, updated_at, ..original.clone() }
        })
        .collect();
    assert_eq!(copies(&world, &other, &documents), expected);

    let remove = |limit| {
        let [scope, _] = scopes.clone();
        world.write(move |tx| Ok(tx.remove_bot_documents(&scope, limit)?))
    };
    assert_eq!(remove(200), 200);
    assert_eq!(copies(&world, &bot, &documents), originals[200..]);
    assert_eq!((remove(200), remove(200)), (5, 0));
    assert_eq!(copies(&world, &bot, &documents), []);
    assert_eq!(copies(&world, &other, &documents), expected);
    assert_eq!(all_documents(&world, &bot), documents);
}
