//! Changes that need the bot itself. A large configuration is read, and what follows from it is computed, in a unit that
//! only reads: it would keep those waiting that wait for the unit that writes.

use std::sync::Arc;

use super::pending_config::{PendingConfig, PendingConfigGuard, store_pending};
use super::prepared_change::PreparedChange;
use super::service::BotService;
use super::tokens::tag_with_tokens;
use super::{Bot, BotUnlessLarge};
use crate::access::{BotClaim, Conditional as _};
use crate::error::DomainError;
use crate::id::ConfigId;
use crate::lock::Lock;
use crate::memory::{RequestMemory, ReservedBytes};
use crate::unit::{BotUnit, Purpose};

/// How often a bot is read before the unit that writes, because it was changed meanwhile. Then that unit reads it.
const READS: u32 = 3;

/// A change that was computed from a bot as it was read before the unit that writes.
struct Prepared<P> {
    value: Arc<P>,
    /// The bot, as far as is needed to tell whether it is still the same.
    bot: Arc<BotUnlessLarge>,
    /// The new configuration, if it is so large that it is stored before.
    pending: Option<PendingConfigGuard>,
    /// The reservations of memory for it.
    reserved: Vec<ReservedBytes>,
}

/// The stored configurations that a unit of work deals with.
#[derive(Clone, Copy)]
pub(super) struct StoredConfigs<'a> {
    /// The one that the bot has, if it is long.
    pub old: Option<ConfigId>,
    /// The one that it is to have, if that is stored already.
    pub new: Option<&'a PendingConfig>,
}

/// What a unit of work does with what follows from the bot.
type Work<P, T> =
    dyn Fn(&mut BotUnit<'_>, &P, StoredConfigs<'_>) -> Result<T, DomainError> + Send + Sync;

/// How a change is made.
struct Change<P, T> {
    purpose: Purpose,
    claim: BotClaim,
    /// Whether it makes the configuration of any bot so large that it is stored before.
    is_stored_first: bool,
    prepare: Box<dyn Fn(Bot) -> P + Send + Sync>,
    work: Box<Work<P, T>>,
}

impl BotService {
    /// Changes a bot: `prepare` computes the change from the bot, and `work` makes it in a unit that has locked the bot
    /// exclusively. Returns what both return; `work` also sets the answer (see `Unit::answer_with`). If the new
    /// configuration has more than 1 MiB, it is stored in units before that one, which only links it to the bot.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there; what the work fails with.
    pub(super) async fn change<P, T>(
        &self,
        (purpose, is_stored_first): (Purpose, bool),
        claim: &BotClaim,
        prepare: impl Fn(Bot) -> P + Send + Sync + 'static,
        work: impl Fn(&mut BotUnit<'_>, &P, StoredConfigs<'_>) -> Result<T, DomainError>
        + Send
        + Sync
        + 'static,
    ) -> Result<(Arc<P>, T), DomainError>
    where
        P: PreparedChange,
        T: Send + 'static,
    {
        let (prepare, work) = (Box::new(prepare), Box::new(work));
        let change =
            Arc::new(Change { purpose, claim: claim.clone(), is_stored_first, prepare, work });
        if let Some(done) = self.write_prepared(&change, None).await? {
            return Ok(done);
        }
        // One after the other: all but the first of several would read and store a configuration that is not used.
        let mutex = self.context.bot_changes.of(claim.bot_id());
        let _guard = mutex.lock().await;
        for _ in 0..READS {
            let prepared = self.prepare(&change).await?;
            if let Some(done) = self.write_prepared(&change, prepared).await? {
                return Ok(done);
            }
        }
        // What was read before is released by now; with it, not enough memory might be free for this unit.
        self.write(change).await
    }

