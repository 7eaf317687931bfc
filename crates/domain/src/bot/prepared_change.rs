//! What a change makes of a bot, before the unit of work that stores it.

use super::BotConfig;
use crate::entity_tag::EntityTag;

/// What a change makes of a bot.
pub(super) trait PreparedChange: Send + Sync + 'static {
    /// The configuration that the bot is to have, if that changes.
    fn new_config(&self) -> Option<&BotConfig>;

    /// The tag of the bot without its tokens as it was, if a precondition has to be evaluated by it.
    fn tag(&self) -> Option<EntityTag>;
}

impl PreparedChange for BotConfig {
    fn new_config(&self) -> Option<&BotConfig> {
        Some(self)
    }

    fn tag(&self) -> Option<EntityTag> {
        None
    }
}

impl PreparedChange for EntityTag {
    fn new_config(&self) -> Option<&BotConfig> {
        None
    }

    fn tag(&self) -> Option<EntityTag> {
        Some(*self)
    }
}
