//! Fusion-Views in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::BotScope;
use domain::batch::Batch;
use domain::blob::Sha256;
use domain::clock::Timestamp;
use domain::copy_step::CopyStep;
use domain::fusion::{FusionFile, FusionView, FusionViewRepository};
use domain::id::{BlobId, FusionViewId};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken, decode, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::json::{from_json, to_json};
use crate::sql::schema::fusion_views;
use crate::tables::bot_rows::{Copied, EACH, SIZE, after, of_bot, read_batch, size_of, with_ids};

const COPIED: Copied = Copied {
    table: "fusion_views",
    columns: &[&[
        "type",
        "title",
        "metadata",
        "blob_id",
        "file_name",
        "file_mime_type",
        "file_size",
        "file_sha256",
        "file_entries",
        "file_uploaded_at",
        "size",
    ]],
    size: SIZE,
    only: EACH,
    may_go: false,
    with: None,
};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = fusion_views, primary_key(project_id, bot_id, id), treat_none_as_null = true, treat_none_as_default_value = false)]
struct ViewRow {
    id: IdColumn,
    project_id: IdColumn,
    bot_id: IdColumn,
    view_type: String,
    title: String,
    #[diesel(embed)]
    file: FileColumns,
    size: i64,
    created_at: i64,
    updated_at: i64,
    metadata: String,
}

/// What a Fusion-View without a file has nothing in.
#[derive(Queryable, Selectable, Insertable, AsChangeset, Default)]
#[diesel(table_name = fusion_views, treat_none_as_null = true, treat_none_as_default_value = false)]
struct FileColumns {
    blob_id: Option<IdColumn>,
    file_name: Option<String>,
    file_mime_type: Option<String>,
    file_size: Option<i64>,
    file_sha256: Option<String>,
    file_entries: Option<i64>,
    file_uploaded_at: Option<i64>,
}

impl TryFrom<ViewRow> for FusionView {
    type Error = StorageError;

