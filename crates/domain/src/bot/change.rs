//! Changes that need the bot itself. A long configuration is read, and what follows from it is computed, in a unit that
//! only reads: it would keep those waiting that wait for the unit that writes.

use std::sync::Arc;

use super::Bot;
use super::original::ReadState;
use super::service::BotService;
use crate::access::BotClaim;
use crate::error::{DomainError, StorageError};
use crate::lock::Lock;
use crate::memory::{HeldBytes, RequestMemory};
use crate::unit::{BotUnit, Purpose};

/// How often a bot is read before the unit that writes, because it was changed meanwhile. Then that unit reads it.
const ATTEMPTS: u32 = 3;

/// What follows from a bot as it was read before the unit that writes.
struct Prepared<P> {
    value: Arc<P>,
    state: ReadState,
    /// The memory that counts as long as this is kept.
    held: Vec<HeldBytes>,
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
        let (prepare, work) = (Arc::new(prepare), Arc::new(work));
        let mut prepared: Option<Arc<Prepared<P>>> = None;
        for attempt in 0..=ATTEMPTS {
            let (of_unit, was_read) = (claim.clone(), prepared.clone());
            let (prepare_it, work) = (prepare.clone(), work.clone());
            let change = move |unit: &mut BotUnit<'_>, bot: Option<Bot>| {
                let value = match (bot, &was_read) {
                    (Some(bot), _) => Arc::new(prepare_it(bot)),
                    (None, Some(read)) if read.state.is_current(unit)? => read.value.clone(),
                    (None, _) if attempt == ATTEMPTS => {
                        Arc::new(prepare_it(of_unit.resolve(unit.tx, Lock::Exclusive)?.0))
                    }
                    (None, _) => {
                        unit.did_nothing();
                        return Ok(None);
                    }
                };
                work(unit, &value).map(|done| Some((value, done)))
            };
            if let Some(done) = self.context.run_on_bot_if_short(purpose, claim, change).await? {
                if let Some(Prepared { held, .. }) = prepared.and_then(Arc::into_inner) {
                    RequestMemory::keep_also(held);
                }
                return Ok(done);
            }
            drop(prepared);
            prepared = self.prepare(claim, prepare.clone()).await?;
        }
        Err(StorageError::Broken("a unit left the change of a bot to the next one".into()).into())
    }

    /// Reads the bot as it is now, all of it in one state. `None` if it is not there: the unit that writes refuses
    /// that, unless the request was carried out before.
    async fn prepare<P: Send + Sync + 'static>(
        &self,
        claim: &BotClaim,
        prepare: Arc<impl Fn(Bot) -> P + Send + Sync + 'static>,
    ) -> Result<Option<Arc<Prepared<P>>>, DomainError> {
        let of_unit = claim.clone();
        let read = self.context.read(Some(claim.project_id()), move |unit| {
            let (state, bot) = ReadState::with_bot(unit, &of_unit)?;
            Ok((state, Arc::new(prepare(bot))))
        });
        match read.await {
            Ok((state, value)) => {
                Ok(Some(Arc::new(Prepared { value, state, held: RequestMemory::take() })))
            }
            Err(DomainError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
