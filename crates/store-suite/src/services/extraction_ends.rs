//! Extractions that are taken over, deferred and given up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::acting_store::ActingStore;
use crate::services::crawl_ends::LEASE;
use crate::services::document_service::{now, upload, upload_to};
use crate::services::extraction_runs::{
    FINISHED, TEXT, chunks, claim, extract, extracted, outcome, step, stored,
};
use crate::services::fake_extractor::chunks_of;
use crate::services::installation::Installation;
use crate::world::{NOW, OPERATOR, at, wait};
use domain::Limits;
use domain::access::OwnerClaim;
use domain::document::REMOVE_CHUNKS;
use domain::document::{EXTRACT, ExtractionError, ExtractionStatus, ExtractorError};
use domain::error::DomainError;
use domain::job::{JobState, Queue, StepOutcome};
use domain::store::Store;

pub(crate) fn an_extraction_goes_on_after_its_worker_died(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    // More chunks than one unit removes, and then the worker's end.
    let many: String = (0..1_100).map(|number| format!("{number}\n")).collect();
    let text = format!("{many}\n{TEXT}");
    let document = upload(&installation, "f.txt", &text);
    let first = claim(&installation);
    let error = ExtractorError::Extractor("it went away".to_owned());
    installation.extractor.fail(Some(error));
    let failed = wait(installation.botyard.jobs.step(OPERATOR, &first));
    assert_eq!(failed, Err(DomainError::Extractor("it went away".to_owned())));
    assert_eq!(stored(&installation, &bot, document.extraction.id), 1_100);
    assert_eq!(outcome(&now(&installation, document.id)), (ExtractionStatus::Running, None));
    installation.extractor.fail(None);
    installation.wait_until(LEASE);
    let second = claim(&installation);
    assert_eq!((second.id, second.attempt, second.failures), (first.id, 2, 1));
    assert_eq!(step(&installation, &second), StepOutcome::Done);
    assert_eq!(outcome(&now(&installation, document.id)), FINISHED);
    assert_eq!(chunks(&installation, document.id), chunks_of(&text));
}

pub(crate) fn an_extractor_that_lost_its_lease_stores_nothing(store: Arc<dyn Store>) {
    let installation = Arc::new(Installation::new(store));
    let bot = installation.world.stored_bot("bot");
    let document = upload(&installation, "f.txt", TEXT);
    let first = claim(&installation);
    let acting = installation.clone();
    installation.extractor.act(move |given| {
        if given == 2 {
            acting.clock.set(NOW + i64::try_from(LEASE.as_millis()).unwrap());
            claim(&acting);
        }
    });
    assert_eq!(step(&installation, &first), StepOutcome::Continue);
    assert_eq!(step(&installation, &first), StepOutcome::LeaseLost);
    let stored = || stored(&installation, &bot, document.extraction.id);
    assert_eq!(stored(), 2);
    let [second] = &installation.jobs()[..] else { panic!("one job") };
    assert_eq!((second.attempt, second.failures), (2, 1));
    // Nor does it take away what the other has stored meanwhile.
    let (acting, lost, taken) = (installation.clone(), first.clone(), AtomicBool::new(false));
    installation.extractor.act(move |given| {
        if given == 2 && !taken.swap(true, Ordering::Relaxed) {
            assert_eq!(step(&acting, &lost), StepOutcome::LeaseLost);
        }
    });
    assert_eq!(step(&installation, second), StepOutcome::Done);
    assert_eq!((outcome(&now(&installation, document.id)), stored()), (FINISHED, 3));
    assert_eq!(chunks(&installation, document.id), chunks_of(TEXT));
}

