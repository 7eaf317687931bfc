//! What clients do with documents.

use std::slice;
use std::sync::Arc;
use std::time::Duration;

use crate::samples::documents::all_documents;
use crate::services::installation::{Installation, package};
use crate::world::{at, together, wait};
use domain::Limits;
use domain::access::{BotClaim, OwnerClaim};
use domain::blob::{BlobReader, REMOVE_BLOB};
use domain::bot::{Bot, DeleteMode};
use domain::document::{
    BotDocument, Document, DocumentOnBots, DocumentUpload, EXTRACT, ExtractionSettings,
    ExtractionStatus,
};
use domain::error::{Busy, DomainError, Quota, Resource};
use domain::id::{BotId, DocumentId};
use domain::input::{Input, Valid};
use domain::store::Store;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// The answer to an upload.
pub(crate) type Uploaded = Result<(Document, Option<BotDocument>), DomainError>;

pub(crate) fn form<B: Input>(installation: &Installation, texts: &[(&str, &str)]) -> Valid<B> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let texts: Vec<_> = texts.iter().map(owned).collect();
    B::parse_texts(&texts, installation.botyard.input_settings()).unwrap()
}

fn begin(installation: &Installation, to: OwnerClaim) -> Result<DocumentUpload, DomainError> {
    wait(installation.botyard.documents.begin_upload(to))
}

pub(crate) fn upload_to(
    installation: &Installation,
    to: OwnerClaim,
    name: &str,
    content: &str,
    texts: &[(&str, &str)],
) -> Uploaded {
    let mut upload = begin(installation, to)?;
    wait(upload.write(content.as_bytes()))?;
    wait(upload.finish(Some(name), Some("text/plain"), form(installation, texts)))
}

/// Uploads a document to the project.
pub(crate) fn upload(installation: &Installation, name: &str, content: &str) -> Document {
    let to = OwnerClaim::Project(installation.world.claim_on_project());
    upload_to(installation, to, name, content, &[]).unwrap().0
}

/// Uploads a document through a bot, which is not extracted.
pub(crate) fn upload_to_bot(installation: &Installation, bot: &Bot, name: &str) -> BotDocument {
    let to = OwnerClaim::Bot(installation.world.claim(bot));
    let texts = [("extract", "false"), ("skillId", "s")];
    upload_to(installation, to, name, name, &texts).unwrap().1.unwrap()
}

pub(crate) fn replace(
    installation: &Installation,
    id: DocumentId,
    name: &str,
    content: &str,
    texts: &[(&str, &str)],
) -> Result<Document, DomainError> {
    let claim = installation.world.claim_on_project();
    let documents = &installation.botyard.documents;
    let (id, mut upload) = wait(documents.begin_replacing(&claim, id))?;
    wait(upload.write(content.as_bytes()))?;
    let request = form(installation, texts);
    wait(upload.finish_replacing(id, Some(name), Some("text/plain"), request))
}

pub(crate) fn delete(installation: &Installation, id: DocumentId) -> Result<(), DomainError> {
    let claim = installation.world.claim_on_project();
    wait(installation.botyard.documents.delete(&claim, id)).map(|deleted| {
        assert_eq!(deleted, id);
    })
}

/// A document as it stands, and its bots.
pub(crate) fn get(
    installation: &Installation,
    id: DocumentId,
) -> Result<DocumentOnBots, DomainError> {
    let claim = installation.world.claim_on_project();
    wait(installation.botyard.documents.get(&claim, id))
}

pub(crate) fn now(installation: &Installation, id: DocumentId) -> Document {
    get(installation, id).unwrap().document
}

pub(crate) fn bots_of(installation: &Installation, id: DocumentId) -> Vec<BotId> {
    get(installation, id).unwrap().bot_ids
}

pub(crate) fn assign(
    installation: &Installation,
    claim: &BotClaim,
    ids: &[String],
) -> Result<Vec<BotDocument>, DomainError> {
    let request = installation.body(&serde_json::json!({ "docIds": ids }).to_string());
    wait(installation.botyard.documents.assign(claim, request))
}

