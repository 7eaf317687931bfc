//! Documents that are made into chunks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::contract::chunks::all_chunks;
use crate::services::document_service::{delete, get, now, replace, upload};
use crate::services::fake_extractor::chunks_of;
use crate::services::installation::Installation;
use crate::world::{OPERATOR, at, wait};
use domain::blob::REMOVE_BLOB;
use domain::bot::Bot;
use domain::document::REMOVE_CHUNKS;
use domain::document::{
    Document, EXTRACT, ExtractDocument, ExtractedChunk, ExtractionError, ExtractionStatus,
    ExtractorError,
};
use domain::error::{DomainError, Resource};
use domain::id::{DocumentId, ExtractionId};
use domain::job::{Job, Queue, StepOutcome};
use domain::store::Store;

/// A file whose chunks come in two lots.
pub(crate) const TEXT: &str = "first\nsecond\n\nthird ü";

pub(crate) fn claim(installation: &Installation) -> Job {
    wait(installation.botyard.jobs.claim(OPERATOR, Queue::Extractions)).unwrap().unwrap()
}

pub(crate) fn step(installation: &Installation, job: &Job) -> StepOutcome {
    wait(installation.botyard.jobs.step(OPERATOR, job)).unwrap()
}

/// Asks for a document to be extracted anew.
pub(crate) fn extract(installation: &Installation, id: DocumentId, json: &str) -> Document {
    let (claim, request) = (installation.world.claim_on_project(), installation.body(json));
    wait(installation.botyard.documents.extract(&claim, id, request)).unwrap()
}

/// The chunks that a document has.
pub(crate) fn chunks(installation: &Installation, id: DocumentId) -> Vec<ExtractedChunk> {
    let claim = installation.world.claim_on_project();
    let (chunks, next) =
        wait(installation.botyard.documents.chunks(&claim, id, None, 10_000)).unwrap();
    assert_eq!(next, None);
    let count = now(installation, id).extraction.chunk_count;
    let indices: Vec<_> = chunks.iter().map(|(place, _)| place.index).collect();
    assert_eq!(indices, (0..count).collect::<Vec<_>>());
    chunks.into_iter().map(|(_, chunk)| chunk.extracted).collect()
}

/// How many chunks of an extraction there are, whether its document has them or not.
pub(crate) fn stored(installation: &Installation, bot: &Bot, of: Option<ExtractionId>) -> usize {
    all_chunks(&installation.world, bot, of.unwrap()).len()
}

/// A document that has the chunks of this text.
pub(crate) fn extracted(installation: &Installation, text: &str) -> Document {
    let document = upload(installation, "f.txt", text);
    assert_eq!(installation.work(), [EXTRACT]);
    assert_eq!(installation.jobs(), []);
    now(installation, document.id)
}

/// What an extraction says of itself.
pub(crate) fn outcome(document: &Document) -> (ExtractionStatus, Option<ExtractionError>) {
    (document.extraction.status, document.extraction.error)
}

pub(crate) const FINISHED: (ExtractionStatus, Option<ExtractionError>) =
    (ExtractionStatus::Finished, None);

