//! Bots with their valid tokens, as they are answered.

use std::collections::HashMap;

use super::Bot;
use crate::access::Token;
use crate::clock::Timestamp;
use crate::entity_tag::{EntityTag, Tagged};
use crate::error::DomainError;
use crate::id::BotId;
use crate::unit::{BotUnit, ProjectUnit};

/// A bot together with its valid tokens, without their secret texts, which are not stored.
#[derive(Debug, Clone, PartialEq)]
pub struct BotWithTokens {
    /// The bot.
    pub bot: Bot,
    /// Its tokens that are valid now, oldest first.
    pub tokens: Vec<Token>,
}

impl BotWithTokens {
    /// When the first of the tokens ends, if any does.
    #[must_use]
    pub fn first_token_end(&self) -> Option<Timestamp> {
        self.tokens.iter().filter_map(|token| token.expires_at).min()
    }
}

impl Tagged for BotWithTokens {
    fn entity_tag(&self) -> EntityTag {
        entity_tag(&self.bot, &self.tokens)
    }
}

/// The tag of a bot with these tokens.
fn entity_tag(bot: &Bot, tokens: &[Token]) -> EntityTag {
    tag_with_tokens(content_tag(bot), tokens)
}

/// The tag of a bot without its tokens.
pub(super) fn content_tag(bot: &Bot) -> EntityTag {
    // What the API finds is of one kind and in one state.
    let Bot { id, project_id, kind: _, state: _, config, created_at, updated_at } = bot;
    EntityTag::of(&(id, project_id, config, created_at, updated_at))
}

/// The tag of a bot that has this one without its tokens.
pub(super) fn tag_with_tokens(content: EntityTag, tokens: &[Token]) -> EntityTag {
    let tokens: Vec<_> = tokens
        .iter()
        .map(|token| {
            let Token { id, name, scopes, created_at, expires_at, .. } = token;
            (id, name, scopes, created_at, expires_at)
        })
        .collect();
    EntityTag::of(&(content.to_string(), tokens))
}

/// The valid tokens of a bot, unless others may be valid by now than were found before.
pub(super) fn remembered_tokens(unit: &BotUnit<'_>) -> Option<Vec<Token>> {
    let context = unit.context;
    let changed = context.store.access_changed(unit.scope.project_id());
    context.token_cache.of(unit.scope.bot_id(), changed, unit.now())
}

/// The valid tokens of a bot, as the database has them.
pub(super) fn look_up_tokens(unit: &mut BotUnit<'_>) -> Result<Vec<Token>, DomainError> {
    let now = unit.now();
    Ok(unit.tx.valid_tokens_of_bot(&unit.scope, now)?)
}

/// Evaluates the precondition of a change by the [`content_tag`] of the bot, which is locked, and by its tokens as the
/// database has them: those that were found before may lag behind another process.
pub(super) fn check_precondition(
    unit: &mut BotUnit<'_>,
    content: impl FnOnce() -> Option<EntityTag>,
) -> Result<(), DomainError> {
    unit.check_precondition_with(|unit| {
        let tokens = look_up_tokens(unit)?;
        Ok(content().map(|content| tag_with_tokens(content, &tokens)))
    })
}

/// Bots with the tokens that open them.
pub(super) fn with_tokens(
    unit: &mut ProjectUnit<'_>,
    bots: Vec<Bot>,
) -> Result<Vec<BotWithTokens>, DomainError> {
    let now = unit.context.clock.now();
    let ids: Vec<_> = bots.iter().map(|bot| bot.id).collect();
    let mut tokens = HashMap::<Option<BotId>, Vec<Token>>::new();
    for token in unit.tx.valid_tokens_of_bots(&unit.scope, &ids, now)? {
        tokens.entry(token.owner.bot_id()).or_default().push(token);
    }
    let with_its_own = |bot: Bot| {
        let tokens = tokens.remove(&Some(bot.id)).unwrap_or_default();
        BotWithTokens { bot, tokens }
    };
    Ok(bots.into_iter().map(with_its_own).collect())
}
