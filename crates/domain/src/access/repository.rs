//! The repository of tokens.

use super::{BotScope, Operator, ProjectScope, Token, TokenDigest};
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::{BotId, ProjectId, TokenId};

/// A token and the time of its latest use.
pub type TokenUse = (TokenId, Timestamp);

/// Tokens in the database.
pub trait TokenRepository {
    /// The token with this digest, regardless of its validity, if its project and bot exist. The one
    /// look-up that needs no scope, because it is what scopes come from.
    fn token_by_digest(&mut self, digest: &TokenDigest) -> Result<Option<Token>, StorageError>;

    /// The tokens of a bot that are valid now, oldest first.
    fn valid_tokens_of_bot(
        &mut self,
        scope: &BotScope,
        now: Timestamp,
    ) -> Result<Vec<Token>, StorageError>;

    /// The tokens of several bots of a project that are valid now, oldest first, all in one list.
    fn valid_tokens_of_bots(
        &mut self,
        scope: &ProjectScope,
        bots: &[BotId],
        now: Timestamp,
    ) -> Result<Vec<Token>, StorageError>;

    /// Stores a new token.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails; also if the token's project or bot is gone.
    fn insert_token(&mut self, operator: Operator, token: &Token) -> Result<(), StorageError>;

    /// The tokens of a project, or only those of one of its bots, oldest first, whatever their
    /// validity.
    fn tokens(
        &mut self,
        operator: Operator,
        project: ProjectId,
        bot: Option<BotId>,
    ) -> Result<Vec<Token>, StorageError>;

    /// Marks a token as revoked, if it was not; returns it as it is then, and whether it was not revoked before, or
    /// `None` if there is no such token.
    fn revoke_token(
        &mut self,
        operator: Operator,
        token: TokenId,
        now: Timestamp,
    ) -> Result<Option<(Token, bool)>, StorageError>;

    /// Marks all tokens of a bot as revoked that are not.
    fn revoke_tokens_of_bot(
        &mut self,
        scope: &BotScope,
        now: Timestamp,
    ) -> Result<(), StorageError>;

    /// Removes at most `limit` tokens of a bot that is being torn down; returns their number.
    fn remove_tokens_of_bot(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;

    /// Notes when tokens were last used; tokens that are gone are skipped, and no time goes back.
    fn record_token_uses(
        &mut self,
        operator: Operator,
        uses: &[TokenUse],
    ) -> Result<(), StorageError>;
}