/// What the changelog of a bot says of documents, oldest first: action, identifier, changes.
pub(crate) fn document_entries(
    installation: &Installation,
    bot: &Bot,
) -> Vec<(&'static str, String, String)> {
    let entries = installation.changelog_entries(bot).into_iter();
    let entries = entries.filter(|(_, resource, ..)| *resource == "document");
    entries.map(|(action, _, id, changes)| (action, id, changes)).collect()
}

fn all_bytes(mut reader: Box<dyn BlobReader>) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(block) = wait(reader.next()).unwrap() {
        bytes.extend(block);
    }
    bytes
}

pub(crate) fn an_upload_becomes_a_document(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim_on_project();
    let documents = &installation.botyard.documents;
    installation.wait_until(Duration::from_secs(5));
    let mut upload = begin(&installation, OwnerClaim::Project(claim.clone())).unwrap();
    for byte in b"content" {
        wait(upload.write(slice::from_ref(byte))).unwrap();
    }
    let texts = [("skillId", "s"), ("functionName", "f"), ("maxChars", "500")];
    let request = form(&installation, &texts);
    let uploaded = wait(upload.finish(Some("C:\\Übung.md"), Some("text/plain"), request));
    let (document, copy) = uploaded.unwrap();
    assert_eq!((copy, bots_of(&installation, document.id)), (None, Vec::new()));
    assert_eq!(now(&installation, document.id), document);
    assert_eq!(all_documents(world, &bot), slice::from_ref(&document));
    let file = &document.file;
    assert_eq!((file.file_name.as_str(), file.mime_type.as_str()), ("Übung.md", "text/markdown"));
    assert_eq!(installation.stored(), [file.blob_id]);
    assert_eq!((file.size, installation.counted_bytes(&bot)), (7, 7));
    assert_eq!(document.skill_id.as_deref(), Some("s"));
    assert_eq!(document.function_name.as_deref(), Some("f"));
    assert_eq!((document.created_at, document.updated_at), (at(5_000), at(5_000)));
    let extraction = &document.extraction;
    let by_default = ExtractionSettings::of_type("text/markdown");
    let settings = ExtractionSettings { max_chars: 500, max_overlap: 50, ..by_default };
    assert_eq!((extraction.status, &extraction.settings), (ExtractionStatus::Queued, &settings));
    assert_eq!((extraction.chunks_of, extraction.chunk_count), (None, 0));
    let [job] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
    assert_eq!((&job.kind, &job.subject), (&EXTRACT, &extraction.id.unwrap().to_string()));
    assert_eq!((job.run_at, job.project_id), (at(5_000), Some(world.project.id)));
    assert_eq!(all_bytes(wait(documents.read(&document, 0..7)).unwrap()), b"content");
    assert_eq!(all_bytes(wait(documents.read(&document, 2..4)).unwrap()), b"nt");

    // A document need not be extracted, and a name need not be given.
    let mut upload = begin(&installation, OwnerClaim::Project(claim)).unwrap();
    wait(upload.write(b"x")).unwrap();
    let request = form(&installation, &[("extract", "false")]);
    let plain = wait(upload.finish(None, None, request)).unwrap().0;
    assert_eq!((plain.extraction.status, plain.extraction.id), (ExtractionStatus::None, None));
    assert_eq!(plain.file.file_name, "document");
    assert_eq!(plain.file.mime_type, "application/octet-stream");
    assert_eq!((plain.skill_id, plain.function_name), (None, None));
    assert_eq!((installation.jobs().len(), document_entries(&installation, &bot)), (1, Vec::new()));
}

