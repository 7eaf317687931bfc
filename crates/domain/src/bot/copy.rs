//! What a duplicate takes over from its bot.

use crate::access::BotScope;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::{BotDocumentId, CrawlId, FusionViewId, SkillId, StageId};
use crate::store::Repositories;

/// Copies what a bot is made of. Bytes and long texts do not leave the database, so that this stays a
/// short unit, whatever the size.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(super) fn copy_content(
    tx: &mut dyn Repositories,
    context: &Context,
    from: &BotScope,
    to: &BotScope,
) -> Result<(), DomainError> {
    let now = context.clock.now();
    let ids = &context.ids;
    tx.copy_skills(from, to, now, &mut || SkillId::from_uuid(ids.next()))?;
    tx.copy_stages(from, to, now, &mut || StageId::from_uuid(ids.next()))?;
    tx.copy_fusion_views(from, to, now, &mut || FusionViewId::from_uuid(ids.next()))?;
    tx.copy_crawls(from, to, now, &mut || CrawlId::from_uuid(ids.next()))?;
    tx.copy_bot_documents(from, to, now, &mut || BotDocumentId::from_uuid(ids.next()))?;
    Ok(())
}