    fn try_from(row: ViewRow) -> Result<Self, StorageError> {
        let id = row.id;
        Ok(Self {
            id: Stored::from_column(id),
            bot_id: Stored::from_column(row.bot_id),
            metadata: from_json("fusion_views.metadata", id, &row.metadata)?,
            file: file(id, row.file)?,
            view_type: row.view_type,
            title: row.title,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }
}

/// The file of a row; it is there as a whole or not at all.
fn file(row: IdColumn, columns: FileColumns) -> Result<Option<FusionFile>, StorageError> {
    let Some(blob_id) = columns.blob_id else {
        return Ok(None);
    };
    let size = columns.file_size.and_then(|size| size.try_into().ok());
    let sha256 = columns.file_sha256.and_then(|text| Sha256::parse(&text));
    let entries = columns.file_entries.and_then(|entries| entries.try_into().ok());
    let uploaded_at = columns.file_uploaded_at.map(Timestamp::from_millis);
    Ok(Some(FusionFile {
        blob_id: Stored::from_column(blob_id),
        file_name: decode("fusion_views.file_name", row, columns.file_name)?,
        mime_type: decode("fusion_views.file_mime_type", row, columns.file_mime_type)?,
        size: decode("fusion_views.file_size", row, size)?,
        sha256: decode("fusion_views.file_sha256", row, sha256)?,
        entries: decode("fusion_views.file_entries", row, entries)?,
        uploaded_at: decode("fusion_views.file_uploaded_at", row, uploaded_at)?,
    }))
}

/// The row of a Fusion-View of the scope's bot.
fn row(scope: &BotScope, view: &FusionView) -> Result<ViewRow, StorageError> {
    if view.bot_id != scope.bot_id() {
        return Err(broken("a Fusion-View of another bot was to be stored"));
    }
    let file = match &view.file {
        None => FileColumns::default(),
        Some(file) => FileColumns {
            blob_id: Some(file.blob_id.to_column()),
            file_name: Some(file.file_name.clone()),
            file_mime_type: Some(file.mime_type.clone()),
            file_size: Some(number(file.size)?),
            file_sha256: Some(file.sha256.to_string()),
            file_entries: Some(number(file.entries)?),
            file_uploaded_at: Some(file.uploaded_at.millis()),
        },
    };
    let metadata = to_json("fusion_views.metadata", &view.metadata)?;
    Ok(ViewRow {
        id: view.id.to_column(),
        project_id: scope.project_id().to_column(),
        bot_id: scope.bot_id().to_column(),
        view_type: view.view_type.clone(),
        title: view.title.clone(),
        file,
        size: size_of([metadata.len()])?,
        created_at: view.created_at.millis(),
        updated_at: view.updated_at.millis(),
        metadata,
    })
}

impl FusionViewRepository for Tx<'_> {
    fn fusion_view(
        &mut self,
        scope: &BotScope,
        id: FusionViewId,
    ) -> Result<Option<FusionView>, StorageError> {
        let query = of_bot!(fusion_views, scope).filter(fusion_views::id.eq(id.to_column()));
        let row = self.look_up(
            |db| on_db!(db, db => query.select(ViewRow::as_select()).get_result(db).optional()),
        )?;
        row.map(FusionView::try_from).transpose()
    }

    fn fusion_views(
        &mut self,
        scope: &BotScope,
        after_id: Option<FusionViewId>,
        limit: u32,
    ) -> Result<Batch<FusionView>, StorageError> {
        let after_id = after(after_id);
        let rows = read_batch!(
            self,
            of_bot!(fusion_views, scope)
                .filter(fusion_views::id.gt(after_id))
                .order(fusion_views::id),
            fusion_views::size,
            ViewRow,
            limit
        );
        rows.try_map(FusionView::try_from)
    }

    fn fusion_views_with_ids(
        &mut self,
        scope: &BotScope,
        ids: &[FusionViewId],
    ) -> Result<Vec<FusionView>, StorageError> {
        let rows: Vec<ViewRow> =
            with_ids!(self, of_bot!(fusion_views, scope), fusion_views::id, ids, ViewRow)?;
        rows.into_iter().map(FusionView::try_from).collect()
    }

    fn insert_fusion_view(
        &mut self,
        scope: &BotScope,
        view: &FusionView,
    ) -> Result<(), StorageError> {
        let row = row(scope, view)?;
        self.change_one(
            "inserting a Fusion-View",
            |db| on_db!(db, db => diesel::insert_into(fusion_views::table).values(row).execute(db)),
        )
    }

    fn update_fusion_view(
        &mut self,
        scope: &BotScope,
        _: &FusionView,
        to: &FusionView,
    ) -> Result<(), StorageError> {
        let row = row(scope, to)?;
        let one = of_bot!(fusion_views, scope).filter(fusion_views::id.eq(to.id.to_column()));
        self.change_one(
            "updating a Fusion-View",
            |db| on_db!(db, db => diesel::update(one).set(row).execute(db)),
        )
    }

    fn delete_fusion_view(
        &mut self,
        scope: &BotScope,
        id: FusionViewId,
    ) -> Result<(), StorageError> {
        let one = of_bot!(fusion_views, scope).filter(fusion_views::id.eq(id.to_column()));
        self.change_one(
            "deleting a Fusion-View",
            |db| on_db!(db, db => diesel::delete(one).execute(db)),
        )
    }

    fn copy_fusion_views(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> FusionViewId,
    ) -> Result<bool, StorageError> {
        self.copy_rows(&COPIED, bots, now, step, || next_id().to_column())
    }

    fn remove_fusion_views(
        &mut self,
        scope: &BotScope,
        limit: u32,
    ) -> Result<Vec<Option<BlobId>>, StorageError> {
        let blobs = self.remove_rows_telling("blob_id", ("fusion_views", SIZE), scope, limit)?;
        Ok(blobs.into_iter().map(Stored::from_column).collect())
    }
}
