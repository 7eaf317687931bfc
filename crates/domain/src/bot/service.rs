//! What clients do with bots.

use std::sync::Arc;

use super::change::StoredConfigs;
use super::job::TeardownBot;
use super::pending_config::{PendingConfigGuard, STEP_BYTES, release_config, store_pending};
use super::prepared_change::PreparedChange;
use super::tokens::{
    BotWithTokens, check_precondition, content_tag, look_up_tokens, remembered_tokens,
};
use super::{
    Bot, BotConfig, BotConfigPatch, BotKind, BotState, CreateBot, DeleteMode, Transition, UpdateBot,
};
use crate::access::{BotClaim, Conditional as _, ProjectClaim, Token};
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::clock::Timestamp;
use crate::context::Context;
use crate::entity_tag::EntityTag;
use crate::error::{DomainError, Quota};
use crate::event::{EventData, EventType};
use crate::id::BotId;
use crate::idempotency::AnsweredBot;
use crate::input::Valid;
use crate::job::handler::JobHandler as _;
use crate::json::takes_at_most;
use crate::list::list_methods;
use crate::lock::Lock;
use crate::unit::{BotUnit, ProjectUnit, Purpose, Unit};
use crate::violation::Violations;

/// What the changelog calls a bot.
pub(super) const BOT: ChangedResource = ChangedResource::Bot;

/// Bots.
#[derive(Clone)]
pub struct BotService {
    pub(super) context: Arc<Context>,
}

