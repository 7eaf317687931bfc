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
use crate::engine::tx::{Tx, corrupt, decode, find_locked, number};
use crate::sql::schema::{blobs, documents, fusion_views, projects};

/// How many ids one statement asks for, because each is a value to bind.
const ASKED_AT_ONCE: usize = 500;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = blobs)]
struct BlobRow {
    id: String,
    project_id: String,
    kind: String,
    sha256: String,
    size: i64,
    state: String,
    created_at: i64,
}

impl TryFrom<BlobRow> for Blob {
    type Error = StorageError;

    fn try_from(row: BlobRow) -> Result<Self, StorageError> {
        let id = row.id.as_str();
        Ok(Self {
            id: decode("blobs.id", id, BlobId::parse(id))?,
            project_id: decode("blobs.project_id", id, ProjectId::parse(&row.project_id))?,
            kind: decode("blobs.kind", id, BlobKind::parse(&row.kind))?,
            sha256: decode("blobs.sha256", id, Sha256::parse(&row.sha256))?,
            size: decode("blobs.size", id, row.size.try_into().ok())?,
            state: decode("blobs.state", id, BlobState::parse(&row.state))?,
            created_at: Timestamp::from_millis(row.created_at),
        })
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
            .filter(blobs::project_id.eq(scope.project_id().to_string()))
            .filter(blobs::kind.eq(kind.as_str()))
            .filter(blobs::sha256.eq(sha256.to_string()))
            .filter(sql::<diesel::sql_types::Bool>("(blobs.state = 'present')"));
        // A unit that is about to remove the blob holds it exclusively.
        let row = find_locked!(self, Lock::Shared, query, BlobRow)?;
        row.map(Blob::try_from).transpose()
    }

    fn blob_bytes(&mut self, scope: &ProjectScope) -> Result<u64, StorageError> {
        // PostgreSQL's sum of whole numbers is of another type.
        let query = blobs::table
            .filter(blobs::project_id.eq(scope.project_id().to_string()))
            .select(sql::<BigInt>("CAST(coalesce(sum(blobs.size), 0) AS BIGINT)"));
        let bytes: i64 = self.query(|db| on_db!(db, db => query.get_result(db)))?;
        u64::try_from(bytes).map_err(|_| corrupt("blobs of less than no bytes"))
    }

    fn insert_blob(&mut self, scope: &ProjectScope, blob: &Blob) -> Result<(), StorageError> {
        if blob.project_id != scope.project_id() {
            return Err(corrupt("a blob of another project was to be inserted"));
        }
        let row = BlobRow {
            id: blob.id.to_string(),
            project_id: blob.project_id.to_string(),
            kind: blob.kind.as_str().to_owned(),
            sha256: blob.sha256.to_string(),
            size: number(blob.size)?,
            state: blob.state.as_str().to_owned(),
            created_at: blob.created_at.millis(),
        };
        self.change_one(
            "inserting a blob",
            |db| on_db!(db, db => diesel::insert_into(blobs::table).values(row).execute(db)),
        )
    }

    fn blob(&mut self, _: Operator, id: BlobId) -> Result<Option<Blob>, StorageError> {
        let query = blobs::table.filter(blobs::id.eq(id.to_string()));
        let row = find_locked!(self, Lock::Exclusive, query, BlobRow)?;
        row.map(Blob::try_from).transpose()
    }

    fn is_blob_referred_to(&mut self, _: Operator, blob: &Blob) -> Result<bool, StorageError> {
        let views = fusion_views::table
            .filter(fusion_views::project_id.eq(blob.project_id.to_string()))
            .filter(fusion_views::blob_id.eq(blob.id.to_string()));
        let documents = documents::table
            .filter(documents::project_id.eq(blob.project_id.to_string()))
            .filter(documents::blob_id.eq(blob.id.to_string()));
        self.query(
            |db| on_db!(db, db => select(exists(views).or(exists(documents))).get_result(db)),
        )
    }

    fn mark_blob_deleting(&mut self, _: Operator, id: BlobId) -> Result<(), StorageError> {
        let blob = blobs::table.filter(blobs::id.eq(id.to_string()));
        let deleting = blobs::state.eq(BlobState::Deleting.as_str());
        self.change_one(
            "marking a blob",
            |db| on_db!(db, db => diesel::update(blob).set(deleting).execute(db)),
        )
    }

    fn forget_blob(&mut self, _: Operator, id: BlobId) -> Result<(), StorageError> {
        let blob = blobs::table.filter(blobs::id.eq(id.to_string()));
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
            let texts = |id: fn(&BlobKey) -> Option<String>| some.iter().filter_map(id).collect();
            let of_projects: Vec<String> = texts(|key| Some(key.project_id()?.to_string()));
            let of_blobs: Vec<String> = texts(|key| Some(key.blob_id()?.to_string()));
            let known = projects::table.filter(projects::id.eq_any(of_projects));
            let known = known.select(projects::id);
            let projects: HashSet<String> =
                self.query(|db| on_db!(db, db => known.load(db)))?.into_iter().collect();
            let known = blobs::table.filter(blobs::id.eq_any(of_blobs)).select(blobs::id);
            let blobs: HashSet<String> =
                self.query(|db| on_db!(db, db => known.load(db)))?.into_iter().collect();
            let is_orphan = |key: &&BlobKey| {
                let project = key.project_id().is_some_and(|id| projects.contains(&id.to_string()));
                let blob = key.blob_id().is_some_and(|id| blobs.contains(&id.to_string()));
                project && !blob
            };
            orphaned.extend(some.iter().filter(is_orphan).cloned());
        }
        Ok(orphaned)
    }
}
