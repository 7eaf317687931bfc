//! Running units of work: what each may do, and what it begins by looking up.

use std::sync::Arc;

use crate::access::{BotClaim, Conditional as _, ResolvableClaim};
use crate::bot::BotUnlessLarge;
use crate::context::Context;
use crate::error::{DomainError, StorageError};
use crate::id::ProjectId;
use crate::idempotency::IdempotentRequest;
use crate::lock::{Lock, Mode};
use crate::precondition::Precondition;
use crate::store::{Outcome, Repositories, downcast};
use crate::unit::effects::{Effects, RunState};
use crate::unit::{BotUnit, Unit};

/// Why nothing is added while less of the disk is free than its reserve.
const NO_FREE_SPACE: &str = "the remaining disk space is reserved for deletes";

/// What a unit of work is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    LookUp,
    Read,
    /// It may add something. For a tenant it is not run while less of the disk is free than its reserve.
    Write,
    /// It deletes more than it adds, and is run as long as the store can do it.
    Delete,
}

impl Purpose {
    const fn mode(self) -> Mode {
        match self {
            Self::LookUp => Mode::LookUp,
            Self::Read => Mode::Read,
            Self::Write | Self::Delete => Mode::Write,
        }
    }

    /// The idempotent request of a claim, as far as the unit changes anything.
    fn idempotent(
        self,
        of_claim: Option<&Arc<IdempotentRequest>>,
    ) -> Option<Arc<IdempotentRequest>> {
        of_claim.filter(|_| self.mode() == Mode::Write).cloned()
    }

    /// The precondition of a claim, as far as the unit changes anything.
    fn precondition(self, of_claim: Option<&Arc<Precondition>>) -> Option<Arc<Precondition>> {
        of_claim.filter(|_| self.mode() == Mode::Write).cloned()
    }
}

impl Context {
    /// Checks that tenants may add something.
    pub(crate) fn check_free_space(&self) -> Result<(), StorageError> {
        if self.store.has_free_space() {
            Ok(())
        } else {
            Err(StorageError::Full(NO_FREE_SPACE.to_owned()))
        }
    }

    /// Runs a unit of work that changes something, on behalf of `tenant`; see
    /// [`crate::store::Store::run`]. One that only deletes is for [`Self::delete`].
    pub(crate) async fn write<T, F>(
        self: &Arc<Self>,
        tenant: Option<ProjectId>,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run(Purpose::Write, tenant, work).await
    }

    /// Runs a unit of work that deletes something, on behalf of `tenant`, also while less of the
    /// disk is free than its reserve.
    pub(crate) async fn delete<T, F>(
        self: &Arc<Self>,
        tenant: Option<ProjectId>,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run(Purpose::Delete, tenant, work).await
    }

    /// Runs a unit of work that only reads, all of it from one state of the database.
    pub(crate) async fn read<T, F>(
        self: &Arc<Self>,
        tenant: Option<ProjectId>,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run(Purpose::Read, tenant, work).await
    }

    /// Runs a unit of a few look-ups by key; see [`Mode::LookUp`].
    pub(crate) async fn look_up<T, F>(
        self: &Arc<Self>,
        tenant: Option<ProjectId>,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run(Purpose::LookUp, tenant, work).await
    }

    /// Changes what a bot or a project has, in a unit that begins by looking it up with this lock.
    pub(crate) async fn write_claimed<C, T, F>(
        self: &Arc<Self>,
        claim: &C,
        lock: Lock,
        work: F,
    ) -> Result<T, DomainError>
    where
        C: ResolvableClaim,
        T: Send + 'static,
        F: Fn(&mut Unit<'_, C::Scope>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_claimed(Purpose::Write, claim, lock, work).await
    }

    /// Deletes something that a bot or a project has, as [`Self::delete`], in a unit that begins by looking it up with
    /// this lock.
    pub(crate) async fn delete_claimed<C, T, F>(
        self: &Arc<Self>,
        claim: &C,
        lock: Lock,
        work: F,
    ) -> Result<T, DomainError>
    where
        C: ResolvableClaim,
        T: Send + 'static,
        F: Fn(&mut Unit<'_, C::Scope>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_claimed(Purpose::Delete, claim, lock, work).await
    }

    /// Reads of a bot or a project in a unit that begins by looking it up.
    pub(crate) async fn read_claimed<C, T, F>(
        self: &Arc<Self>,
        claim: &C,
        work: F,
    ) -> Result<T, DomainError>
    where
        C: ResolvableClaim,
        T: Send + 'static,
        F: Fn(&mut Unit<'_, C::Scope>) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_claimed(Purpose::Read, claim, Lock::None, work).await
    }

    async fn run_claimed<C, T, F>(
        self: &Arc<Self>,
        purpose: Purpose,
        claim: &C,
        lock: Lock,
        work: F,
    ) -> Result<T, DomainError>
    where
        C: ResolvableClaim,
        T: Send + 'static,
        F: Fn(&mut Unit<'_, C::Scope>) -> Result<T, DomainError> + Send + 'static,
    {
        let (claim, precondition) = (claim.clone(), purpose.precondition(claim.precondition()));
        let request = purpose.idempotent(claim.idempotent());
        self.run(purpose, Some(claim.project_id()), move |unit| {
            unit.once(request.as_ref(), claim.bot_id(), |unit| {
                let scope = claim.look_up(unit.tx, lock)?;
                unit.with_precondition(precondition.as_ref(), scope, &work)
            })
        })
        .await
    }

    /// Changes a bot, which is locked exclusively, in a unit that gets the bot itself unless its configuration is long.
    pub(crate) async fn run_on_bot_unless_large<T, F>(
        self: &Arc<Self>,
        purpose: Purpose,
        claim: &BotClaim,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut BotUnit<'_>, BotUnlessLarge) -> Result<T, DomainError> + Send + 'static,
    {
        let (claim, precondition) = (claim.clone(), purpose.precondition(claim.precondition()));
        let request = purpose.idempotent(claim.idempotent());
        self.run(purpose, Some(claim.project_id()), move |unit| {
            unit.once(request.as_ref(), Some(claim.bot_id()), |unit| {
                let (bot, scope) = claim.resolve_unless_large(unit.tx, Lock::Exclusive)?;
                unit.with_precondition(precondition.as_ref(), scope, |unit| work(unit, bot))
            })
        })
        .await
    }

    /// Runs a unit of work, and after the commit what it leaves to be done.
    async fn run<T, F>(
        self: &Arc<Self>,
        purpose: Purpose,
        tenant: Option<ProjectId>,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut Unit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        // What the service writes for itself is little, and needed for removals as well.
        if purpose == Purpose::Write && tenant.is_some() {
            self.check_free_space()?;
        }
        let effects = Effects::new(self.clone());
        let of_unit = effects.clone();
        let context = self.clone();
        let unit = move |tx: &mut dyn Repositories| {
            let mut state = RunState::default();
            let of_run = &mut state;
            let done = work(&mut Unit { tx, scope: (), context: &context, state: of_run })?;
            of_unit.set(state);
            Ok(Box::new(done) as Outcome)
        };
        let done = downcast(self.store.run(purpose.mode(), tenant, Box::new(unit)).await?)?;
        effects.run();
        Ok(done)
    }
}