impl BotService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The bot.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not there.
    pub async fn get(&self, claim: &BotClaim) -> Result<BotWithTokens, DomainError> {
        let (id, claim) = (claim.bot_id(), claim.clone());
        // The version is taken before the look-up, so that a change in between makes the tokens void.
        let version = self.context.store.access_version();
        let (found, is_looked_up) = self
            .context
            .look_up(Some(claim.project_id()), move |unit| {
                let (bot, scope) = claim.resolve(unit.tx, Lock::None)?;
                let mut unit = unit.with_scope(scope);
                let remembered = remembered_tokens(&unit);
                let is_looked_up = remembered.is_none();
                let tokens = remembered.map_or_else(|| look_up_tokens(&mut unit), Ok)?;
                Ok((BotWithTokens { bot, tokens }, is_looked_up))
            })
            .await?;
        if is_looked_up {
            self.context.token_cache.add(id, version, &found.tokens);
        }
        Ok(found)
    }

    /// A number that grows whenever something may have changed of the bot's project, so that what was read
    /// before counts no more; see [`crate::store::Store::content_version`].
    #[must_use]
    pub fn version(&self, claim: &BotClaim) -> Option<u64> {
        self.context.store.content_version(claim.project_id())
    }

    /// Creates a bot in the project.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there, [`DomainError::QuotaExceeded`] if it
    /// has as many bots as it may.
    pub async fn create(
        &self,
        claim: &ProjectClaim,
        request: Valid<CreateBot>,
    ) -> Result<BotWithTokens, DomainError> {
        self.create_of_kind(claim, request, BotKind::Regular).await
    }

    pub(super) async fn create_of_kind(
        &self,
        claim: &ProjectClaim,
        request: Valid<CreateBot>,
        kind: BotKind,
    ) -> Result<BotWithTokens, DomainError> {
        let mut config = BotConfig::default();
        request.0.apply(&mut config);
        config.check_size()?;
        let config = Arc::new(config);
        let pending = self.store_pending_of_new(claim, &config).await?;
        let pending_config = pending.as_ref().map(|pending| pending.config.clone());
        // Locked exclusively, because two bots created at once must not both be the last that fits.
        let created = self
            .context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                check_bot_quota(unit)?;
                let stored = pending_config.as_ref().map(|config| config.take(unit)).transpose()?;
                let new = new_bot(unit, kind, (*config).clone());
                unit.tx.insert_bot(&unit.scope, &new, stored)?;
                let changes = new.config.as_changes();
                let mut of_bot = unit.of_bot(new.id);
                match kind {
                    BotKind::Regular => of_bot.record((Action::Create, BOT), new.id, &changes)?,
                    // Clients can't find it.
                    BotKind::Demo | BotKind::Template => {
                        of_bot.record_without_event((Action::Create, BOT), new.id, &changes)?;
                    }
                }
                unit.answer_shows(Some(new.id));
                let created = BotWithTokens { bot: new, tokens: Vec::new() };
                let Bot { id, updated_at, .. } = created.bot;
                let answered = AnsweredBot { id, updated_at };
                answer_with(unit, &created.bot.config, answered, || created.clone())?;
                Ok(created)
            })
            .await?;
        pending.into_iter().for_each(PendingConfigGuard::finish);
        Ok(created)
    }

    /// Stores the configuration of a bot that is to be created, if it has more than 1 MiB.
    async fn store_pending_of_new(
        &self,
        claim: &ProjectClaim,
        config: &Arc<BotConfig>,
    ) -> Result<Option<PendingConfigGuard>, DomainError> {
        if takes_at_most(STEP_BYTES, config.as_ref()) {
            return Ok(None);
        }
        // Not for a request with a key: it may have been answered before the quota was used up.
        if claim.idempotent().is_none() {
            self.context.read_claimed(claim, check_bot_quota).await?;
        }
        store_pending(&self.context, claim, config).await
    }

    /// Changes the fields that the update names. An update that changes nothing leaves no trace.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::Busy`] if too many large configurations of the
    /// project are being stored or removed.
    pub async fn update(
        &self,
        claim: &BotClaim,
        request: Valid<UpdateBot>,
    ) -> Result<BotWithTokens, DomainError> {
        let is_conditional = claim.precondition().is_some();
        let is_stored_first = !takes_at_most(STEP_BYTES, &request.0);
        let prepare = move |bot| Revision::new(bot, &request.0, is_conditional);
        let write = |unit: &mut BotUnit<'_>, revision: &Revision, configs: StoredConfigs<'_>| {
            revision.write(unit, configs)
        };
        let (revision, (updated_at, tokens)) =
            self.change((Purpose::Write, is_stored_first), claim, prepare, write).await?;
        let revision = Arc::unwrap_or_clone(revision);
        Ok(BotWithTokens { bot: Bot { updated_at, ..revision.bot }, tokens })
    }

    /// Deletes the bot for good, archives it, or puts it into the trash. What is deleted for good
    /// can't be reached any more at once; its content goes bit by bit, in the background. Returns which bot was
    /// deleted, and how.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there.
    pub async fn delete(
        &self,
        claim: &BotClaim,
        mode: DeleteMode,
    ) -> Result<(BotId, DeleteMode), DomainError> {
        let deleted = (claim.bot_id(), mode);
        let delete = move |unit: &mut BotUnit<'_>| {
            // It can still be given when the bot is gone for good.
            unit.answer_shows(None);
            step(unit, BotState::Active, mode.transition())?;
            unit.answer_with(|_| Ok(deleted))
        };
        if claim.precondition().is_none() {
            self.context.delete_claimed(claim, Lock::Exclusive, delete).await?;
        } else {
            let prepare = |bot| content_tag(&bot);
            let check_and_delete =
                move |unit: &mut BotUnit<'_>, tag: &EntityTag, _: StoredConfigs<'_>| {
                    check_precondition(unit, || Some(*tag))?;
                    delete(unit)
                };
            self.change((Purpose::Delete, false), claim, prepare, check_and_delete).await?;
        }
        Ok(deleted)
    }
}

/// A bot as an update makes it.
#[derive(Clone)]
struct Revision {
    bot: Bot,
    name_before: String,
    changes: Vec<FieldChange>,
    /// Whether the bot may have that configuration.
    size_check: Result<(), Violations>,
    /// The tag of the bot as it is, if there is a precondition to be evaluated by it.
    tag: Option<EntityTag>,
}

impl PreparedChange for Revision {
    fn new_config(&self) -> Option<&BotConfig> {
        let is_changed = !self.changes.is_empty() && self.size_check.is_ok();
        is_changed.then_some(&self.bot.config)
    }

    fn tag(&self) -> Option<EntityTag> {
        self.tag
    }
}

impl Revision {
    fn new(mut bot: Bot, request: &BotConfigPatch, is_conditional: bool) -> Self {
        let tag = is_conditional.then(|| content_tag(&bot));
        let before = bot.config.clone();
        request.apply(&mut bot.config);
        let changes = bot.config.changes_since(&before);
        let size_check = if changes.is_empty() { Ok(()) } else { bot.config.check_size() };
        Self { bot, name_before: before.name, changes, size_check, tag }
    }

