//! Documents that many bots have, and bots that get many documents.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::acting_store::ActingStore;
use crate::samples::document_copies::{copies, copy};
use crate::samples::documents::{document, file_blob};
use crate::services::document_bots::unassign;
use crate::services::document_service::{assign, bots_of, document_entries, replace};
use crate::services::installation::Installation;
use crate::world::{project_of, wait};
use domain::bot::{Bot, DuplicateBot};
use domain::document::{BotDocument, Document, RENAME_SKILL_OF_COPIES};
use domain::error::{Busy, DomainError};
use domain::lock::Lock;
use domain::store::Store;
use domain::testing::ResolveClaim as _;

/// Documents of the project, stored.
fn stored_documents(installation: &Installation, bot: &Bot, count: usize) -> Vec<Document> {
    let world = &installation.world;
    let file = file_blob(world, bot, 1);
    let documents: Vec<_> = (0..count).map(|_| document(world, &file)).collect();
    let (scope, stored) = (project_of(&world.scope(bot)), documents.clone());
    world.write(move |tx| {
        Ok(stored.iter().try_for_each(|document| tx.insert_document(&scope, document))?)
    });
    documents
}

/// Bots that have a document, stored.
fn stored_bots(installation: &Installation, document: &Document, count: usize) -> Vec<Bot> {
    let world = &installation.world;
    let bots: Vec<_> = (0..count).map(|_| world.bot("bot")).collect();
    let with_copy = |bot: &Bot| (bot.clone(), world.scope(bot), copy(world, bot, document));
    let stored: Vec<_> = bots.iter().map(with_copy).collect();
    let claim = world.claim_on_project();
    world.write(move |tx| {
        let (_, project) = claim.resolve(tx, Lock::Exclusive)?;
        for (bot, scope, copy) in &stored {
            tx.insert_bot(&project, bot, None)?;
            tx.insert_bot_documents(scope, slice::from_ref(copy))?;
        }
        Ok(())
    });
    bots
}

