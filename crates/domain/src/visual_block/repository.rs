//! The repository of visual blocks.

use super::VisualBlock;
use crate::access::BotScope;
use crate::bot_resource::bot_resource_methods;
use crate::error::StorageError;
use crate::id::VisualBlockId;

/// Visual blocks in the database.
pub trait VisualBlockRepository {
    bot_resource_methods! { VisualBlock, VisualBlockId;
        page visual_blocks
        copy copy_visual_blocks
        remove remove_visual_blocks
    }

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
}
