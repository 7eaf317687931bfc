//! The copies of documents that bots have, in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::{BotScope, ProjectScope};
use domain::clock::Timestamp;
use domain::copy_step::CopyStep;
use domain::document::{BotDocument, BotDocumentRepository};
use domain::id::{BotDocumentId, BotId, DocumentId};

use super::id_columns;
use super::rows::{CopyRow, DocumentRow, copy, copy_row};
use crate::engine::db::{Db, on_db};
use crate::engine::tx::{Tx, all_stored, broken};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::id::Id;
use crate::sql::schema::{bot_documents as copies, documents};
use crate::sql::statement::Statement;
use crate::tables::bot_rows::{Copied, EACH, SMALL, of_bot};

const COPIED: Copied = Copied {
    table: "bot_documents",
    columns: &[&["document_id", "skill_id", "function_name"]],
    size: SMALL,
    only: EACH,
    // A document that is deleted goes from every bot.
    may_go: true,
    with: None,
};

impl BotDocumentRepository for Tx<'_> {
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
            return Err(broken("a copy of another bot or project was to be stored"));
        }
        let rows: Vec<_> = new.iter().map(copy_row).collect();
        let inserted = self.query(|db| match db {
            #[cfg(feature = "postgres")]
            Db::Pg(db) => {
                super::rows::bulk::insert_copies(db, (project.to_column(), bot.to_column()), &rows)
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
}
