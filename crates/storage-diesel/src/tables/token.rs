//! Tokens in the database.

use diesel::prelude::*;
use domain::StorageError;
use domain::access::{
    BotScope, Operator, ProjectScope, ScopeSet, Token, TokenDigest, TokenOwner, TokenRepository,
    TokenUse,
};
use domain::clock::Timestamp;
use domain::id::{BotId, ProjectId, TokenId};

use crate::engine::db::on_db;
use crate::engine::tx::{Tx, decode};
use crate::sql::cached_update::cached_update;
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::schema::tokens;
use crate::tables::bot_rows::{SMALL, of_bot};

/// What the column `owner` says.
const OF_PROJECT: &str = "project";
const OF_BOT: &str = "bot";

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = tokens, treat_none_as_default_value = false)]
struct TokenRow {
    id: IdColumn,
    organisation_id: IdColumn,
    project_id: IdColumn,
    owner: String,
    bot_id: Option<IdColumn>,
    digest: Vec<u8>,
    last_four: String,
    name: String,
    scopes: String,
    read_only: bool,
    created_at: i64,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
    last_used_at: Option<i64>,
}

impl TryFrom<TokenRow> for Token {
    type Error = StorageError;

    fn try_from(row: TokenRow) -> Result<Self, StorageError> {
        let id = row.id;
        let owner = match (row.owner.as_str(), row.bot_id) {
            (OF_PROJECT, None) => Some(TokenOwner::Project),
            (OF_BOT, Some(bot)) => Some(TokenOwner::Bot(Stored::from_column(bot))),
            _ => None,
        };
        let digest = <[u8; 32]>::try_from(row.digest).ok();
        Ok(Self {
            id: Stored::from_column(id),
            organisation_id: Stored::from_column(row.organisation_id),
            project_id: Stored::from_column(row.project_id),
            owner: decode("tokens.owner", id, owner)?,
            digest: decode("tokens.digest", id, digest.map(TokenDigest::from_bytes))?,
            last_four: row.last_four,
            name: row.name,
            scopes: decode("tokens.scopes", id, ScopeSet::parse(&row.scopes).ok())?,
            read_only: row.read_only,
            created_at: Timestamp::from_millis(row.created_at),
            expires_at: row.expires_at.map(Timestamp::from_millis),
            revoked_at: row.revoked_at.map(Timestamp::from_millis),
            last_used_at: row.last_used_at.map(Timestamp::from_millis),
        })
    }
}

impl From<&Token> for TokenRow {
    fn from(token: &Token) -> Self {
        let owner = match token.owner {
            TokenOwner::Project => OF_PROJECT,
            TokenOwner::Bot(_) => OF_BOT,
        };
        Self {
            id: token.id.to_column(),
            organisation_id: token.organisation_id.to_column(),
            project_id: token.project_id.to_column(),
            owner: owner.to_owned(),
            bot_id: token.owner.bot_id().map(|id| id.to_column()),
            digest: token.digest.as_bytes().to_vec(),
            last_four: token.last_four.clone(),
            name: token.name.clone(),
            scopes: token.scopes.to_string(),
            read_only: token.read_only,
            created_at: token.created_at.millis(),
            expires_at: token.expires_at.map(Timestamp::millis),
            revoked_at: token.revoked_at.map(Timestamp::millis),
            last_used_at: token.last_used_at.map(Timestamp::millis),
        }
    }
}

fn tokens_of(rows: Vec<TokenRow>) -> Result<Vec<Token>, StorageError> {
    rows.into_iter().map(Token::try_from).collect()
}

