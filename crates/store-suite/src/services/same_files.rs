//! Uploads of files that the project has already.

use std::sync::Arc;

use crate::services::document_service::{Uploaded, form, now, replace, upload};
use crate::services::extraction_runs::{TEXT, chunks, extracted};
use crate::services::fake_extractor::chunks_of;
use crate::services::installation::Installation;
use crate::world::wait;
use domain::access::OwnerClaim;
use domain::document::{Document, ExtractionStatus, MatchBy, OnDuplicate, SameFile};
use domain::error::{DomainError, StorageError};
use domain::store::Store;

const SKIP: SameFile = SameFile { on_duplicate: OnDuplicate::Skip, match_by: MatchBy::FileName };
const REPLACE: SameFile =
    SameFile { on_duplicate: OnDuplicate::Replace, match_by: MatchBy::FileName };

/// Uploads a file to the project; `then` happens after its last byte.
fn upload_with(
    installation: &Installation,
    same_file: SameFile,
    (name, content): (&str, &str),
    then: impl FnOnce(),
) -> Uploaded {
    let to = OwnerClaim::Project(installation.world.claim_on_project());
    let mut upload = wait(installation.botyard.documents.begin_upload(to))?.with(same_file);
    wait(upload.named(Some(name)))?;
    wait(upload.write(content.as_bytes()))?;
    then();
    wait(upload.finish(Some(name), Some("text/plain"), form(installation, &[])))
}

fn is_contended(uploaded: &Uploaded) -> bool {
    matches!(uploaded, Err(DomainError::Storage(StorageError::Contended(_))))
}

pub(crate) fn a_document_has_its_old_chunks_until_those_of_its_new_file_are_there(
    store: Arc<dyn Store>,
) {
    let installation = Installation::new(store);
    installation.world.stored_bot("bot");
    let old = extracted(&installation, TEXT);
    let other = "Other words.";
    let file = (old.file.file_name.as_str(), other);
    let (new, copy) = upload_with(&installation, REPLACE, file, || ()).unwrap();
    assert_eq!((new.id, copy), (old.id, None));
    assert_ne!(new.file.sha256, old.file.sha256);
    assert_eq!(new.extraction.status, ExtractionStatus::Queued);
    assert_eq!(new.extraction.chunks_of, old.extraction.chunks_of);
    assert_eq!(chunks(&installation, old.id), chunks_of(TEXT));
    installation.work();
    assert_eq!(chunks(&installation, old.id), chunks_of(other));
    assert_eq!(now(&installation, old.id).extraction.status, ExtractionStatus::Finished);
}

pub(crate) fn nothing_is_stored_of_a_file_that_is_skipped(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    installation.world.stored_bot("bot");
    let document = upload(&installation, "a.txt", "one");
    let stored = installation.stored();
    let found = |uploaded: Uploaded| -> Document { uploaded.unwrap().0 };
    let skipped = upload_with(&installation, SKIP, ("a.txt", "two"), || ());
    assert_eq!(found(skipped), document);
    // One that came while the file was being uploaded makes no difference.
    let mut came = None;
    let skipped = upload_with(&installation, SKIP, ("b.txt", "three"), || {
        came = Some(upload(&installation, "b.txt", "one"));
    });
    assert_eq!(Some(found(skipped)), came);
    assert_eq!(installation.stored(), stored);
}

pub(crate) fn a_file_that_was_skipped_for_what_went_meanwhile_is_sent_again(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    installation.world.stored_bot("bot");
    let document = upload(&installation, "a.txt", "one");
    let uploaded = upload_with(&installation, SKIP, ("a.txt", "two"), || {
        let claim = installation.world.claim_on_project();
        wait(installation.botyard.documents.delete(&claim, document.id)).unwrap();
    });
    assert!(is_contended(&uploaded), "{uploaded:?}");
    let document = upload(&installation, "a.txt", "one");
    let uploaded = upload_with(&installation, SKIP, ("a.txt", "two"), || {
        replace(&installation, document.id, "b.txt", "three", &[]).unwrap();
    });
    assert!(is_contended(&uploaded), "{uploaded:?}");
}
