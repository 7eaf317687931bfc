//! Visual blocks in the database.

use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::StorageError;
use domain::access::BotScope;
use domain::batch::Batch;
use domain::clock::Timestamp;
use domain::copy_step::CopyStep;
use domain::id::{BotId, ProjectId, VisualBlockId};
use domain::json::Json;
use domain::visual_block::{VisualBlock, VisualBlockRepository};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, broken};
use crate::sql::columns::Stored;
use crate::sql::row_macros::table_row;
use crate::sql::schema::visual_blocks;
use crate::tables::bot_rows::{Copied, EACH, OF_CONTENT, after, of_bot, read_batch, row_bytes};

const COPIED: Copied = Copied {
    table: "visual_blocks",
    columns: &[&["name", "content"]],
    size: OF_CONTENT,
    only: EACH,
    may_go: false,
    with: None,
};

table_row! {
    VisualBlockRow of VisualBlock in visual_blocks {
        id: VisualBlockId,
        bot_id: BotId,
        name: String,
        content: Json,
        created_at: Timestamp,
        updated_at: Timestamp,
    }
    beside { project_id: ProjectId }
}

impl VisualBlockRepository for Tx<'_> {
    fn visual_blocks(
        &mut self,
        scope: &BotScope,
        after_id: Option<VisualBlockId>,
        limit: u32,
    ) -> Result<Batch<VisualBlock>, StorageError> {
        let after_id = after(after_id);
        let rows = read_batch!(
            self,
            of_bot!(visual_blocks, scope)
                .filter(visual_blocks::id.gt(after_id))
                .order(visual_blocks::id),
            row_bytes(OF_CONTENT),
            VisualBlockRow,
            limit
        );
        Ok(rows.map(VisualBlock::from))
    }

    fn put_visual_block(
        &mut self,
        scope: &BotScope,
        block: &VisualBlock,
    ) -> Result<(), StorageError> {
        if block.bot_id != scope.bot_id() {
            return Err(broken("a visual block of another bot was to be stored"));
        }
        let row = VisualBlockRow::of(block, scope.project_id());
        let put = diesel::insert_into(visual_blocks::table)
            .values(row)
            .on_conflict((visual_blocks::project_id, visual_blocks::bot_id, visual_blocks::name))
            .do_update()
            .set((
                visual_blocks::content.eq(excluded(visual_blocks::content)),
                visual_blocks::updated_at.eq(excluded(visual_blocks::updated_at)),
            ));
        self.change_one("putting a visual block", |db| on_db!(db, db => put.execute(db)))
    }

    fn delete_visual_blocks(
        &mut self,
        scope: &BotScope,
        names: &[String],
    ) -> Result<(), StorageError> {
        let some = of_bot!(visual_blocks, scope).filter(visual_blocks::name.eq_any(names));
        self.query(|db| on_db!(db, db => diesel::delete(some).execute(db)))?;
        Ok(())
    }

    fn copy_visual_blocks(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> VisualBlockId,
    ) -> Result<bool, StorageError> {
        self.copy_rows(&COPIED, bots, now, step, || next_id().to_column())
    }

    fn remove_visual_blocks(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows(("visual_blocks", OF_CONTENT), scope, limit)
    }
}