impl TokenRepository for Tx<'_> {
    fn token_by_digest(&mut self, digest: &TokenDigest) -> Result<Option<Token>, StorageError> {
        // Foreign keys see to it that the token's project and bot exist.
        let query = tokens::table.filter(tokens::digest.eq(digest.as_bytes().as_slice()));
        let row = self.query(
            |db| on_db!(db, db => query.select(TokenRow::as_select()).get_result(db).optional()),
        )?;
        row.map(Token::try_from).transpose()
    }

    fn valid_tokens_of_bot(
        &mut self,
        scope: &BotScope,
        now: Timestamp,
    ) -> Result<Vec<Token>, StorageError> {
        let query = tokens::table
            .filter(tokens::project_id.eq(scope.project_id().to_column()))
            .filter(tokens::bot_id.eq(scope.bot_id().to_column()))
            .filter(tokens::revoked_at.is_null())
            .filter(tokens::expires_at.is_null().or(tokens::expires_at.gt(now.millis())))
            .order(tokens::id);
        tokens_of(self.query(|db| on_db!(db, db => query.select(TokenRow::as_select()).load(db)))?)
    }

    fn valid_tokens_of_bots(
        &mut self,
        scope: &ProjectScope,
        bots: &[BotId],
        now: Timestamp,
    ) -> Result<Vec<Token>, StorageError> {
        if bots.is_empty() {
            return Ok(Vec::new());
        }
        let bots: Vec<_> = bots.iter().map(Stored::to_column).collect();
        let query = tokens::table
            .filter(tokens::project_id.eq(scope.project_id().to_column()))
            .filter(tokens::bot_id.eq_any(bots))
            .filter(tokens::revoked_at.is_null())
            .filter(tokens::expires_at.is_null().or(tokens::expires_at.gt(now.millis())))
            .order(tokens::id);
        tokens_of(self.query(|db| on_db!(db, db => query.select(TokenRow::as_select()).load(db)))?)
    }

    fn insert_token(&mut self, _: Operator, token: &Token) -> Result<(), StorageError> {
        let row = TokenRow::from(token);
        self.record_access_change(token.project_id);
        self.change_one(
            "inserting a token",
            |db| on_db!(db, db => diesel::insert_into(tokens::table).values(row).execute(db)),
        )
    }

    fn tokens(
        &mut self,
        _: Operator,
        project: ProjectId,
        bot: Option<BotId>,
    ) -> Result<Vec<Token>, StorageError> {
        let all =
            tokens::table.filter(tokens::project_id.eq(project.to_column())).order(tokens::id);
        let rows = match bot {
            None => {
                self.query(|db| on_db!(db, db => all.select(TokenRow::as_select()).load(db)))?
            }
            Some(bot) => {
                let some = all.filter(tokens::bot_id.eq(bot.to_column()));
                self.query(|db| on_db!(db, db => some.select(TokenRow::as_select()).load(db)))?
            }
        };
        tokens_of(rows)
    }

    fn revoke_token(
        &mut self,
        _: Operator,
        token: TokenId,
        now: Timestamp,
    ) -> Result<Option<(Token, bool)>, StorageError> {
        let id = token.to_column();
        let valid = tokens::table.filter(tokens::id.eq(id)).filter(tokens::revoked_at.is_null());
        let revoke = diesel::update(valid).set(tokens::revoked_at.eq(now.millis()));
        let is_new = self.query(|db| on_db!(db, db => revoke.execute(db)))? > 0;
        let query = tokens::table.filter(tokens::id.eq(id));
        let row = self.query(
            |db| on_db!(db, db => query.select(TokenRow::as_select()).get_result(db).optional()),
        )?;
        let Some(token) = row.map(Token::try_from).transpose()? else { return Ok(None) };
        if is_new {
            self.record_access_change(token.project_id);
        }
        Ok(Some((token, is_new)))
    }

    fn revoke_tokens_of_bot(
        &mut self,
        scope: &BotScope,
        now: Timestamp,
    ) -> Result<(), StorageError> {
        let valid = of_bot!(tokens, scope).filter(tokens::revoked_at.is_null());
        let revoke = diesel::update(valid).set(tokens::revoked_at.eq(now.millis()));
        if self.query(|db| on_db!(db, db => revoke.execute(db)))? > 0 {
            self.record_access_change(scope.project_id());
        }
        Ok(())
    }

    fn remove_tokens_of_bot(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError> {
        let removed = self.remove_rows(("tokens", SMALL), scope, limit)?;
        if removed > 0 {
            self.record_access_change(scope.project_id());
        }
        Ok(removed)
    }

    fn record_token_uses(&mut self, _: Operator, uses: &[TokenUse]) -> Result<(), StorageError> {
        // In one order everywhere, so that two nodes that update the same tokens do not block each
        // other.
        let mut uses = uses.to_vec();
        uses.sort_unstable();
        for (token, at) in uses {
            let at = at.millis();
            let earlier = tokens::table
                .filter(tokens::id.eq(token.to_column()))
                .filter(tokens::last_used_at.is_null().or(tokens::last_used_at.lt(at)));
            let update = cached_update(earlier, tokens::last_used_at.eq(at));
            self.query(|db| on_db!(db, db => update.execute(db)))?;
        }
        Ok(())
    }
}