    /// Stores what is changed. Returns when the bot was changed last, and its tokens.
    fn write(
        &self,
        unit: &mut BotUnit<'_>,
        configs: StoredConfigs<'_>,
    ) -> Result<(Timestamp, Vec<Token>), DomainError> {
        check_precondition(unit, || self.tag)?;
        let mut updated_at = self.bot.updated_at;
        if !self.changes.is_empty() {
            self.size_check.clone()?;
            updated_at = unit.now();
            let new = configs.new.map(|config| config.take(unit)).transpose()?;
            let config = (&self.bot.config, new);
            unit.tx.update_bot(&unit.scope, &self.name_before, config, updated_at)?;
            release_config(unit, configs.old)?;
            unit.record((Action::Update, BOT), self.bot.id, &self.changes)?;
        }
        let tokens = remembered_tokens(unit).map_or_else(|| look_up_tokens(unit), Ok)?;
        let answered = AnsweredBot { id: self.bot.id, updated_at };
        answer_with(unit, &self.bot.config, answered, || {
            let bot = Bot { updated_at, ..self.bot.clone() };
            BotWithTokens { bot, tokens: tokens.clone() }
        })?;
        Ok((updated_at, tokens))
    }
}

list_methods! {
    BotService {
        items: "Bots", item: BotWithTokens, id: BotId,
        parent: "project", claim: ProjectClaim,
    }
}

/// Says which bot is answered, where the request has a key. One with a large configuration is not stored with the answer.
pub(super) fn answer_with<S>(
    unit: &mut Unit<'_, S>,
    config: &BotConfig,
    answered: AnsweredBot,
    shown: impl FnOnce() -> BotWithTokens,
) -> Result<(), DomainError> {
    if unit.stores_answer() && !takes_at_most(STEP_BYTES, config) {
        unit.answer_with_bot(answered);
        return Ok(());
    }
    unit.answer_with(|_| Ok(shown()))
}

/// A bot that is being made. Its id is taken while the project is locked, so that bots sort in the
/// order in which they came to be.
pub(super) fn new_bot(unit: &ProjectUnit<'_>, kind: BotKind, config: BotConfig) -> Bot {
    let now = unit.now();
    Bot {
        id: unit.next_id(),
        project_id: unit.scope.project_id(),
        kind,
        state: BotState::Active,
        config,
        created_at: now,
        updated_at: now,
    }
}

/// Checks that one more bot fits into the project.
pub(super) fn check_bot_quota(unit: &mut ProjectUnit<'_>) -> Result<(), DomainError> {
    let quota = unit.limits().bots_per_project;
    if quota > 0 && unit.tx.count_bots(&unit.scope)? >= quota {
        return Err(DomainError::QuotaExceeded(Quota::BotsPerProject(quota)));
    }
    Ok(())
}

/// Takes a bot of this state one step further in its life; returns the state that it is in then.
pub(super) fn step(
    unit: &mut BotUnit<'_>,
    before: BotState,
    transition: Transition,
) -> Result<BotState, DomainError> {
    let after = before.after(transition);
    let after = after.map_err(|impossible| DomainError::Refused(impossible.to_string()))?;
    let (bot, now) = (unit.scope.bot_id(), unit.now());
    unit.tx.set_bot_state(&unit.scope, after, now)?;
    if after != BotState::Active {
        for crawl in unit.tx.cancel_crawls(&unit.scope, now)? {
            unit.emit(EventType::CrawlCancelled, crawl, &EventData::NONE)?;
        }
    }
    if after == BotState::Deleted {
        unit.tx.revoke_tokens_of_bot(&unit.scope, now)?;
        unit.emit(EventType::BotDeleted, bot, &EventData::NONE)?;
        let job = TeardownBot::new_job(unit, &bot);
        unit.enqueue(&job.of_project(unit.scope.project_id()))?;
        return Ok(after);
    }
    let flags = [
        ("archived", before.is_archived(), after.is_archived()),
        ("thisIsTrash", before.is_trash(), after.is_trash()),
    ];
    let changed = flags.iter().filter(|(_, from, to)| from != to);
    let changes: Vec<_> =
        changed.map(|(field, from, to)| FieldChange::new(field, from, to)).collect();
    unit.record((transition.action(), BOT), bot, &changes)?;
    Ok(after)
}
