//! What can be done with visual blocks.

use std::sync::Arc;

use super::{NewVisualBlock, VisualBlock};
use crate::access::BotClaim;
use crate::batch::Batch;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::VisualBlockId;
use crate::input::Valid;
use crate::lock::Lock;

/// Visual blocks.
#[derive(Clone)]
pub struct VisualBlockService {
    context: Arc<Context>,
}

impl VisualBlockService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Visual blocks of the bot, oldest first, at most `limit`, after `after` if that is given.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn page(
        &self,
        claim: &BotClaim,
        after: Option<VisualBlockId>,
        limit: u32,
    ) -> Result<Batch<VisualBlock>, DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                Ok(unit.tx.visual_blocks(&unit.scope, after, limit)?)
            })
            .await
    }

    /// Stores a visual block of the bot; it replaces the one of its name, if there is one.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn put(
        &self,
        claim: &BotClaim,
        block: Valid<NewVisualBlock>,
    ) -> Result<(), DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let id = unit.next_id();
                let now = unit.now();
                let block = VisualBlock::new(id, unit.scope.bot_id(), &block, now);
                Ok(unit.tx.put_visual_block(&unit.scope, &block)?)
            })
            .await
    }
}