pub(crate) fn an_extracted_document_has_chunks(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let uploaded = upload(&installation, "f.txt", TEXT);
    assert_eq!(chunks(&installation, uploaded.id), []);
    installation.wait_until(Duration::from_secs(5));
    let job = claim(&installation);
    let (seen, id) = (Arc::new(AtomicBool::new(false)), uploaded.id);
    let documents = installation.botyard.documents.clone();
    let (claim_on_project, is_seen) = (installation.world.claim_on_project(), seen.clone());
    installation.extractor.act(move |given| {
        // A client never sees a part of them.
        let found = wait(documents.get(&claim_on_project, id)).unwrap().document;
        assert_eq!(outcome(&found), (ExtractionStatus::Running, None));
        assert_eq!((found.extraction.chunks_of, found.extraction.chunk_count), (None, 0));
        let chunks = wait(documents.chunks(&claim_on_project, id, None, 9));
        assert_eq!(chunks, Ok((Vec::new(), None)));
        is_seen.store(given == 3, Ordering::Relaxed);
    });
    let jobs = &installation.botyard.jobs;
    assert_eq!(wait(jobs.is_wanted(OPERATOR, &job)), Ok(true));
    assert_eq!(step(&installation, &job), StepOutcome::Done);
    assert!(seen.load(Ordering::Relaxed));
    assert_eq!(wait(jobs.is_wanted(OPERATOR, &job)), Ok(false));
    let settings = uploaded.extraction.settings.clone();
    assert_eq!(installation.extractor.requested(), [("f.txt".to_owned(), settings)]);

    let document = now(&installation, id);
    assert_eq!((outcome(&document), document.updated_at), (FINISHED, at(0)));
    assert_eq!(document.extraction.chunks_of, uploaded.extraction.id);
    assert_eq!(document.extraction.finished_at, Some(at(5_000)));
    assert_eq!(chunks(&installation, id), chunks_of(TEXT));
    // What is done after all is done comes to nothing.
    assert_eq!(step(&installation, &job), StepOutcome::Done);
    wait(jobs.finish(OPERATOR, &job)).unwrap();
    assert_eq!(step(&installation, &job), StepOutcome::LeaseLost);
    assert_eq!((now(&installation, id), installation.jobs()), (document, Vec::new()));
    assert_eq!(chunks(&installation, id), chunks_of(TEXT));
}

pub(crate) fn chunks_of_different_extractions_are_never_of_one_list(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    installation.world.stored_bot("bot");
    let id = extracted(&installation, TEXT).id;
    let (documents, claim) =
        (&installation.botyard.documents, installation.world.claim_on_project());
    let (first, next) = wait(documents.chunks(&claim, id, None, 2)).unwrap();
    let (second, end) = wait(documents.chunks(&claim, id, next, 2)).unwrap();
    assert_eq!((first.len(), second.len(), end), (2, 1, None));
    assert_eq!(next, first.last().map(|(place, _)| *place));
    extract(&installation, id, "{}");
    assert_eq!(wait(documents.chunks(&claim, id, next, 2)), Ok((second, None)));
    installation.work();
    let answer = wait(documents.chunks(&claim, id, next, 2));
    assert!(matches!(answer, Err(DomainError::Refused(_))), "{answer:?}");
    assert_eq!(wait(documents.chunks(&claim, id, None, 9)).map(|(chunks, _)| chunks.len()), Ok(3));
}

