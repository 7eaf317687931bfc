//! What visual blocks ask of the database.

use super::VisualBlock;
use crate::access::BotScope;
use crate::batch::Batch;
use crate::clock::Timestamp;
use crate::copy_step::CopyStep;
use crate::error::StorageError;
use crate::id::VisualBlockId;

/// Visual blocks in the database.
pub trait VisualBlockRepository {
    /// The bot's visual blocks, oldest first, at most `limit`, after `after` if that is given.
    fn visual_blocks(
        &mut self,
        scope: &BotScope,
        after: Option<VisualBlockId>,
        limit: u32,
    ) -> Result<Batch<VisualBlock>, StorageError>;

    /// Stores a visual block. If the bot has one of this name, that gets the new content and time of
    /// change, and keeps the rest.
    fn put_visual_block(
        &mut self,
        scope: &BotScope,
        block: &VisualBlock,
    ) -> Result<(), StorageError>;

    /// Removes the bot's visual blocks of these names, as far as there are any.
    fn delete_visual_blocks(
        &mut self,
        scope: &BotScope,
        names: &[String],
    ) -> Result<(), StorageError>;

    /// Copies visual blocks of a bot to another of the same project, in their order; `next_id` gives the
    /// copies their identifiers. It goes on where
    /// `step` is, as far as that goes, and returns whether all are copied.
    fn copy_visual_blocks(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> VisualBlockId,
    ) -> Result<bool, StorageError>;

    /// Removes at most `limit` visual blocks of a bot that is being torn down; returns how many
    /// went.
    fn remove_visual_blocks(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}
