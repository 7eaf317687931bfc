//! Visual blocks in the database.

use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::StorageError;
use domain::access::BotScope;
use domain::clock::Timestamp;
use domain::id::{BotId, VisualBlockId};
use domain::json::Json;
use domain::visual_block::{VisualBlock, VisualBlockRepository};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, corrupt, decode};
use crate::sql::schema::visual_blocks;
use crate::tables::rows::{Copied, EACH, after, of_bot};

const COPIED: Copied =
    Copied { table: "visual_blocks", columns: &[&["name", "content"]], only: EACH, may_go: false };

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = visual_blocks)]
struct VisualBlockRow {
    id: String,
    project_id: String,
    bot_id: String,
    name: String,
    content: String,
    created_at: i64,
    updated_at: i64,
}

impl TryFrom<VisualBlockRow> for VisualBlock {
    type Error = StorageError;

    fn try_from(row: VisualBlockRow) -> Result<Self, StorageError> {
        let id = row.id.as_str();
        Ok(Self {
            id: decode("visual_blocks.id", id, VisualBlockId::parse(id))?,
            bot_id: decode("visual_blocks.bot_id", id, BotId::parse(&row.bot_id))?,
            content: decode("visual_blocks.content", id, Json::parse_text(&row.content))?,
            name: row.name,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        })
    }
}

impl VisualBlockRepository for Tx<'_> {
    fn visual_blocks(
        &mut self,
        scope: &BotScope,
        after_id: Option<VisualBlockId>,
        limit: u32,
    ) -> Result<Vec<VisualBlock>, StorageError> {
        let query = of_bot!(visual_blocks, scope)
            .filter(visual_blocks::id.gt(after(after_id)))
            .order(visual_blocks::id)
            .limit(i64::from(limit));
        let rows =
            self.query(|db| on_db!(db, db => query.select(VisualBlockRow::as_select()).load(db)))?;
        rows.into_iter().map(VisualBlock::try_from).collect()
    }

    fn put_visual_block(
        &mut self,
        scope: &BotScope,
        block: &VisualBlock,
    ) -> Result<(), StorageError> {
        if block.bot_id != scope.bot_id() {
            return Err(corrupt("a visual block of another bot was to be stored"));
        }
        let row = VisualBlockRow {
            id: block.id.to_string(),
            project_id: scope.project_id().to_string(),
            bot_id: scope.bot_id().to_string(),
            name: block.name.clone(),
            content: block.content.as_str().to_owned(),
            created_at: block.created_at.millis(),
            updated_at: block.updated_at.millis(),
        };
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
        from: &BotScope,
        to: &BotScope,
        now: Timestamp,
        next_id: &mut dyn FnMut() -> VisualBlockId,
    ) -> Result<(), StorageError> {
        self.copy_rows(&COPIED, (from, to), now, || next_id().to_string())
    }

    fn remove_visual_blocks(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        self.remove_rows("visual_blocks", scope, limit)
    }
}
