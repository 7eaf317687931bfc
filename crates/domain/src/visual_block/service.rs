//! What can be done with visual blocks.

use std::sync::Arc;

use super::VisualBlock;
use crate::access::BotClaim;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::VisualBlockId;
use crate::json::Json;
use crate::lock::Lock;
use crate::violation::Violations;

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
    ) -> Result<Vec<VisualBlock>, DomainError> {
        self.context
            .read_bot(claim, move |unit| Ok(unit.tx.visual_blocks(&unit.scope, after, limit)?))
            .await
    }

    /// Stores the content of the bot's visual block of this name, which is made if it is missing.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::Invalid`] if the name is
    /// none or the content takes more than 1 MiB.
    pub async fn put(
        &self,
        claim: &BotClaim,
        name: &str,
        content: Json,
    ) -> Result<(), DomainError> {
        let mut violations = Violations::none();
        let name = super::check(name, &content, &mut violations);
        violations.into_result(())?;
        self.context
            .write_bot(claim, Lock::Exclusive, move |unit| {
                let id = unit.next_id();
                let now = unit.now();
                let block = VisualBlock::new(id, unit.scope.bot_id(), &name, &content, now);
                Ok(unit.tx.put_visual_block(&unit.scope, &block)?)
            })
            .await
    }
}
