//! What a duplicate takes over from its bot.

use crate::access::BotScope;
use crate::error::DomainError;
use crate::unit::BotUnit;

/// Copies what a bot is made of. Bytes and long texts do not leave the database, so that this stays a
/// short unit, whatever the size.
pub(super) fn copy_content(unit: &mut BotUnit<'_>, to: &BotScope) -> Result<(), DomainError> {
    let now = unit.now();
    let (tx, from, ids) = (&mut *unit.tx, &unit.scope, &unit.context.ids);
    tx.copy_skills(from, to, now, &mut || ids.next().into())?;
    tx.copy_stages(from, to, now, &mut || ids.next().into())?;
    tx.copy_visual_blocks(from, to, now, &mut || ids.next().into())?;
    tx.copy_fusion_views(from, to, now, &mut || ids.next().into())?;
    tx.copy_crawls(from, to, now, &mut || ids.next().into())?;
    tx.copy_bot_documents(from, to, now, &mut || ids.next().into())?;
    Ok(())
}