pub(crate) fn an_extraction_is_given_up_after_its_third_attempt(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let document = extracted(&installation, "old");
    let asked = extract(&installation, document.id, "{}");
    installation.extractor.fail(Some(ExtractorError::Extractor("it failed".to_owned())));
    let jobs = &installation.botyard.jobs;
    // One that fails, one whose worker dies, and one that can't read the file.
    assert_eq!(installation.work(), [EXTRACT]);
    installation.wait_until(4 * LEASE);
    assert_eq!(claim(&installation).failures, 1);
    installation.wait_until(5 * LEASE);
    let third = claim(&installation);
    assert_eq!((third.attempt, third.failures), (3, 2));
    installation.blobs.fail(true);
    let failed = wait(jobs.step(OPERATOR, &third)).unwrap_err();
    assert!(matches!(failed, DomainError::Blob(_)), "{failed:?}");
    assert_eq!(outcome(&now(&installation, document.id)), (ExtractionStatus::Running, None));
    wait(jobs.fail(OPERATOR, &third, &failed)).unwrap();
    installation.blobs.fail(false);
    installation.extractor.fail(None);

    let given_up = now(&installation, document.id);
    let interrupted = (ExtractionStatus::Failed, Some(ExtractionError::Interrupted));
    assert_eq!(outcome(&given_up), interrupted);
    assert_eq!(given_up.extraction.finished_at, Some(at(0).plus(5 * LEASE)));
    assert_eq!(given_up.extraction.chunks_of, document.extraction.id);
    assert_eq!(installation.work(), [REMOVE_CHUNKS]);
    assert_eq!(stored(&installation, &bot, asked.extraction.id), 0);
    assert_eq!(chunks(&installation, document.id), chunks_of("old"));
    let [job] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
    assert_eq!((job.state, job.failures), (JobState::Failed, 3));
    // It is not done when an operator has the job done again, but a newly requested one is.
    wait(jobs.retry(OPERATOR, job.id)).unwrap();
    assert_eq!(installation.work(), [EXTRACT]);
    assert_eq!((now(&installation, document.id), installation.jobs()), (given_up, Vec::new()));
    extract(&installation, document.id, "{}");
    installation.work();
    assert_eq!(outcome(&now(&installation, document.id)), FINISHED);
}

pub(crate) fn an_extraction_waits_for_a_slot(store: Arc<dyn Store>) {
    let limits = Limits { extractions_per_project: 1, ..Limits::default() };
    let installation = Arc::new(Installation::with(store, limits));
    let abroad = installation.world.bot_of(&installation.world.other_project());
    let [first, second] = ["a.txt", "b.txt"].map(|name| upload(&installation, name, TEXT));
    let (running, waiting) = (claim(&installation), claim(&installation));
    assert_eq!(running.subject, first.extraction.id.unwrap().to_string());
    let (acting, late) = (installation.clone(), waiting.clone());
    let is_tried = Arc::new(AtomicBool::new(false));
    let (tried, of_abroad) = (is_tried.clone(), installation.world.claim(&abroad));
    installation.extractor.act(move |given| {
        if given == 2 && !tried.swap(true, Ordering::Relaxed) {
            assert_eq!(step(&acting, &late), StepOutcome::NoFreeSlot);
            wait(acting.botyard.jobs.defer(OPERATOR, &late)).unwrap();
            assert_eq!(wait(acting.botyard.jobs.claim(OPERATOR, Queue::Extractions)), Ok(None));
            // Another project has slots of its own.
            let to = OwnerClaim::Bot(of_abroad.clone());
            let uploaded = upload_to(&acting, to, "c.txt", "c", &[]);
            uploaded.unwrap();
            assert_eq!(step(&acting, &claim(&acting)), StepOutcome::Done);
        }
    });
    assert_eq!(step(&installation, &running), StepOutcome::Done);
    assert!(is_tried.load(Ordering::Relaxed));
    assert_eq!(outcome(&now(&installation, first.id)), FINISHED);
    assert_eq!(outcome(&now(&installation, second.id)), (ExtractionStatus::Queued, None));
    installation.wait_until(Duration::from_secs(10));
    let again = claim(&installation);
    assert_eq!((again.id, again.attempt, again.failures), (waiting.id, 2, 0));
    assert_eq!(step(&installation, &again), StepOutcome::Done);
    assert_eq!(outcome(&now(&installation, second.id)), FINISHED);
}

pub(crate) fn what_another_attempt_stored_is_not_taken_away(store: Arc<dyn Store>) {
    let installation = Arc::new(Installation::new(store.clone()));
    let bot = installation.world.stored_bot("bot");
    let document = upload(&installation, "f.txt", TEXT);
    let first = claim(&installation);
    // The lease runs out after the first has begun, and before it tidies up.
    let acting = installation.clone();
    let taken_over = ActingStore::before(1, store, move |_| {
        acting.clock.set(NOW + i64::try_from(LEASE.as_millis()).unwrap());
        acting.extractor.fail(Some(ExtractorError::Extractor("half-way".to_owned())));
        assert!(wait(acting.botyard.jobs.step(OPERATOR, &claim(&acting))).is_err());
        Ok(())
    });
    let botyard = installation.behind(taken_over);
    assert_eq!(wait(botyard.jobs.step(OPERATOR, &first)), Ok(StepOutcome::Continue));
    assert_eq!(stored(&installation, &bot, document.extraction.id), 2);
    assert_eq!(outcome(&now(&installation, document.id)), (ExtractionStatus::Running, None));
}
