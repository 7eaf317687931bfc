//! Documents, and the copies of them that bots have, in the database.

mod rows;

use std::ops::RangeInclusive;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::{BotScope, Operator, ProjectScope};
use domain::clock::Timestamp;
use domain::copy_step::CopyStep;
use domain::document::{
    BotDocument, Document, DocumentRepository, DocumentToExtract, ExtractionsAtOnce,
};
use domain::id::{BlobId, BotDocumentId, BotId, DocumentId, ExtractionId};
use domain::lock::Lock;

use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, all_stored, corrupt, find_locked};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::kept::kept_update;
use crate::sql::schema::{bot_documents as copies, documents, projects};
use crate::sql::statement::{Statement, one_by_one};
use crate::tables::bot_rows::{Copied, EACH, SMALL, after, of_bot, with_ids};
use rows::{CopyRow, DocumentRow, changing, copy, copy_row, document_row};

const COPIED: Copied = Copied {
    table: "bot_documents",
    columns: &[&["document_id", "skill_id", "function_name"]],
    size: SMALL,
    only: EACH,
    // A document that is deleted goes from every bot.
    may_go: true,
    with: None,
};

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
                 AND removed_at IS NULL",
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

    fn hold_documents(
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

    fn holders_of_document(
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
            .sql(" AND id = bot_id AND removed_at IS NULL")
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
        u64::try_from(count).map_err(|_| corrupt("fewer than no documents"))
    }

    fn insert_document(
        &mut self,
        scope: &ProjectScope,
        document: &Document,
    ) -> Result<(), StorageError> {
        if document.project_id != scope.project_id() {
            return Err(corrupt("a document of another project was to be stored"));
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
        let update = kept_update(one, changing(document)?);
        self.change_one("updating a document", |db| on_db!(db, db => update.execute(db)))
    }

    fn take_document_from_bots(
        &mut self,
        scope: &ProjectScope,
        id: DocumentId,
        limit: u32,
    ) -> Result<Vec<BotId>, StorageError> {
        let copies = |begin: Statement<Id>| {
            begin
                .sql(" FROM bot_documents WHERE project_id = ")
                .bind(scope.project_id().to_column())
                .sql(" AND document_id = ")
                .bind(id.to_column())
        };
        let removal = copies(Statement::new("DELETE"));
        let removal = copies(removal.sql(" AND bot_id IN (SELECT bot_id"))
            .sql(" ORDER BY bot_id LIMIT ")
            .bind(i64::from(limit))
            .sql(") RETURNING bot_id");
        let bots: Vec<IdColumn> = self.query(|db| on_db!(db, db => removal.load(db)))?;
        Ok(bots.into_iter().map(Stored::from_column).collect())
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

    fn bot_documents(
        &mut self,
        scope: &BotScope,
        of: &[DocumentId],
    ) -> Result<Vec<BotDocument>, StorageError> {
        let same =
            copies::project_id.eq(documents::project_id).and(copies::document_id.eq(documents::id));
        let query = copies::table
            .inner_join(documents::table.on(same))
            .filter(copies::project_id.eq(scope.project_id().to_column()))
            .filter(copies::bot_id.eq(scope.bot_id().to_column()))
            .filter(copies::document_id.eq_any(id_columns(of)));
        let found = self.query(|db| {
            on_db!(db, db => {
                query.select((CopyRow::as_select(), DocumentRow::as_select())).load(db)
            })
        })?;
        let mut found: Vec<_> = found.into_iter().map(copy).collect::<Result<_, _>>()?;
        found.sort_unstable_by_key(|copy: &BotDocument| copy.document.id);
        Ok(found)
    }

    fn insert_bot_documents(
        &mut self,
        scope: &BotScope,
        new: &[BotDocument],
    ) -> Result<(), StorageError> {
        let (project, bot) = (scope.project_id(), scope.bot_id());
        if new.iter().any(|copy| copy.bot_id != bot || copy.document.project_id != project) {
            return Err(corrupt("a copy of another bot or project was to be stored"));
        }
        let rows: Vec<_> = new.iter().map(copy_row).collect();
        let inserted = self.query(|db| match db {
            #[cfg(feature = "postgres")]
            Db::Pg(db) => {
                rows::bulk::insert_copies(db, (project.to_column(), bot.to_column()), &rows)
            }
            // There is no round trip to save.
            #[cfg(feature = "sqlite")]
            Db::Sqlite(db) => rows.iter().try_fold(0, |inserted, row| {
                Ok(inserted + diesel::insert_into(copies::table).values(row).execute(&mut **db)?)
            }),
        })?;
        all_stored("copies of documents", inserted, rows.len())
    }

    fn delete_bot_documents(
        &mut self,
        scope: &BotScope,
        of: &[DocumentId],
    ) -> Result<Vec<DocumentId>, StorageError> {
        let some = of_bot!(copies, scope).filter(copies::document_id.eq_any(id_columns(of)));
        let delete = diesel::delete(some).returning(copies::document_id);
        let gone: Vec<IdColumn> = self.query(|db| on_db!(db, db => delete.load(db)))?;
        Ok(gone.into_iter().map(Stored::from_column).collect())
    }

    fn rename_skill_of_bot_documents(
        &mut self,
        scope: &BotScope,
        (old, new): (&str, &str),
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<BotDocumentId>, StorageError> {
        let renaming: Statement<Id> = Statement::new("UPDATE bot_documents SET skill_id = ")
            .bind(new)
            .sql(", updated_at = ")
            .bind(now.millis())
            .sql(" WHERE project_id = ")
            .bind(scope.project_id().to_column())
            .sql(" AND bot_id = ")
            .bind(scope.bot_id().to_column())
            .sql(" AND id IN (SELECT id FROM bot_documents WHERE project_id = ")
            .bind(scope.project_id().to_column())
            .sql(" AND bot_id = ")
            .bind(scope.bot_id().to_column())
            .sql(" AND skill_id = ")
            .bind(old)
            .sql(" ORDER BY id LIMIT ")
            .bind(i64::from(limit))
            .sql(") RETURNING id");
        let mut ids: Vec<IdColumn> = self.query(|db| on_db!(db, db => renaming.load(db)))?;
        ids.sort_unstable();
        Ok(ids.into_iter().map(Stored::from_column).collect())
    }

    fn copy_bot_documents(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> BotDocumentId,
    ) -> Result<bool, StorageError> {
        self.copy_rows(&COPIED, bots, now, step, || next_id().to_column())
    }

    fn remove_bot_documents(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows(("bot_documents", SMALL), scope, limit)
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

    fn extractions_at_once(
        &mut self,
        scope: &ProjectScope,
    ) -> Result<ExtractionsAtOnce, StorageError> {
        let counts: Statement<(BigInt, BigInt)> = Statement::new(
            "SELECT count(*) FILTER (WHERE extraction_status = 'queued'), \
             count(*) FILTER (WHERE extraction_status = 'running') \
             FROM documents WHERE project_id = ",
        )
        .bind(scope.project_id().to_column())
        .sql(" AND extraction_status IN ('queued', 'running')");
        let (queued, running): (i64, i64) =
            self.look_up(|db| on_db!(db, db => counts.get_result(db)))?;
        let count = |count| u64::try_from(count).map_err(|_| corrupt("fewer than no extractions"));
        Ok(ExtractionsAtOnce { queued: count(queued)?, running: count(running)? })
    }
}
