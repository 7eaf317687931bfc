//! What can be done with visual blocks.

use std::sync::Arc;

use super::VisualBlock;
use crate::access::BotClaim;
use crate::context::Context;
use crate::error::DomainError;
use crate::fault::{FaultCode, Faults};
use crate::id::VisualBlockId;
use crate::json::Json;
use crate::store::Lock;
use crate::text::{self, LONG_TEXT_MAX};

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
            .read_bot(claim, move |tx, _, scope| Ok(tx.visual_blocks(scope, after, limit)?))
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
        let mut faults = Faults::none();
        let name = text::name("/name", name, &mut faults);
        if content.as_str().len() > LONG_TEXT_MAX {
            faults.body("/content", FaultCode::TooLong, "`content` takes at most 1 MiB of JSON.");
        }
        faults.into_result(())?;
        let context = self.context.clone();
        self.context
            .write_bot(claim, Lock::Exclusive, move |tx, bot, scope| {
                let now = context.clock.now();
                let block = VisualBlock {
                    id: VisualBlockId::from_uuid(context.ids.next()),
                    bot_id: bot.id,
                    name: name.clone(),
                    content: content.clone(),
                    created_at: now,
                    updated_at: now,
                };
                Ok(tx.put_visual_block(scope, &block)?)
            })
            .await
    }
}
