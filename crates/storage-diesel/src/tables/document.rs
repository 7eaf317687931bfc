//! Documents in the database, and which bots have them.

mod bot_documents;
mod rows;

use std::ops::RangeInclusive;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::{Operator, ProjectScope};
use domain::document::{Document, DocumentRepository, DocumentToExtract, ExtractionCounts};
use domain::id::{BlobId, BotId, DocumentId, ExtractionId};
use domain::lock::Lock;

use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, broken, find_locked};
use crate::sql::cached_update::cached_update;
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::schema::{documents, projects};
use crate::sql::statement::{Statement, one_by_one};
use crate::tables::bot_rows::{after, with_ids};
use rows::{DocumentRow, changing, document_row};

/// The documents of the scope's project.
macro_rules! of_project {
    ($scope:expr) => {
        documents::table.filter(documents::project_id.eq($scope.project_id().to_column()))
    };
}

fn id_columns(ids: &[DocumentId]) -> Vec<IdColumn> {
    ids.iter().map(Stored::to_column).collect()
}

impl Tx<'_> {
    /// The bots that can be found which have some copies of documents of the project, with the documents, in their
    /// order.
    fn bots_of_copies(
        &mut self,
        scope: &ProjectScope,
        copies: Statement<()>,
        limit: u32,
    ) -> Result<Vec<(DocumentId, BotId)>, StorageError> {
        let project = scope.project_id().to_column();
        let rows: Vec<(IdColumn, IdColumn)> = self.query(|db| {
            let [bots, end] = one_by_one(db.dialect(), "bots");
            let query: Statement<(Id, Id)> = Statement::new(
                "SELECT document_id, bot_id FROM (SELECT document_id, bot_id FROM bot_documents \
                 WHERE project_id = ",
            )
            .bind(project)
            .then(copies)
            .sql(") AS copies CROSS JOIN ")
            .sql(bots)
            .sql(" WHERE project_id = ")
            .bind(project)
            .sql(
                " AND id = bot_id AND state = 'active' AND kind = 'regular' \
                 AND deleted_at IS NULL",
            )
            .sql(end)
            .sql(" ORDER BY document_id, bot_id LIMIT ")
            .bind(i64::from(limit));
            on_db!(db, db => query.load(db))
        })?;
        let pair = |(document, bot)| (Stored::from_column(document), Stored::from_column(bot));
        Ok(rows.into_iter().map(pair).collect())
    }
}