fn change(field: &str, from: &str, to: &str) -> String {
    format!(r#"[{{"field":"{field}","from":{from},"to":{to}}}]"#)
}

pub(crate) fn what_is_done_to_a_document_is_recorded_for_each_of_many_bots(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let without = world.stored_bot("without");
    let [gone, kept] = &stored_documents(&installation, &without, 2)[..] else {
        panic!("there are two documents");
    };
    // More entries than are in memory at once, and than one statement takes.
    let bots = stored_bots(&installation, gone, 1_050);
    let one = &bots[bots.len() - 1];
    assign(&installation, &world.claim(one), &[kept.id.to_string()]).unwrap();
    let all: Vec<_> = bots.iter().map(|bot| bot.id).collect();
    assert_eq!(bots_of(&installation, gone.id), all);
    let name = "n".repeat(255);
    replace(&installation, gone.id, &name, "new", &[("extract", "false")]).unwrap();
    // From so many bots it is taken away in two units.
    let (steps, project) = (Arc::<AtomicBool>::default(), world.claim_on_project());
    let is_further = steps.clone();
    let watched = ActingStore::before(1, store, move |_| {
        is_further.store(true, Ordering::Relaxed);
        Ok(())
    });
    let behind = installation.behind(watched);
    // Two generators of ids: within one millisecond their entries have no order.
    installation.wait_until(Duration::from_millis(1));
    assert_eq!(wait(behind.documents.delete(&project, gone.id)), Ok(gone.id));
    assert!(steps.load(Ordering::Relaxed), "one unit deleted it");
    let name = format!("{name:?}");
    let entry =
        |action, from: &str, to: &str| (action, gone.id.to_string(), change("fileName", from, to));
    let expected = [entry("upload", "null", &name), entry("delete", &name, "null")];
    for bot in bots.iter().filter(|bot| bot.id != one.id) {
        assert_eq!(document_entries(&installation, bot), expected);
    }
    assert_eq!(document_entries(&installation, one)[1..], expected);
    assert_eq!(document_entries(&installation, &without), []);
    assert_eq!(bots_of(&installation, kept.id), [one.id]);
}

pub(crate) fn a_bot_gets_many_documents_at_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let claim = world.claim(&bot);
    let documents = stored_documents(&installation, &bot, 1_000);
    let ids: Vec<_> = documents.iter().rev().map(|document| document.id.to_string()).collect();
    assign(&installation, &world.claim(&neighbour), &ids[..1]).unwrap();
    // Every other one it has already.
    let some: Vec<_> = ids.iter().step_by(2).cloned().collect();
    let had = assign(&installation, &claim, &some).unwrap();
    let assigned = assign(&installation, &claim, &ids).unwrap();
    assert!(assigned.iter().map(|copy| &copy.document).eq(documents.iter().rev()));
    assert!(assigned.iter().step_by(2).eq(&had));
    let in_order: Vec<_> = assigned.iter().rev().cloned().collect();
    assert_eq!(copies(world, &bot, &documents), in_order);
    assert_eq!(assign(&installation, &claim, &ids).unwrap(), assigned);

    let gone = unassign(&installation, &claim, &ids).unwrap();
    assert!(gone.iter().eq(assigned.iter().map(|copy: &BotDocument| &copy.document.id)));
    assert_eq!(copies(world, &bot, &documents), []);
    assert_eq!(bots_of(&installation, documents[999].id), [neighbour.id]);
    // Recorded in the order of the request.
    let entry = |action, id: &String| {
        let (from, to) = if action == "assign" { ("null", r#""f""#) } else { (r#""f""#, "null") };
        (action, id.clone(), change("fileName", from, to))
    };
    let others = ids.iter().skip(1).step_by(2);
    let entries = some.iter().chain(others).map(|id| entry("assign", id));
    let entries: Vec<_> = entries.chain(ids.iter().map(|id| entry("unassign", id))).collect();
    assert_eq!(document_entries(&installation, &bot), entries);
}

pub(crate) fn a_skill_of_many_copies_is_renamed_by_a_job(store: Arc<dyn Store>) {
    const MANY: usize = 1_100;
    let installation = Installation::new(store);
    let (world, botyard) = (&installation.world, &installation.botyard);
    let bot = world.stored_bot("bot");
    let (claim, scope) = (world.claim(&bot), world.scope(&bot));
    let create = |name: &str| {
        let body = format!(r#"{{"name":"{name}","skillId":"old"}}"#);
        installation.create_skill(&claim, &body).map(drop)
    };
    create("first").unwrap();
    let documents = stored_documents(&installation, &bot, MANY);
    let new = documents.iter().map(|document| BotDocument {
        skill_id: Some("old".to_owned()),
        ..copy(world, &bot, document)
    });
    let new: Vec<_> = new.collect();
    world.write(move |tx| Ok(tx.insert_bot_documents(&scope, &new)?));
    let renamed = || {
        let copies = copies(world, &bot, &documents).into_iter();
        copies.filter(|copy| copy.skill_id.as_deref() == Some("new")).count()
    };
    let update = |skill: &str, body: &str| {
        let update = botyard.skills.update(&claim, skill.to_owned(), installation.body(body));
        wait(update).map(drop)
    };
    let duplicate = || {
        let request = installation.valid(&DuplicateBot { name: None });
        wait(botyard.bots.duplicate(&claim, request)).map(drop)
    };
    assert_eq!(update("old", r#"{"skillId":"new"}"#), Ok(()));
    assert_eq!(renamed(), 1_000);
    // What would make the others wrong has to wait.
    let busy = Err(DomainError::Busy(Busy::SkillOfCopies));
    assert_eq!(create("second"), busy);
    assert_eq!(update("new", r#"{"skillId":"newer"}"#), busy);
    assert_eq!(duplicate(), busy);
    assert_eq!(update("new", r#"{"enabled":false}"#), Ok(()));
    let elsewhere = world.claim(&world.stored_bot("other"));
    assert!(installation.create_skill(&elsewhere, r#"{"name":"old"}"#).is_ok());

    assert_eq!(installation.work(), [RENAME_SKILL_OF_COPIES]);
    assert_eq!((renamed(), installation.jobs()), (MANY, Vec::new()));
    let change = change("skillId", r#""old""#, r#""new""#);
    let entries = document_entries(&installation, &bot);
    assert_eq!(entries.iter().filter(|(.., changes)| *changes == change).count(), MANY);
    assert_eq!([create("second"), duplicate()], [Ok(()), Ok(())]);
}
