//! Waiting for the end of an extraction.

use std::pin::pin;
use std::sync::Arc;

use crate::services::document_service::{delete, upload};
use crate::services::extraction_runs::{FINISHED, TEXT, claim, extract, outcome, step};
use crate::services::installation::Installation;
use crate::world::wait;
use domain::document::{Document, ExtractionError, ExtractionStatus};
use domain::store::Store;
use futures_util::{FutureExt as _, stream};

pub(crate) fn every_end_of_an_extraction_wakes_its_waiters(store: Arc<dyn Store>) {
    type End = fn(&Installation, &Document);
    let runs: End = |installation, _| {
        step(installation, &claim(installation));
    };
    let is_deleted: End = |installation, document| delete(installation, document.id).unwrap();
    let is_asked_for_anew: End = |installation, document| {
        extract(installation, document.id, "{}");
    };
    let (queued, corrupt) = (ExtractionStatus::Queued, Some(ExtractionError::Corrupt));
    let installation = Installation::new(store);
    for (text, end, expected, is_same) in [
        (TEXT, runs, FINISHED, true),
        ("!corrupt", runs, (ExtractionStatus::Failed, corrupt), true),
        (TEXT, is_deleted, (queued, None), true),
        (TEXT, is_asked_for_anew, (queued, None), false),
    ] {
        let document = upload(&installation, "f.txt", text);
        let project = installation.world.claim_on_project();
        let documents = &installation.botyard.documents;
        // It never looks by itself.
        let mut ended = pin!(documents.ended(&project, document.clone(), stream::pending()));
        assert_eq!((&mut ended).now_or_never(), None);
        end(&installation, &document);
        let ended = wait(ended);
        assert_eq!(outcome(&ended), expected);
        assert_eq!(ended.extraction.id == document.extraction.id, is_same);
    }
}

pub(crate) fn what_another_process_ends_is_seen_at_the_next_look(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let other = installation.behind(installation.world.store.clone());
    let queued = upload(&installation, "f.txt", TEXT);
    let project = installation.world.claim_on_project();
    let after = |looks: usize| {
        let looks = stream::iter(vec![(); looks]);
        outcome(&wait(other.documents.ended(&project, queued.clone(), looks)))
    };
    assert_eq!(after(2), (ExtractionStatus::Queued, None));
    let mut ended = pin!(other.documents.ended(&project, queued.clone(), stream::pending()));
    assert_eq!((&mut ended).now_or_never(), None);
    step(&installation, &claim(&installation));
    assert_eq!((&mut ended).now_or_never(), None);
    assert_eq!(after(0), (ExtractionStatus::Queued, None));
    assert_eq!(after(1), FINISHED);
}
