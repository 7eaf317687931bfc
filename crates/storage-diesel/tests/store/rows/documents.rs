//! Unreadable rows of documents.

use domain::access::OwnerClaim;
use domain::document::{Chunk, ExtractedChunk, UploadDocument};
use domain::id::{ChunkId, DocumentId};
use domain::list::ListQuery;
use domain::store::Repositories;
use domain::testing::ResolveClaim as _;

use super::*;

/// As with content, so with documents, their copies and their chunks.
fn unreadable_columns_of_documents_are_defects(database: Database) {
    let Setting { database, store, botyard, claim, .. } = Setting::on(database);
    let request = body::<UploadDocument>(r#"{"extract":false}"#);
    let upload = async {
        let to = OwnerClaim::Bot(claim.clone());
        let mut upload = botyard.documents.begin_upload(to).await?;
        upload.write(b"content").await?;
        upload.finish(None, None, request).await
    };
    let (document, _) = wait(upload).unwrap();
    let project = claim.project();
    // No extraction was requested, but the row says that one failed.
    let of = database.id(document.id);
    database.execute(&format!(
        "UPDATE documents SET extraction_id = {of}, chunks_of = {of}, \
         extraction_status = 'failed', extraction_error = 'corrupt'"
    ));
    let heading = vec!["heading".to_owned()];
    let extracted =
        ExtractedChunk { text: String::new(), char_start: 0, char_end: 1, page: Some(1), heading };
    let chunk = Chunk { id: ChunkId::from_uuid(Uuid::from_u128(1)), index: 0, extracted };
    let found = wait(botyard.documents.get(&project, document.id)).unwrap().document;
    let (of_project, of) = (project.clone(), found.extraction.chunks_of.unwrap());
    let stored = write(&store, move |tx| {
        let (_, scope) = of_project.resolve(tx, Lock::None)?;
        Ok(tx.insert_chunks(&scope, of, std::slice::from_ref(&chunk))?)
    });
    assert_eq!(stored, Ok(()));
    let read_all = || {
        let of_bot = claim.clone();
        let copy = |id: DocumentId| {
            let unit = move |tx: &mut dyn Repositories| {
                let scope = of_bot.resolve(tx, Lock::None)?.1;
                Ok(tx.bot_documents(&scope, &[id]).map(|_| ())?)
            };
            write(&store, unit)
        };
        wait(botyard.documents.page(&project, &ListQuery::default(), None, 9)).map(|_| ())?;
        copy(document.id)?;
        wait(botyard.documents.chunks(&project, document.id, None, 9)).map(|_| ())
    };
    let no_hash = "'z234567890123456789012345678901234567890123456789012345678901234'";
    each_is_a_defect(
        &database,
        read_all,
        &[
            ("documents", "sha256", no_hash),
            ("documents", "extraction_error", "'nothing'"),
            ("documents", "chunk_count", "-1"),
            ("documents", "settings", "'{}'"),
            ("chunks", "char_end", "-1"),
            ("chunks", "page", "-1"),
            ("chunks", "heading", "'{}'"),
        ],
    );
}

each_database! {
    unreadable_columns_of_documents_are_defects,
}
