//! Documents on bots: assigned, taken away, and gone with their bot.

use std::slice;
use std::sync::Arc;
use std::time::Duration;

use crate::samples::document_copies::copy;
use crate::samples::documents::{all_documents, document, file_blob};
use crate::services::document_service::{
    assign, bots_of, delete, document_entries, replace, upload_to, upload_to_bot,
};
use crate::services::installation::Installation;
use crate::world::{at, project_of, together, wait};
use domain::StorageError;
use domain::access::{BotClaim, OwnerClaim};
use domain::bot::{Bot, DeleteMode, TEARDOWN_BOT};
use domain::copy_step::CopyStep;
use domain::document::{BotDocument, Document, DocumentOnBots};
use domain::error::{DomainError, Resource};
use domain::id::{BotDocumentId, DocumentId};
use domain::list::{ListPosition, ListQuery};
use domain::store::Store;

const HOUR: Duration = Duration::from_secs(60 * 60);

pub(crate) fn unassign(
    installation: &Installation,
    claim: &BotClaim,
    ids: &[String],
) -> Result<Vec<DocumentId>, DomainError> {
    let request = installation.body(&serde_json::json!({ "docIds": ids }).to_string());
    wait(installation.botyard.documents.unassign(claim, request))
}

pub(crate) fn documents_are_assigned_and_taken_away(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let claim = world.claim(&bot);
    let documents = ["a.md", "b.md", "c.md"]
        .map(|name| upload_to_bot(&installation, &neighbour, name).document);
    let ids = documents.each_ref().map(|document| document.id.to_string());
    installation.wait_until(Duration::from_secs(5));
    // In the order asked, each once; and all or nothing.
    let asked = [ids[1].clone(), ids[0].clone(), ids[1].clone()];
    let stray = [world.id().to_string(), "x".to_owned()];
    let with_stray = [&asked[..], &stray, &stray].concat();
    let missing =
        DomainError::DocumentsNotFound(vec![with_stray[3].clone(), "/docIds/4".to_owned()]);
    assert_eq!(assign(&installation, &claim, &with_stray), Err(missing.clone()));
    assert_eq!(document_entries(&installation, &bot), []);
    let assigned = assign(&installation, &claim, &asked).unwrap();
    let of_documents: Vec<_> = assigned.iter().map(|copy| copy.document.clone()).collect();
    assert_eq!(of_documents, [documents[1].clone(), documents[0].clone()]);
    for copy in &assigned {
        assert_eq!((copy.bot_id, copy.created_at, copy.updated_at), (bot.id, at(5_000), at(5_000)));
        assert_eq!(copy.skill_id, copy.document.skill_id);
    }
    let entry = |action, index: usize| {
        let name = &documents[index].file.file_name;
        let (from, to) = match action {
            "assign" => ("null".to_owned(), format!("{name:?}")),
            _ => (format!("{name:?}"), "null".to_owned()),
        };
        let changes = format!(r#"[{{"field":"fileName","from":{from},"to":{to}}}]"#);
        (action, ids[index].clone(), changes)
    };
    assert_eq!(document_entries(&installation, &bot), [entry("assign", 1), entry("assign", 0)]);
    assert_eq!(bots_of(&installation, documents[0].id), [bot.id, neighbour.id]);

    // Those that it has already stay as they are.
    installation.wait_until(Duration::from_secs(9));
    let again = assign(&installation, &claim, &ids).unwrap();
    assert_eq!([&again[1], &again[0]], [&assigned[0], &assigned[1]]);
    assert_eq!((again[2].document.id, again[2].created_at), (documents[2].id, at(9_000)));
    let first = [entry("assign", 1), entry("assign", 0), entry("assign", 2)];
    assert_eq!(document_entries(&installation, &bot), first);

    assert_eq!(unassign(&installation, &claim, &with_stray), Err(missing));
    let gone = unassign(&installation, &claim, &asked);
    assert_eq!(gone, Ok(vec![documents[1].id, documents[0].id]));
    assert_eq!(unassign(&installation, &claim, &ids), Ok(vec![documents[2].id]));
    assert_eq!(unassign(&installation, &claim, &ids), Ok(Vec::new()));
    let then = [entry("unassign", 1), entry("unassign", 0), entry("unassign", 2)];
    assert_eq!(document_entries(&installation, &bot), [first, then].concat());
    // The documents stay, and so do the copies of others.
    assert_eq!(all_documents(world, &bot), documents);
    assert_eq!(document_entries(&installation, &neighbour).len(), 3);
    for document in &documents {
        assert_eq!(bots_of(&installation, document.id), [neighbour.id]);
    }
    let absent = world.claim(&world.bot("missing"));
    let missing = DomainError::NotFound(Resource::Bot);
    assert_eq!(assign(&installation, &absent, &ids), Err(missing.clone()));
    assert_eq!(unassign(&installation, &absent, &ids), Err(missing));
}

pub(crate) fn copies_go_with_their_bot_and_their_skill(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    installation.create_skill(&claim, r#"{"name":"n","skillId":"s"}"#).unwrap();
    let copies = ["a.md", "b.md"].map(|name| upload_to_bot(&installation, &bot, name));
    let ids = copies.each_ref().map(|copy| copy.document.id);
    let copies_of = |bot: &Bot| {
        let scope = world.scope(bot);
        world.read(move |tx| Ok(tx.bot_documents(&scope, &ids)?))
    };
    installation.wait_until(Duration::from_secs(5));
    let made = wait(installation.botyard.bots.duplicate(&claim, installation.body("{}")));
    let duplicate = made.unwrap().bot;
    let of_duplicate = copies_of(&duplicate);
    assert_eq!(of_duplicate.len(), 2);
    for (original, copy) in copies.iter().zip(&of_duplicate) {
        assert_ne!(original.id, copy.id);
        let (created_at, updated_at) = (at(5_000), at(5_000));
        let (id, bot_id) = (copy.id, duplicate.id);
        let expected = BotDocument { id, bot_id, created_at, updated_at, ..original.clone() };
        assert_eq!(*copy, expected);
    }
    assert_eq!(bots_of(&installation, ids[0]), [bot.id, duplicate.id]);

    // The copies of that bot get a new `skillId`, which is in the changelog; the document keeps its own.
    installation.wait_until(Duration::from_secs(7));
    let before = document_entries(&installation, &bot).len();
    let rename = installation.body(r#"{"skillId":"new"}"#);
    wait(installation.botyard.skills.update(&claim, "s".to_owned(), rename)).unwrap();
    let followed = copies_of(&bot);
    for (original, copy) in copies.iter().zip(&followed) {
        let skill_id = Some("new".to_owned());
        let expected = BotDocument { skill_id, updated_at: at(7_000), ..original.clone() };
        assert_eq!(*copy, expected);
        assert_eq!(copy.document.skill_id.as_deref(), Some("s"));
    }
    assert_eq!(copies_of(&duplicate), of_duplicate);
    let changes = r#"[{"field":"skillId","from":"s","to":"new"}]"#;
    let expected: Vec<_> =
        followed.iter().map(|copy| ("update", copy.id.to_string(), changes.to_owned())).collect();
    assert_eq!(document_entries(&installation, &bot)[before..], expected);

    // A bot that is torn down takes its copies along, and nothing else.
    wait(installation.botyard.bots.delete(&claim, DeleteMode::Delete)).unwrap();
    assert_eq!(bots_of(&installation, ids[0]), [duplicate.id]);
    assert_eq!(copies_of(&bot).len(), 2);
    assert_eq!(installation.work(), [TEARDOWN_BOT]);
    assert_eq!((copies_of(&bot), installation.jobs()), (Vec::new(), Vec::new()));
    assert_eq!(copies_of(&duplicate), of_duplicate);
    assert_eq!(all_documents(world, &duplicate), copies.map(|copy| copy.document));
    assert_eq!(world.summary(&bot), None);
}

/// Does something again until it does not collide with another unit.
fn retry_contended<T>(act: impl Fn() -> Result<T, DomainError>) -> Result<T, DomainError> {
    loop {
        match act() {
            Err(DomainError::Storage(StorageError::Contended(_))) => {}
            answer => return answer,
        }
    }
}

/// As [`retry_contended`], with something that may come too late.
fn retry_unless_missing<T>(act: impl Fn() -> Result<T, DomainError>) {
    let error = retry_contended(act).err();
    let is_missing = matches!(
        error,
        Some(DomainError::NotFound(Resource::Document) | DomainError::DocumentsNotFound(_))
    );
    assert!(error.is_none() || is_missing, "{error:?}");
}

/// Whatever is done to documents and bots at once ends, without half of anything.
pub(crate) fn what_is_done_to_documents_at_once_ends(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, doomed) = (world.stored_bot("bot"), world.stored_bot("doomed"));
    let (claim, of_doomed) = (world.claim(&bot), world.claim(&doomed));
    let documents: Vec<_> = (0..12)
        .map(|number| upload_to_bot(&installation, &bot, &format!("{number}.md")).document.id)
        .collect();
    let ids: Vec<_> = documents.iter().map(ToString::to_string).collect();
    let reversed: Vec<_> = ids.iter().rev().cloned().collect();
    assign(&installation, &of_doomed, &ids).unwrap();
    let without = [("extract", "false")];
    together(7, |number| {
        for id in &documents[..6] {
            match number {
                0 => retry_contended(|| delete(&installation, *id)).unwrap(),
                1 => retry_unless_missing(|| unassign(&installation, &claim, &reversed)),
                2 => retry_unless_missing(|| assign(&installation, &claim, &ids)),
                3 => retry_unless_missing(|| replace(&installation, *id, "r.md", "same", &without)),
                4 => {
                    let duplicate = || {
                        let body = installation.body("{}");
                        wait(installation.botyard.bots.duplicate(&claim, body))
                    };
                    retry_contended(duplicate).unwrap();
                }
                5 => {
                    let to = OwnerClaim::Bot(claim.clone());
                    let upload = || upload_to(&installation, to.clone(), "u.md", "same", &without);
                    retry_contended(upload).unwrap();
                }
                _ => {
                    let bots = &installation.botyard.bots;
                    let gone =
                        retry_contended(|| wait(bots.delete(&of_doomed, DeleteMode::Delete)));
                    let missing = DomainError::NotFound(Resource::Bot);
                    assert!(gone.is_ok() || gone == Err(missing), "{gone:?}");
                    installation.work();
                }
            }
        }
    });
    installation.wait_until(HOUR);
    installation.work();
    assert_eq!((installation.jobs(), world.summary(&doomed)), (Vec::new(), None));
    // Six went, six came, and there are no bytes that none of them has.
    let left = all_documents(world, &bot);
    assert_eq!(left.len(), 12);
    let mut blobs: Vec<_> = left.iter().map(|document| document.file.blob_id).collect();
    blobs.sort_unstable();
    blobs.dedup();
    assert_eq!(installation.stored(), blobs);
    let is_of_doomed =
        |document: &Document| bots_of(&installation, document.id).contains(&doomed.id);
    assert!(!left.iter().any(is_of_doomed));
}

pub(crate) fn a_page_ends_early_where_documents_have_many_bots(store: Arc<dyn Store>) {
    const BOTS: usize = 90;
    let installation = Installation::new(store);
    let world = &installation.world;
    let bots: Vec<_> = (0..BOTS).map(|_| world.stored_bot("bot")).collect();
    let file = file_blob(world, &bots[0], 1);
    let documents: Vec<_> = (0..120).map(|_| document(world, &file)).collect();
    let copies: Vec<_> = documents.iter().map(|document| copy(world, &bots[0], document)).collect();
    let scopes: Vec<_> = bots.iter().map(|bot| world.scope(bot)).collect();
    let ids: Vec<_> = (0..120 * BOTS).map(|_| BotDocumentId::from_uuid(world.id())).collect();
    let stored = documents.clone();
    world.write(move |tx| {
        for (document, copy) in stored.iter().zip(&copies) {
            tx.insert_document(&project_of(&scopes[0]), document)?;
            tx.insert_bot_documents(&scopes[0], slice::from_ref(copy))?;
        }
        let mut ids = ids.iter();
        let mut next = || *ids.next().unwrap();
        let mut others = scopes[1..].iter();
        Ok(others.try_for_each(|to| {
            let step = &mut CopyStep::whole();
            tx.copy_bot_documents((&scopes[0], to), at(0), step, &mut next).map(|_| ())
        })?)
    });
    let claim = world.claim_on_project();
    let every = ListQuery::default();
    let page = |after, limit| {
        wait(installation.botyard.documents.page(&claim, &every, after, limit)).unwrap()
    };
    let of_all: Vec<_> = bots.iter().map(|bot| bot.id).collect();
    let is_whole = |found: &DocumentOnBots| found.bot_ids == of_all;
    // As many as have 10 000 bots, the last of them with all that it has.
    let (first, next) = page(None, 500);
    assert_eq!((first.len(), &next), (112, &Some(ListPosition::of(documents[111].id))));
    let (rest, end) = page(next, 500);
    assert_eq!((rest.len(), end), (8, None));
    assert!(first.iter().chain(&rest).all(is_whole));
    let found: Vec<_> = first.into_iter().chain(rest).map(|found| found.document).collect();
    assert_eq!(found, documents);
    // A page that is full says where the next one begins.
    let (few, next) = page(Some(ListPosition::of(documents[0].id)), 2);
    assert_eq!((few.len(), next), (2, Some(ListPosition::of(documents[2].id))));
    assert!(few.iter().all(is_whole));
}