    /// Changes the bot if it is as it was prepared for, or its configuration is short and stays so. `None` if it has to
    /// be read first.
    async fn write_prepared<P, T>(
        &self,
        change: &Arc<Change<P, T>>,
        prepared: Option<Prepared<P>>,
    ) -> Result<Option<(Arc<P>, T)>, DomainError>
    where
        P: PreparedChange,
        T: Send + 'static,
    {
        let (of_unit, read) = (change.clone(), prepared.as_ref().map(Prepared::without_memory));
        let write = move |unit: &mut BotUnit<'_>, found: BotUnlessLarge| {
            let old = found.large_config();
            let (value, new) = match (&read, found) {
                (Some((value, bot, new)), found) if **bot == found => {
                    (value.clone(), new.as_deref())
                }
                (_, BotUnlessLarge::Small(bot)) if !of_unit.is_stored_first => {
                    (Arc::new((of_unit.prepare)(*bot)), None)
                }
                _ => {
                    unit.did_nothing();
                    return Ok(None);
                }
            };
            let configs = StoredConfigs { old, new };
            (of_unit.work)(unit, &value, configs).map(|done| Some((value, done)))
        };
        let done =
            self.context.run_on_bot_unless_large(change.purpose, &change.claim, write).await?;
        if let (Some((value, _)), Some(prepared)) = (&done, prepared)
            && Arc::ptr_eq(value, &prepared.value)
        {
            RequestMemory::keep_also(prepared.reserved);
            prepared.pending.into_iter().for_each(PendingConfigGuard::finish);
        }
        Ok(done)
    }

    /// Changes the bot in a unit that reads it.
    async fn write<P, T>(&self, change: Arc<Change<P, T>>) -> Result<(Arc<P>, T), DomainError>
    where
        P: PreparedChange,
        T: Send + 'static,
    {
        let of_unit = change.clone();
        let write = move |unit: &mut BotUnit<'_>, found: BotUnlessLarge| {
            let configs = StoredConfigs { old: found.large_config(), new: None };
            let bot = match found {
                BotUnlessLarge::Small(bot) => *bot,
                BotUnlessLarge::Large(_) => of_unit.claim.resolve(unit.tx, Lock::Exclusive)?.0,
            };
            let value = Arc::new((of_unit.prepare)(bot));
            (of_unit.work)(unit, &value, configs).map(|done| (value, done))
        };
        self.context.run_on_bot_unless_large(change.purpose, &change.claim, write).await
    }

    /// Reads a bot whose configuration is long, or is to be, as it is now. `None` if it is not there, or has a short one
    /// by now: the unit that writes decides what becomes of that.
    async fn prepare<P, T>(
        &self,
        change: &Arc<Change<P, T>>,
    ) -> Result<Option<Prepared<P>>, DomainError>
    where
        P: PreparedChange,
        T: Send + 'static,
    {
        let (project, of_unit) = (change.claim.project_id(), change.clone());
        let read = self.context.read(Some(project), move |unit| {
            let (found, scope) = of_unit.claim.resolve_unless_large(unit.tx, Lock::None)?;
            let bot = match &found {
                BotUnlessLarge::Small(bot) if of_unit.is_stored_first => (**bot).clone(),
                BotUnlessLarge::Small(_) => return Ok(None),
                BotUnlessLarge::Large(_) => of_unit.claim.resolve(unit.tx, Lock::None)?.0,
            };
            let value = (of_unit.prepare)(bot);
            if value.new_config().is_some()
                && let Some(precondition) = of_unit.claim.precondition()
            {
                // Evaluated again by the unit that writes; nothing is stored for a change that will be refused.
                let tokens = unit.tx.valid_tokens_of_bot(&scope, unit.now())?;
                precondition.evaluate(value.tag().map(|tag| tag_with_tokens(tag, &tokens)))?;
            }
            Ok(Some((Arc::new(value), Arc::new(found), scope.project_claim())))
        });
        let (value, bot, project) = match read.await {
            Ok(Some(read)) => read,
            Ok(None) | Err(DomainError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let reserved = RequestMemory::take();
        let pending = store_pending(&self.context, &project, &value).await?;
        Ok(Some(Prepared { value, bot, pending, reserved }))
    }
}

impl<P> Prepared<P> {
    fn without_memory(&self) -> (Arc<P>, Arc<BotUnlessLarge>, Option<Arc<PendingConfig>>) {
        let config = self.pending.as_ref().map(|pending| pending.config.clone());
        (self.value.clone(), self.bot.clone(), config)
    }
}
