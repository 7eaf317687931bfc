//! Which tokens were found to belong to a bot.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Token;
use crate::clock::Timestamp;
use crate::id::BotId;

/// How many tokens are remembered at once.
const CAPACITY: usize = 20_000;

/// Valid tokens of bots, and under which version of access they were found (see
/// [`crate::store::Store::access_version`]). As long as nothing has changed in the project since, there are no others.
#[derive(Default)]
pub(crate) struct TokenCache(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    by_bot: HashMap<BotId, (u64, Vec<Token>)>,
    tokens: usize,
}

impl TokenCache {
    /// The tokens of a bot that are valid at `now`, if they were found since the latest change in its project;
    /// `changed` is the version of that.
    pub(crate) fn of(
        &self,
        bot: BotId,
        changed: Option<u64>,
        now: Timestamp,
    ) -> Option<Vec<Token>> {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (version, tokens) = remembered.by_bot.get(&bot)?;
        let valid = || tokens.iter().filter(|token| token.is_valid_at(now)).cloned().collect();
        changed.is_some_and(|changed| changed <= *version).then(valid)
    }

    /// Remembers all valid tokens of a bot, as the database has them. `version` is what was current before they were
    /// looked for. When they were used last is not kept up to date.
    pub(crate) fn add(&self, bot: BotId, version: Option<u64>, tokens: &[Token]) {
        let Some(version) = version else { return };
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.by_bot.get(&bot).is_some_and(|(known, _)| *known == version) {
            return;
        }
        if remembered.tokens + tokens.len() >= CAPACITY {
            *remembered = Remembered::default();
        }
        // A bot without tokens takes memory as well.
        remembered.tokens += tokens.len() + 1;
        if let Some((_, before)) = remembered.by_bot.insert(bot, (version, tokens.to_vec())) {
            remembered.tokens -= before.len() + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::access::{ScopeSet, TokenDigest, TokenOwner};
    use crate::id::{OrganisationId, ProjectId, TokenId};

    fn token(expires_at: Option<Timestamp>) -> Token {
        Token {
            id: TokenId::NIL,
            organisation_id: OrganisationId::NIL,
            project_id: ProjectId::NIL,
            owner: TokenOwner::Project,
            name: String::new(),
            digest: TokenDigest::from_bytes([0; 32]),
            last_four: String::new(),
            scopes: ScopeSet::default(),
            read_only: false,
            created_at: Timestamp::default(),
            expires_at,
            revoked_at: None,
            last_used_at: None,
        }
    }

    #[test]
    fn tokens_count_for_their_version_until_they_end() {
        let cache = TokenCache::default();
        let [early, end] = [1, 2].map(Timestamp::from_millis);
        let bot = BotId::NIL;
        assert_eq!(cache.of(bot, Some(7), early), None);
        let tokens = [token(None), token(Some(end))];
        cache.add(bot, None, &tokens);
        assert_eq!(cache.of(bot, None, early), None);
        cache.add(bot, Some(7), &tokens);
        assert_eq!(cache.of(bot, Some(6), early), Some(tokens.to_vec()));
        assert_eq!(cache.of(bot, Some(7), early), Some(tokens.to_vec()));
        assert_eq!(cache.of(bot, Some(7), end), Some(vec![token(None)]));
        assert_eq!(cache.of(bot, Some(8), early), None);
        assert_eq!(cache.of(bot, None, early), None);
        cache.add(bot, Some(8), &[]);
        assert_eq!(cache.of(bot, Some(8), early), Some(Vec::new()));
        assert_eq!(cache.0.lock().unwrap().tokens, 1);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let cache = TokenCache::default();
        for number in 0..=CAPACITY as u128 {
            cache.add(BotId::from_uuid(Uuid::from_u128(number)), Some(1), &[]);
        }
        assert!(cache.0.lock().unwrap().by_bot.len() < CAPACITY);
    }
}
