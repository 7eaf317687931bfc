//! What the database knows of blobs.

use std::collections::HashSet;

use diesel::dsl::{exists, select, sql};
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use domain::StorageError;
use domain::access::{Operator, ProjectScope};
use domain::blob::{Blob, BlobKey, BlobKind, BlobRepository, BlobState, Sha256};
use domain::clock::Timestamp;
use domain::id::{BlobId, ProjectId};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, find_locked};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::row_macros::table_row;
use crate::sql::schema::{blobs, documents, fusion_views, projects};
#[cfg(all(feature = "postgres", feature = "sqlite"))]
use crate::tables::bot_rows::after;

/// How many ids one statement asks for, because each is a value to bind.
const ASKED_AT_ONCE: usize = 500;

table_row! {
    BlobRow of Blob in blobs {
        id: BlobId,
        project_id: ProjectId,
        kind: BlobKind,
        sha256: Sha256,
        size: u64,
        state: BlobState,
        created_at: Timestamp,
    }
}

#[cfg(all(feature = "postgres", feature = "sqlite"))]
impl Tx<'_> {
    /// How many bytes the blobs of all projects have that can be referred to.
    pub(crate) fn present_blob_bytes(&mut self, _: Operator) -> Result<u64, StorageError> {
        // PostgreSQL's sum of whole numbers is of another type.
        let query = blobs::table
            .filter(blobs::state.eq(BlobState::Present.as_str()))
            .select(sql::<BigInt>("CAST(coalesce(sum(blobs.size), 0) AS BIGINT)"));
        let bytes: i64 = self.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        u64::try_from(bytes).map_err(|_| broken("blobs of less than no bytes"))
    }

    /// The blobs of a project that can be referred to, after this one, in the order of their ids; at most `limit`.
    pub(crate) fn present_blobs_after(
        &mut self,
        _: Operator,
        project: ProjectId,
        after_id: Option<BlobId>,
        limit: u32,
    ) -> Result<Vec<Blob>, StorageError> {
        let query = blobs::table
            .filter(blobs::project_id.eq(project.to_column()))
            .filter(blobs::id.gt(after(after_id)))
            .filter(blobs::state.eq(BlobState::Present.as_str()))
            .order(blobs::id)
            .limit(i64::from(limit));
        let rows =
            self.look_up(|db| on_db!(db, db => query.select(BlobRow::as_select()).load(db)))?;
        Ok(rows.into_iter().map(Blob::from).collect())
    }
}

impl BlobRepository for Tx<'_> {
    fn present_blob(
        &mut self,
        scope: &ProjectScope,
        kind: BlobKind,
        sha256: Sha256,
    ) -> Result<Option<Blob>, StorageError> {
        // The state is spelt out, because only then does the index `blobs_present` serve.
        let query = blobs::table
            .filter(blobs::project_id.eq(scope.project_id().to_column()))
            .filter(blobs::kind.eq(kind.as_str()))
            .filter(blobs::sha256.eq(sha256.to_string()))
            .filter(sql::<diesel::sql_types::Bool>("(blobs.state = 'present')"));
        // A unit that is about to remove the blob holds it exclusively.
        let row = find_locked!(self, Lock::Shared, query, BlobRow)?;
        Ok(row.map(Blob::from))
    }

    fn blob_bytes(&mut self, scope: &ProjectScope) -> Result<u64, StorageError> {
        // PostgreSQL's sum of whole numbers is of another type.
        let query = blobs::table
            .filter(blobs::project_id.eq(scope.project_id().to_column()))
            .select(sql::<BigInt>("CAST(coalesce(sum(blobs.size), 0) AS BIGINT)"));
        let bytes: i64 = self.look_up(|db| on_db!(db, db => query.get_result(db)))?;
        u64::try_from(bytes).map_err(|_| broken("blobs of less than no bytes"))
    }

    fn insert_blob(&mut self, scope: &ProjectScope, blob: &Blob) -> Result<(), StorageError> {
        if blob.project_id != scope.project_id() {
            return Err(broken("a blob of another project was to be inserted"));
        }
        let row = BlobRow::of(blob);
        self.change_one(
            "inserting a blob",
            |db| on_db!(db, db => diesel::insert_into(blobs::table).values(row).execute(db)),
        )
    }

    fn blob(&mut self, _: Operator, id: BlobId) -> Result<Option<Blob>, StorageError> {
        let query = blobs::table.filter(blobs::id.eq(id.to_column()));
        let row = find_locked!(self, Lock::Exclusive, query, BlobRow)?;
        Ok(row.map(Blob::from))
    }

    fn is_blob_referred_to(&mut self, _: Operator, blob: &Blob) -> Result<bool, StorageError> {
        let views = fusion_views::table
            .filter(fusion_views::project_id.eq(blob.project_id.to_column()))
            .filter(fusion_views::blob_id.eq(blob.id.to_column()));
        let documents = documents::table
            .filter(documents::project_id.eq(blob.project_id.to_column()))
            .filter(documents::blob_id.eq(blob.id.to_column()));
        self.look_up(
            |db| on_db!(db, db => select(exists(views).or(exists(documents))).get_result(db)),
        )
    }

    fn mark_blob_deleting(&mut self, _: Operator, id: BlobId) -> Result<(), StorageError> {
        let blob = blobs::table.filter(blobs::id.eq(id.to_column()));
        let deleting = blobs::state.eq(BlobState::Deleting.as_str());
        self.change_one(
            "marking a blob",
            |db| on_db!(db, db => diesel::update(blob).set(deleting).execute(db)),
        )
    }

    fn forget_blob(&mut self, _: Operator, id: BlobId) -> Result<(), StorageError> {
        let blob = blobs::table.filter(blobs::id.eq(id.to_column()));
        self.query(|db| on_db!(db, db => diesel::delete(blob).execute(db)))?;
        Ok(())
    }

    fn orphaned_blobs(
        &mut self,
        _: Operator,
        keys: &[BlobKey],
    ) -> Result<Vec<BlobKey>, StorageError> {
        let mut orphaned = Vec::new();
        for some in keys.chunks(ASKED_AT_ONCE) {
            let of_projects = some.iter().filter_map(BlobKey::project_id);
            let of_projects: Vec<_> = of_projects.map(|id| id.to_column()).collect();
            let of_blobs = some.iter().filter_map(BlobKey::blob_id);
            let of_blobs: Vec<_> = of_blobs.map(|id| id.to_column()).collect();
            let known = projects::table.filter(projects::id.eq_any(of_projects));
            let known = known.select(projects::id);
            let projects: HashSet<IdColumn> =
                self.query(|db| on_db!(db, db => known.load(db)))?.into_iter().collect();
            let known = blobs::table.filter(blobs::id.eq_any(of_blobs)).select(blobs::id);
            let blobs: HashSet<IdColumn> =
                self.query(|db| on_db!(db, db => known.load(db)))?.into_iter().collect();
            let is_orphan = |key: &&BlobKey| {
                let project = key.project_id().is_some_and(|id| projects.contains(&id.to_column()));
                let blob = key.blob_id().is_some_and(|id| blobs.contains(&id.to_column()));
                project && !blob
            };
            orphaned.extend(some.iter().filter(is_orphan).cloned());
        }
        Ok(orphaned)
    }
}