impl DocumentRepository for Tx<'_> {
    fn document(
        &mut self,
        scope: &ProjectScope,
        id: DocumentId,
        lock: Lock,
    ) -> Result<Option<Document>, StorageError> {
        let query = of_project!(scope).filter(documents::id.eq(id.to_column()));
        let row = find_locked!(self, lock, query, DocumentRow)?;
        row.map(Document::try_from).transpose()
    }

    fn lock_documents(
        &mut self,
        scope: &ProjectScope,
        ids: &[DocumentId],
    ) -> Result<Vec<Document>, StorageError> {
        // Units that lock several do so in the same order, so that no two wait for each other.
        let query =
            of_project!(scope).filter(documents::id.eq_any(id_columns(ids))).order(documents::id);
        let rows = self.query(|db| match db {
            #[cfg(feature = "postgres")]
            Db::Pg(db) => query.select(DocumentRow::as_select()).for_share().load(&mut **db),
            #[cfg(feature = "sqlite")]
            Db::Sqlite(db) => query.select(DocumentRow::as_select()).load(&mut **db),
        })?;
        rows.into_iter().map(Document::try_from).collect()
    }

    fn documents(
        &mut self,
        scope: &ProjectScope,
        after_id: Option<DocumentId>,
        limit: u32,
    ) -> Result<Vec<Document>, StorageError> {
        let query = of_project!(scope)
            .filter(documents::id.gt(after(after_id)))
            .order(documents::id)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(DocumentRow::as_select()).load(db)))?;
        rows.into_iter().map(Document::try_from).collect()
    }

    fn documents_with_ids(
        &mut self,
        scope: &ProjectScope,
        ids: &[DocumentId],
    ) -> Result<Vec<Document>, StorageError> {
        let rows: Vec<DocumentRow> =
            with_ids!(self, of_project!(scope), documents::id, ids, DocumentRow)?;
        rows.into_iter().map(Document::try_from).collect()
    }

    fn bots_of_documents(
        &mut self,
        scope: &ProjectScope,
        ids: RangeInclusive<DocumentId>,
        limit: u32,
    ) -> Result<Vec<(DocumentId, BotId)>, StorageError> {
        let copies = Statement::new(" AND document_id >= ")
            .bind(ids.start().to_column())
            .sql(" AND document_id <= ")
            .bind(ids.end().to_column());
        self.bots_of_copies(scope, copies, limit)
    }

    fn bots_with_documents(
        &mut self,
        scope: &ProjectScope,
        ids: &[DocumentId],
    ) -> Result<Vec<(DocumentId, BotId)>, StorageError> {
        let copies = Statement::new(" AND document_id IN (").bind_all(id_columns(ids)).sql(")");
        self.bots_of_copies(scope, copies, u32::MAX)
    }

    fn bots_with_document(
        &mut self,
        scope: &ProjectScope,
        id: DocumentId,
    ) -> Result<Vec<BotId>, StorageError> {
        let project = scope.project_id().to_column();
        let holders: Vec<IdColumn> = self.query(|db| {
            let [bots, end] = one_by_one(db.dialect(), "bots");
            let query: Statement<Id> = Statement::new(
                "SELECT bot_id FROM (SELECT bot_id FROM bot_documents WHERE project_id = ",
            )
            .bind(project)
            .sql(" AND document_id = ")
            .bind(id.to_column())
            .sql(") AS copies CROSS JOIN ")
            .sql(bots)
            .sql(" WHERE project_id = ")
            .bind(project)
            .sql(" AND id = bot_id AND deleted_at IS NULL")
            .sql(end)
            .sql(" ORDER BY bot_id");
            on_db!(db, db => query.load(db))
        })?;
        Ok(holders.into_iter().map(Stored::from_column).collect())
    }

    fn document_of_name(
        &mut self,
        scope: &ProjectScope,
        file_name: &str,
    ) -> Result<Option<Document>, StorageError> {
        let query = of_project!(scope)
            .filter(documents::file_name.eq(file_name))
            .order(documents::id.desc())
            .limit(1);
        let row = find_locked!(self, Lock::Exclusive, query, DocumentRow)?;
        row.map(Document::try_from).transpose()
    }

    fn document_of_blob(
        &mut self,
        scope: &ProjectScope,
        blob: BlobId,
    ) -> Result<Option<Document>, StorageError> {
        let query = of_project!(scope)
            .filter(documents::blob_id.eq(blob.to_column()))
            .order(documents::id.desc())
            .limit(1);
        let row = find_locked!(self, Lock::Exclusive, query, DocumentRow)?;
        row.map(Document::try_from).transpose()
    }

    fn count_documents(&mut self, scope: &ProjectScope) -> Result<u64, StorageError> {
        let query = of_project!(scope).count();
        let count: i64 = self.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        u64::try_from(count).map_err(|_| broken("fewer than no documents"))
    }

    fn insert_document(
        &mut self,
        scope: &ProjectScope,
        document: &Document,
    ) -> Result<(), StorageError> {
        if document.project_id != scope.project_id() {
            return Err(broken("a document of another project was to be stored"));
        }
        let insert = diesel::insert_into(documents::table).values(document_row(document)?);
        self.change_one("inserting a document", |db| on_db!(db, db => insert.execute(db)))
    }

    fn update_document(
        &mut self,
        scope: &ProjectScope,
        document: &Document,
    ) -> Result<(), StorageError> {
        let one = of_project!(scope).filter(documents::id.eq(document.id.to_column()));
        let update = cached_update(one, changing(document)?);
        self.change_one("updating a document", |db| on_db!(db, db => update.execute(db)))
    }

    fn delete_document(
        &mut self,
        scope: &ProjectScope,
        id: DocumentId,
    ) -> Result<(), StorageError> {
        let one = of_project!(scope).filter(documents::id.eq(id.to_column()));
        let delete = diesel::delete(one);
        self.change_one("deleting a document", |db| on_db!(db, db => delete.execute(db)))
    }

    fn document_to_extract(
        &mut self,
        _: Operator,
        id: ExtractionId,
        lock: Lock,
    ) -> Result<Option<DocumentToExtract>, StorageError> {
        let query = documents::table.filter(documents::extraction_id.eq(id.to_column()));
        let Some(row) = find_locked!(self, lock, query, DocumentRow)? else {
            return Ok(None);
        };
        let query = projects::table
            .filter(projects::id.eq(row.project_id))
            .select(projects::organisation_id);
        let organisation: IdColumn = self.query(|db| on_db!(db, db => query.get_result(db)))?;
        let organisation_id = Stored::from_column(organisation);
        Ok(Some(DocumentToExtract { organisation_id, document: row.try_into()? }))
    }

    fn extraction_counts(
        &mut self,
        scope: &ProjectScope,
    ) -> Result<ExtractionCounts, StorageError> {
        let counts: Statement<(BigInt, BigInt)> = Statement::new(
            "SELECT count(*) FILTER (WHERE extraction_status = 'queued'), \
             count(*) FILTER (WHERE extraction_status = 'running') \
             FROM documents WHERE project_id = ",
        )
        .bind(scope.project_id().to_column())
        .sql(" AND extraction_status IN ('queued', 'running')");
        let (queued, running): (i64, i64) =
            self.look_up(|db| on_db!(db, db => counts.get_result(db)))?;
        let count = |count| u64::try_from(count).map_err(|_| broken("fewer than no extractions"));
        Ok(ExtractionCounts { queued: count(queued)?, running: count(running)? })
    }
}