pub(crate) fn an_upload_through_a_bot_is_assigned_to_it(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    installation.wait_until(Duration::from_secs(5));
    let to = OwnerClaim::Bot(world.claim(&bot));
    let texts = [("skillId", "s"), ("functionName", "f")];
    let (document, copy) = upload_to(&installation, to, "a.md", "a", &texts).unwrap();
    let copy = copy.unwrap();
    assert_eq!((copy.bot_id, &copy.document), (bot.id, &document));
    assert_eq!((copy.created_at, copy.updated_at), (at(5_000), at(5_000)));
    assert_eq!(copy.skill_id.as_deref(), Some("s"));
    assert_eq!(copy.function_name.as_deref(), Some("f"));
    assert_eq!(bots_of(&installation, document.id), [bot.id]);
    assert_eq!(document.extraction.status, ExtractionStatus::Queued);
    let changes = r#"[{"field":"fileName","from":null,"to":"a.md"}]"#.to_owned();
    assert_eq!(
        document_entries(&installation, &bot),
        [("upload", document.id.to_string(), changes)]
    );
    assert_eq!(document_entries(&installation, &neighbour), []);
    // A bot that is not found takes nothing in.
    let missing = DomainError::NotFound(Resource::Bot);
    let to = OwnerClaim::Bot(world.claim(&world.bot("missing")));
    assert_eq!(begin(&installation, to).err(), Some(missing.clone()));
    let mut begun = begin(&installation, OwnerClaim::Bot(world.claim(&neighbour))).unwrap();
    wait(begun.write(b"b")).unwrap();
    wait(installation.botyard.bots.delete(&world.claim(&neighbour), DeleteMode::Archive)).unwrap();
    assert_eq!(wait(begun.finish(None, None, form(&installation, &[]))), Err(missing));
    assert_eq!(installation.stored(), [document.file.blob_id]);
    assert_eq!(all_documents(world, &bot), [document]);
}

pub(crate) fn nothing_is_kept_of_a_document_that_is_refused(store: Arc<dyn Store>) {
    let limits = Limits {
        documents_per_project: 2,
        document_bytes: 5,
        queued_extractions_per_project: 1,
        ..Limits::default()
    };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let project = || OwnerClaim::Project(world.claim_on_project());
    let without = [("extract", "false")];
    let upload = |content: &str, texts| upload_to(&installation, project(), "f", content, texts);
    let large = DomainError::BodyTooLarge(5);
    assert_eq!(upload("123456", &without), Err(large));
    let empty = upload("", &without);
    assert!(matches!(empty, Err(DomainError::Invalid(_))), "{empty:?}");
    let overlap = upload("1", &[("maxOverlap", "2000")]);
    assert!(matches!(overlap, Err(DomainError::Invalid(_))), "{overlap:?}");
    drop(begin(&installation, project()).unwrap());
    assert_eq!((installation.stored(), installation.counted_bytes(&bot)), (Vec::new(), 0));
    assert_eq!((installation.jobs(), all_documents(world, &bot)), (Vec::new(), Vec::new()));

    // One waits, so no other may; but it can be stored all the same.
    let (first, _) = upload("1", &[]).unwrap();
    let busy = DomainError::Busy(Busy::QueuedExtractions(1));
    assert_eq!(upload("2", &[]), Err(busy.clone()));
    assert_eq!(installation.stored(), [first.file.blob_id]);
    let (second, _) = upload("12345", &without).unwrap();
    assert_eq!(replace(&installation, second.id, "f", "3", &[]), Err(busy.clone()));
    let claim = world.claim_on_project();
    let documents = &installation.botyard.documents;
    let extract = |id: DocumentId| wait(documents.extract(&claim, id, installation.body("{}")));
    assert_eq!(extract(second.id), Err(busy));
    let full = DomainError::QuotaExceeded(Quota::DocumentsPerProject(2));
    assert_eq!(upload("4", &without), Err(full.clone()));
    let to_bot = OwnerClaim::Bot(world.claim(&bot));
    assert_eq!(upload_to(&installation, to_bot, "f", "4", &without), Err(full));
    assert_eq!(all_documents(world, &bot), [first.clone(), second.clone()]);
    assert_eq!(installation.stored(), [first.file.blob_id, second.file.blob_id]);
    assert_eq!(
        (installation.counted_bytes(&bot), installation.changelog_entries(&bot)),
        (6, Vec::new())
    );
    // What is replaced takes no room; and one that goes makes some.
    replace(&installation, second.id, "f", "5", &without).unwrap();
    delete(&installation, second.id).unwrap();
    upload("4", &without).unwrap();
    // A document that waits already takes no second place if it is extracted again or replaced.
    extract(first.id).unwrap();
    replace(&installation, first.id, "f", "6", &[]).unwrap();
    // Another project has room of its own.
    let abroad = world.bot_of(&world.other_project());
    upload_to(&installation, OwnerClaim::Bot(world.claim(&abroad)), "f", "1", &[]).unwrap();
}

