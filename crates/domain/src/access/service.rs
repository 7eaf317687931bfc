//! Authenticating, minting, listing and revoking tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{
    BotClaim, Operator, Principal, ProjectClaim, ProjectScope, Scheme, ScopeSet, Secret, Token,
    TokenDigest, TokenOwner,
};
use crate::audit::AuditedResource;
use crate::bot::BotKind;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::{DomainError, Resource};
use crate::event::{EventData, EventType};
use crate::id::{BotId, ProjectId, TokenId};
use crate::lock::Lock;
use crate::store::Repositories;
use crate::text;
use crate::unit::Unit;
use crate::violation::{ViolationCode, Violations};

/// How coarse the time of a token's last use is: one write a minute at most.
const USE_GRAIN: Duration = Duration::from_secs(60);

/// What a token to be minted shall be.
#[derive(Debug, Clone)]
pub struct MintToken {
    /// The project, for a project token; the bot, for a bot token.
    pub target: TokenTarget,
    /// What a person calls it: 1 to 200 characters.
    pub name: String,
    /// What it allows; `None` for all that its scheme knows.
    pub scopes: Option<ScopeSet>,
    /// Whether every write is refused.
    pub read_only: bool,
    /// How long it is valid; `None` for ever.
    pub expires_in: Option<Duration>,
}

/// What a new token is to be bound to.
#[derive(Debug, Clone, Copy)]
pub enum TokenTarget {
    /// A project and all its bots.
    Project(ProjectId),
    /// One bot, in any state it is.
    Bot(BotId),
}

/// A token just minted, with its secret text, which is not stored and can't be shown again.
#[derive(Debug)]
pub struct MintedToken {
    /// What is stored.
    pub token: Token,
    /// What the bearer presents.
    pub secret: Secret,
}

/// Tokens and who bears them.
#[derive(Clone)]
pub struct AccessService {
    pub(super) context: Arc<Context>,
    uses: Arc<Mutex<Uses>>,
}

/// Uses of tokens seen by this process.
#[derive(Default)]
struct Uses {
    /// When a use of each token was last recorded here, so that a token causes at most one write a minute.
    recorded: HashMap<TokenId, Timestamp>,
    /// What is not written yet.
    waiting: HashMap<TokenId, Timestamp>,
}

impl AccessService {
    pub(crate) fn new(context: Arc<Context>) -> Self {
        Self { context, uses: Arc::default() }
    }

    /// Who bears the token with this digest, in the database, at this moment.
    ///
    /// # Errors
    /// [`DomainError::Unauthenticated`] for every reason there is, without telling which.
    pub async fn authenticate(
        &self,
        scheme: Scheme,
        digest: TokenDigest,
    ) -> Result<Principal, DomainError> {
        let now = self.context.clock.now();
        let find = move |tx: &mut dyn Repositories| Ok(tx.token_by_digest(&digest)?);
        let mut found = self.context.store.look_up(find).await?;
        if found.is_none() {
            // A look-up may not show yet what another process has just committed, and a token works as soon
            // as it is minted.
            found = self.context.store.read(find).await?;
        }
        found
            .filter(|token| token.digest.matches(&digest))
            .filter(|token| token.owner.scheme() == scheme && token.is_valid_at(now))
            .map(Token::into_principal)
            .ok_or(DomainError::Unauthenticated)
    }

    /// Checks that the token of a principal is still valid, in the database, at this moment.
    ///
    /// # Errors
    /// [`DomainError::Unauthenticated`] if it is not.
    pub async fn check(&self, principal: &Principal) -> Result<(), DomainError> {
        self.authenticate(principal.scheme(), principal.digest()).await.map(drop)
    }

    /// Whether the token has not ended since its bearer was authenticated.
    #[must_use]
    pub fn has_not_expired(&self, principal: &Principal) -> bool {
        principal.expires_at().is_none_or(|end| self.context.clock.now() < end)
    }

    /// The version of everything that principals depend on; see [`crate::store::Store::access_version`].
    #[must_use]
    pub fn version(&self) -> Option<u64> {
        self.context.store.access_version()
    }

    /// Whether nothing has changed in a project since this version that its principals depend on.
    #[must_use]
    pub fn is_unchanged(&self, project: ProjectId, since: Option<u64>) -> bool {
        self.context.is_access_unchanged(project, since)
    }

    /// Remembers that a token was used, to be written by [`Self::flush_uses`].
    pub fn record_use(&self, principal: &Principal) {
        let now = self.context.clock.now();
        if principal.last_used_at().is_some_and(|last| now < last.plus(USE_GRAIN)) {
            return;
        }
        let token = principal.token_id();
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        if uses.recorded.get(&token).is_none_or(|last| now >= last.plus(USE_GRAIN)) {
            uses.recorded.insert(token, now);
            uses.waiting.insert(token, now);
        }
    }

    /// Writes the uses recorded since the last call in one unit; a unit that fails keeps them for the
    /// next call.
    pub async fn flush_uses(&self, operator: Operator) -> Result<(), DomainError> {
        let now = self.context.clock.now();
        let batch: Vec<_> = {
            let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
            uses.recorded.retain(|_, last| now < last.plus(USE_GRAIN));
            uses.waiting.drain().collect()
        };
        if batch.is_empty() {
            return Ok(());
        }
        let unit = batch.clone();
        let written =
            self.context.store.write(move |tx| Ok(tx.record_token_uses(operator, &unit)?)).await;
        if written.is_err() {
            let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
            for (token, at) in batch {
                uses.waiting.entry(token).or_insert(at);
            }
        }
        written
    }

