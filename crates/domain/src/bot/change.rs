//! Changes that need the bot itself. A long configuration is read, and what follows from it is computed, in a unit that
//! only reads: it would keep those waiting that wait for the unit that writes.

use std::sync::Arc;

use super::service::BotService;
use super::{Bot, BotIfShort, LongBot};
use crate::access::BotClaim;
use crate::error::DomainError;
use crate::lock::Lock;
use crate::memory::{HeldBytes, RequestMemory};
use crate::unit::{BotUnit, Purpose};

/// How often a bot is read before the unit that writes, because it was changed meanwhile. Then that unit reads it.
const READS: u32 = 3;

/// What follows from a bot as it was read before the unit that writes.
struct Prepared<P> {
    value: Arc<P>,
    bot: LongBot,
    /// The memory that counts as long as this is kept.
    held: Vec<HeldBytes>,
}

/// What a unit of work does with what follows from the bot.
type Work<P, T> = dyn Fn(&mut BotUnit<'_>, &P) -> Result<T, DomainError> + Send + Sync;

/// How a change is made.
struct Change<P, T> {
    purpose: Purpose,
    claim: BotClaim,
    prepare: Box<dyn Fn(Bot) -> P + Send + Sync>,
    work: Box<Work<P, T>>,
}

impl BotService {
    /// Changes a bot, which is held exclusively, by what `prepare` makes of it. Returns that and what `work` returns,
    /// which has to say what is answered (see `Unit::answer_with`).
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there; what the work fails with.
    pub(super) async fn change<P, T>(
        &self,
        purpose: Purpose,
        claim: &BotClaim,
        prepare: impl Fn(Bot) -> P + Send + Sync + 'static,
        work: impl Fn(&mut BotUnit<'_>, &P) -> Result<T, DomainError> + Send + Sync + 'static,
    ) -> Result<(Arc<P>, T), DomainError>
    where
        P: Send + Sync + 'static,
        T: Send + 'static,
    {
        let (prepare, work) = (Box::new(prepare), Box::new(work));
        let change = Arc::new(Change { purpose, claim: claim.clone(), prepare, work });
        let mut prepared = None;
        for _ in 0..READS {
            if let Some(done) = self.write_prepared(&change, prepared).await? {
                return Ok(done);
            }
            prepared = self.prepare(&change).await?;
        }
        match self.write_prepared(&change, prepared).await? {
            Some(done) => Ok(done),
            // What was read before is not in memory any more: this might find no room beside it.
            None => self.write(change).await,
        }
    }

    /// Changes the bot if it is as it was prepared for, or its configuration is short. `None` if it has to be read
    /// first.
    async fn write_prepared<P, T>(
        &self,
        change: &Arc<Change<P, T>>,
        prepared: Option<Prepared<P>>,
    ) -> Result<Option<(Arc<P>, T)>, DomainError>
    where
        P: Send + Sync + 'static,
        T: Send + 'static,
    {
        let (of_unit, read) = (change.clone(), prepared.as_ref().map(Prepared::without_memory));
        let write = move |unit: &mut BotUnit<'_>, found: BotIfShort| {
            let value = match (found, &read) {
                (BotIfShort::Short(bot), _) => Arc::new((of_unit.prepare)(*bot)),
                (BotIfShort::Long(bot), Some((value, read))) if bot == *read => value.clone(),
                (BotIfShort::Long(_), _) => {
                    unit.did_nothing();
                    return Ok(None);
                }
            };
            (of_unit.work)(unit, &value).map(|done| Some((value, done)))
        };
        let done = self.context.run_on_bot_if_short(change.purpose, &change.claim, write).await?;
        if let (Some((value, _)), Some(prepared)) = (&done, prepared)
            && Arc::ptr_eq(value, &prepared.value)
        {
            RequestMemory::keep_also(prepared.held);
        }
        Ok(done)
    }

    /// Changes the bot in a unit that reads it.
    async fn write<P, T>(&self, change: Arc<Change<P, T>>) -> Result<(Arc<P>, T), DomainError>
    where
        P: Send + Sync + 'static,
        T: Send + 'static,
    {
        let of_unit = change.clone();
        let write = move |unit: &mut BotUnit<'_>, found: BotIfShort| {
            let bot = match found {
                BotIfShort::Short(bot) => *bot,
                BotIfShort::Long(_) => of_unit.claim.resolve(unit.tx, Lock::Exclusive)?.0,
            };
            let value = Arc::new((of_unit.prepare)(bot));
            (of_unit.work)(unit, &value).map(|done| (value, done))
        };
        self.context.run_on_bot_if_short(change.purpose, &change.claim, write).await
    }

    /// Reads a bot with a long configuration as it is now. `None` if it is not there, or has a short one by now: the
    /// unit that writes decides what becomes of that.
    async fn prepare<P, T>(
        &self,
        change: &Arc<Change<P, T>>,
    ) -> Result<Option<Prepared<P>>, DomainError>
    where
        P: Send + Sync + 'static,
        T: Send + 'static,
    {
        let (project, change) = (change.claim.project_id(), change.clone());
        let read = self.context.read(Some(project), move |unit| {
            let (found, _) = change.claim.resolve_if_short(unit.tx, Lock::None)?;
            let BotIfShort::Long(long) = found else { return Ok(None) };
            let (bot, _) = change.claim.resolve(unit.tx, Lock::None)?;
            Ok(Some((Arc::new((change.prepare)(bot)), long)))
        });
        match read.await {
            Ok(Some((value, bot))) => {
                Ok(Some(Prepared { value, bot, held: RequestMemory::take() }))
            }
            Ok(None) | Err(DomainError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl<P> Prepared<P> {
    fn without_memory(&self) -> (Arc<P>, LongBot) {
        (self.value.clone(), self.bot)
    }
}