pub(crate) fn old_chunks_stay_until_the_new_ones_are_there(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let old = extracted(&installation, TEXT);
    let before = old.extraction.id;
    installation.wait_until(Duration::from_secs(5));
    let asked = extract(&installation, old.id, r#"{"maxChars":500,"ocrEnabled":true}"#);
    assert_ne!(asked.extraction.id, before);
    assert_eq!((asked.extraction.chunks_of, asked.extraction.chunk_count), (before, 3));
    assert_eq!((asked.extraction.finished_at, asked.updated_at), (None, at(5_000)));
    let (documents, id) = (installation.botyard.documents.clone(), old.id);
    let claim_on_project = installation.world.claim_on_project();
    installation.extractor.act(move |_| {
        let (found, _) = wait(documents.chunks(&claim_on_project, id, None, 9)).unwrap();
        let found: Vec<_> = found.into_iter().map(|(_, chunk)| chunk.extracted).collect();
        assert_eq!(found, chunks_of(TEXT));
    });
    installation.extractor.requested();
    assert_eq!(installation.work(), [EXTRACT, REMOVE_CHUNKS]);
    let settings = installation.extractor.requested()[0].1.clone();
    assert_eq!((settings.max_chars, settings.max_overlap, settings.ocr_enabled), (500, 200, true));
    assert_eq!(settings, asked.extraction.settings);
    let new = now(&installation, id);
    assert_eq!((outcome(&new), new.extraction.chunks_of), (FINISHED, asked.extraction.id));
    assert_eq!(chunks(&installation, id), chunks_of(TEXT));
    assert_eq!(stored(&installation, &bot, before), 0);
    // What a request leaves out stays.
    assert_eq!(extract(&installation, id, "{}").extraction.settings, settings);
    let claim = installation.world.claim_on_project();
    let request = installation.body::<ExtractDocument>(r#"{"maxOverlap":500}"#);
    let refused = wait(installation.botyard.documents.extract(&claim, id, request));
    assert!(matches!(refused, Err(DomainError::Invalid(_))), "{refused:?}");
}

pub(crate) fn what_is_wrong_with_a_file_ends_its_extraction(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let good = extracted(&installation, TEXT);
    for word in ExtractionError::WORDS {
        let error = ExtractionError::parse(word);
        // With chunks before it, and without.
        for text in [format!("a\nb\n\n!{word}"), format!("!{word}")] {
            let document = upload(&installation, "bad.txt", &text);
            let job = claim(&installation);
            let reason = StepOutcome::Unsuccessful(word);
            assert_eq!(step(&installation, &job), reason);
            wait(installation.botyard.jobs.finish(OPERATOR, &job)).unwrap();
            assert_eq!(installation.work(), [REMOVE_CHUNKS]);
            let failed = now(&installation, document.id);
            assert_eq!(outcome(&failed), (ExtractionStatus::Failed, error));
            assert_eq!(failed.extraction.finished_at, Some(at(0)));
            assert_eq!(chunks(&installation, document.id), []);
            assert_eq!(stored(&installation, &bot, document.extraction.id), 0);
            delete(&installation, document.id).unwrap();
        }
    }
    // One that failed leaves what there was before.
    let error = ExtractorError::File(ExtractionError::Timeout);
    installation.extractor.fail(Some(error));
    let asked = extract(&installation, good.id, "{}");
    assert_eq!(installation.work(), [EXTRACT, REMOVE_CHUNKS]);
    let failed = now(&installation, good.id);
    assert_eq!(outcome(&failed), (ExtractionStatus::Failed, Some(ExtractionError::Timeout)));
    assert_eq!(failed.extraction.chunks_of, good.extraction.id);
    assert_eq!(chunks(&installation, good.id), chunks_of(TEXT));
    assert_eq!(stored(&installation, &bot, asked.extraction.id), 0);
    installation.extractor.fail(None);
    extract(&installation, good.id, "{}");
    assert_eq!(installation.work(), [EXTRACT, REMOVE_CHUNKS]);
    assert_eq!(outcome(&now(&installation, good.id)), FINISHED);
    assert_eq!(chunks(&installation, good.id), chunks_of(TEXT));
}

/// Runs an extraction in the middle of which `act` does something that breaks it off. It has stored
/// some chunks by then.
fn broken_off(
    installation: &Installation,
    act: impl Fn(DocumentId) + Send + Sync + 'static,
) -> Document {
    let old = extracted(installation, "old");
    let asked = extract(installation, old.id, "{}");
    let (job, id) = (claim(installation), old.id);
    installation.extractor.act(move |given| {
        if given == 1 {
            act(id);
        }
    });
    let jobs = &installation.botyard.jobs;
    assert_eq!(wait(jobs.is_wanted(OPERATOR, &job)), Ok(true));
    assert_eq!(step(installation, &job), StepOutcome::Continue);
    assert_eq!(wait(jobs.is_wanted(OPERATOR, &job)), Ok(false));
    installation.extractor.clear_action();
    assert_eq!(step(installation, &job), StepOutcome::Done);
    wait(jobs.finish(OPERATOR, &job)).unwrap();
    asked
}

pub(crate) fn a_replaced_document_is_extracted_anew(store: Arc<dyn Store>) {
    let installation = Arc::new(Installation::new(store));
    let bot = installation.world.stored_bot("bot");
    let acting = installation.clone();
    let broken = broken_off(&installation, move |id| {
        let replaced = replace(&acting, id, "new.md", TEXT, &[]).unwrap();
        // The chunks of the old file are none of the new one.
        assert_eq!((replaced.extraction.chunks_of, replaced.extraction.chunk_count), (None, 0));
        assert_eq!(chunks(&acting, id), []);
    });
    let [old, going] = [broken.extraction.chunks_of, broken.extraction.id];
    assert_eq!([stored(&installation, &bot, old), stored(&installation, &bot, going)], [1, 1]);
    let waiting = now(&installation, broken.id);
    assert_eq!(outcome(&waiting), (ExtractionStatus::Queued, None));
    let removed = [REMOVE_CHUNKS, REMOVE_CHUNKS];
    assert_eq!(installation.work(), [&removed[..], &[EXTRACT]].concat());
    assert_eq!([stored(&installation, &bot, old), stored(&installation, &bot, going)], [0, 0]);
    assert_eq!(outcome(&now(&installation, broken.id)), FINISHED);
    assert_eq!(chunks(&installation, broken.id), chunks_of(TEXT));
    // It is done with all that, but for the bytes of the old file.
    let kinds: Vec<_> = installation.jobs().iter().map(|job| job.kind.clone()).collect();
    assert_eq!(kinds, [REMOVE_BLOB]);

    // A document that is not extracted has no chunks.
    replace(&installation, broken.id, "new.md", TEXT, &[("extract", "false")]).unwrap();
    assert_eq!(outcome(&now(&installation, broken.id)), (ExtractionStatus::None, None));
    assert_eq!(chunks(&installation, broken.id), []);
    assert_eq!(installation.work(), [REMOVE_CHUNKS]);
    assert_eq!(stored(&installation, &bot, waiting.extraction.id), 0);
}

pub(crate) fn a_document_asked_for_anew_is_extracted_once_more(store: Arc<dyn Store>) {
    let installation = Arc::new(Installation::new(store));
    let bot = installation.world.stored_bot("bot");
    let acting = installation.clone();
    let broken = broken_off(&installation, move |id| {
        extract(&acting, id, r#"{"maxChars":700}"#);
    });
    let [old, going] = [broken.extraction.chunks_of, broken.extraction.id];
    let waiting = now(&installation, broken.id);
    assert_eq!(outcome(&waiting), (ExtractionStatus::Queued, None));
    assert_eq!((waiting.extraction.chunks_of, waiting.extraction.chunk_count), (old, 1));
    assert_eq!(stored(&installation, &bot, going), 1);
    installation.work();
    assert_eq!([stored(&installation, &bot, old), stored(&installation, &bot, going)], [0, 0]);
    let done = now(&installation, broken.id);
    assert_eq!((outcome(&done), done.extraction.settings.max_chars), (FINISHED, 700));
    assert_eq!((chunks(&installation, done.id), installation.jobs()), (chunks_of("old"), vec![]));
}

pub(crate) fn a_deleted_document_is_extracted_no_more(store: Arc<dyn Store>) {
    let installation = Arc::new(Installation::new(store));
    let bot = installation.world.stored_bot("bot");
    let acting = installation.clone();
    let broken = broken_off(&installation, move |id| delete(&acting, id).unwrap());
    let missing = DomainError::NotFound(Resource::Document);
    assert_eq!(get(&installation, broken.id), Err(missing));
    let [old, going] = [broken.extraction.chunks_of, broken.extraction.id];
    assert_eq!([stored(&installation, &bot, old), stored(&installation, &bot, going)], [1, 1]);
    assert_eq!(installation.work(), [REMOVE_CHUNKS; 2]);
    assert_eq!([stored(&installation, &bot, old), stored(&installation, &bot, going)], [0, 0]);
    // Nor is one that waits.
    let waiting = upload(&installation, "f.txt", TEXT);
    delete(&installation, waiting.id).unwrap();
    let mut done = installation.work();
    done.sort_unstable_by(|one, other| one.as_str().cmp(other.as_str()));
    assert_eq!(done, [EXTRACT, REMOVE_CHUNKS]);
    installation.wait_until(Duration::from_secs(60 * 60));
    installation.work();
    assert_eq!((installation.jobs(), installation.stored()), (Vec::new(), Vec::new()));
}