    /// Whether the claimed bot is there, before anything of a request's body is read. The unit of
    /// work that does the request's work asks again, and decides; so what was found counts until something
    /// changes that access depends on.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not.
    pub async fn check_bot(&self, claim: &BotClaim) -> Result<(), DomainError> {
        self.context.check_claimed(claim).await
    }

    /// Whether the claimed project is there; see [`Self::check_bot`].
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not.
    pub async fn check_project(&self, claim: &ProjectClaim) -> Result<(), DomainError> {
        self.context.check_claimed(claim).await
    }

    /// Mints a token.
    ///
    /// # Errors
    /// [`DomainError::Invalid`] for a bad name, or scopes that the scheme does not know;
    /// [`DomainError::NotFound`] if the bot or project is not there.
    pub async fn mint(
        &self,
        operator: Operator,
        request: MintToken,
    ) -> Result<MintedToken, DomainError> {
        let scheme = match request.target {
            TokenTarget::Project(_) => Scheme::Project,
            TokenTarget::Bot(_) => Scheme::Bot,
        };
        let mut violations = Violations::none();
        let name = text::name(&request.name, &mut violations);
        let known = ScopeSet::of_scheme(scheme);
        let scopes = request.scopes.unwrap_or(known);
        if !known.contains(scopes) {
            let unknown = scopes.without(known);
            violations.body(
                "/scopes",
                ViolationCode::NotAllowed,
                format!("A token of the scheme {} has no {unknown}.", scheme.as_str()),
            );
        }
        violations.into_result(())?;
        let secret = Secret::generate(scheme, self.context.entropy.as_ref());
        let (digest, last_four) = (secret.digest(), secret.last_four());
        let token = self
            .context
            .write(None, move |unit| {
                let (project, owner) = match request.target {
                    TokenTarget::Project(id) => (id, TokenOwner::Project),
                    TokenTarget::Bot(id) => {
                        let bot = unit.tx.bot_in_any_state(operator, id, Lock::Shared)?;
                        let bot = bot.ok_or(DomainError::NotFound(Resource::Bot))?;
                        (bot.project_id, TokenOwner::Bot(id))
                    }
                };
                let project = unit.tx.project(operator, project)?;
                let project = project.ok_or(DomainError::NotFound(Resource::Project))?;
                let now = unit.now();
                let token = Token {
                    id: unit.next_id(),
                    organisation_id: project.organisation_id,
                    project_id: project.id,
                    owner,
                    digest,
                    last_four: last_four.clone(),
                    name: name.clone(),
                    scopes,
                    read_only: request.read_only,
                    created_at: now,
                    expires_at: request.expires_in.map(|duration| now.plus(duration)),
                    revoked_at: None,
                    last_used_at: None,
                };
                unit.tx.insert_token(operator, &token)?;
                emit(unit, operator, EventType::TokenMinted, &token)?;
                unit.audit(AuditedResource::Token, token.id)?;
                Ok(token)
            })
            .await?;
        Ok(MintedToken { token, secret })
    }

    /// Every token of a project, or of one bot, valid or not, oldest first.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot or project is not there.
    pub async fn list(
        &self,
        operator: Operator,
        target: TokenTarget,
    ) -> Result<Vec<Token>, DomainError> {
        self.context
            .store
            .read(move |tx| match target {
                TokenTarget::Project(id) => {
                    let project = tx.project(operator, id)?;
                    let project = project.ok_or(DomainError::NotFound(Resource::Project))?;
                    Ok(tx.tokens(operator, project.id, None)?)
                }
                TokenTarget::Bot(id) => {
                    let bot = tx.bot_in_any_state(operator, id, Lock::None)?;
                    let bot = bot.ok_or(DomainError::NotFound(Resource::Bot))?;
                    Ok(tx.tokens(operator, bot.project_id, Some(bot.id))?)
                }
            })
            .await
    }

    /// Revokes a token for good; revoking it again changes nothing.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such token.
    pub async fn revoke(&self, operator: Operator, token: TokenId) -> Result<Token, DomainError> {
        self.context
            .write(None, move |unit| {
                let now = unit.now();
                let revoked = unit.tx.revoke_token(operator, token, now)?;
                let (revoked, is_new) = revoked.ok_or(DomainError::NotFound(Resource::Token))?;
                if is_new {
                    emit(unit, operator, EventType::TokenRevoked, &revoked)?;
                }
                unit.audit(AuditedResource::Token, token)?;
                Ok(revoked)
            })
            .await
    }
}

/// Writes an event about a token, which is the project's or its bot's, unless it is a bot that clients can't find.
fn emit(
    unit: &mut Unit<'_>,
    operator: Operator,
    event_type: EventType,
    token: &Token,
) -> Result<(), DomainError> {
    let project = ProjectScope::at(token.organisation_id, token.project_id, None);
    match token.owner {
        TokenOwner::Project => {
            unit.with_scope(project).emit(event_type, token.id, &EventData::NONE)
        }
        TokenOwner::Bot(bot) => {
            let found = unit.tx.bot_in_any_state(operator, bot, Lock::None)?;
            if found.is_none_or(|bot| bot.kind != BotKind::Regular) {
                return Ok(());
            }
            unit.with_scope(project.with_bot(bot)).emit(event_type, token.id, &EventData::NONE)
        }
    }
}