pub(crate) fn concurrent_uploads_do_not_exceed_the_document_quota(store: Arc<dyn Store>) {
    let limits = Limits { documents_per_project: 3, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let bots = ["a", "b"].map(|name| world.stored_bot(name));
    let answers = together(8, |number| {
        let to = match number % 2 {
            0 => OwnerClaim::Project(world.claim_on_project()),
            _ => OwnerClaim::Bot(world.claim(&bots[number / 4])),
        };
        upload_to(&installation, to, "f", "same", &[])
    });
    let full = DomainError::QuotaExceeded(Quota::DocumentsPerProject(3));
    let (stored, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
    assert_eq!(refused, vec![Err(full); 5]);
    let stored: Vec<_> = stored.into_iter().map(|answer| answer.unwrap().0).collect();
    let documents = all_documents(world, &bots[0]);
    assert_eq!((stored.len(), documents.len()), (3, 3));
    // They share their bytes.
    assert_eq!(installation.stored(), [stored[0].file.blob_id]);
    assert!(stored.iter().all(|document| document.file == stored[0].file));
    assert_eq!(installation.counted_bytes(&bots[0]), 4);
}

pub(crate) fn bytes_go_with_the_last_document_that_has_them(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let content = String::from_utf8(package("same")).unwrap();
    let without = [("extract", "false")];
    let upload = || {
        let to = OwnerClaim::Project(world.claim_on_project());
        upload_to(&installation, to, "f", &content, &without).unwrap().0
    };
    let (first, second) = (upload(), upload());
    let blob = first.file.blob_id;
    assert_eq!(second.file.blob_id, blob);
    // Those of a Fusion-View are others.
    let view = installation.create_view(&world.claim(&bot));
    let of_view = installation.upload(&world.claim(&bot), &view, "same").unwrap();
    assert_eq!(of_view.sha256, first.file.sha256);
    let others = of_view.blob_id;
    assert_eq!(installation.stored(), [blob, others]);
    // A document that is replaced by itself gives nothing up.
    replace(&installation, first.id, "g", &content, &without).unwrap();
    assert_eq!(installation.jobs(), []);

    replace(&installation, first.id, "f", "other", &without).unwrap();
    let [job] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
    assert_eq!((&job.kind, &job.subject), (&REMOVE_BLOB, &blob.to_string()));
    assert_eq!((job.run_at, job.project_id), (at(0).plus(HOUR), Some(world.project.id)));
    let replaced = now(&installation, first.id).file.blob_id;
    installation.wait_until(HOUR);
    assert_eq!(installation.work(), [REMOVE_BLOB]);
    assert_eq!(installation.stored(), [blob, others, replaced]);

    delete(&installation, second.id).unwrap();
    assert_eq!(installation.work(), []);
    installation.wait_until(2 * HOUR);
    assert_eq!(installation.work(), [REMOVE_BLOB]);
    assert_eq!(installation.stored(), [others, replaced]);
    delete(&installation, first.id).unwrap();
    installation.wait_until(3 * HOUR);
    assert_eq!(installation.work(), [REMOVE_BLOB]);
    assert_eq!(installation.stored(), [others]);
    assert_eq!((installation.counted_bytes(&bot), installation.jobs()), (8, Vec::new()));
}
