//! Looking up whose entries they are.

use std::sync::Arc;

use super::{KeyvalClaim, KeyvalScope};
use crate::access::{ResolvableClaim, ScopeKey};
use crate::context::Context;
use crate::error::DomainError;
use crate::lock::Lock;
use crate::store::Repositories;
use crate::unit::Unit;

impl KeyvalClaim {
    /// Looks the owner up. It is not locked, so that writes of many users do not wait for each other: an entry only
    /// needs its owner to exist, which a foreign key enforces.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not there.
    pub(crate) fn resolve(&self, tx: &mut dyn Repositories) -> Result<KeyvalScope, DomainError> {
        match self {
            Self::Bot(claim) => Ok((&claim.scope(tx, Lock::None)?).into()),
            Self::Project(claim) => Ok((&claim.resolve(tx, Lock::None)?.1).into()),
        }
    }
}

impl ResolvableClaim for KeyvalClaim {
    type Scope = KeyvalScope;

    fn key(&self) -> ScopeKey {
        match self {
            Self::Bot(claim) => claim.key(),
            Self::Project(claim) => claim.key(),
        }
    }

    fn look_up(&self, tx: &mut dyn Repositories) -> Result<KeyvalScope, DomainError> {
        self.resolve(tx)
    }

    fn granted(&self) -> KeyvalScope {
        match self {
            Self::Bot(claim) => (&ResolvableClaim::granted(claim)).into(),
            Self::Project(claim) => (&ResolvableClaim::granted(claim)).into(),
        }
    }
}

/// A unit of work on the entries of an owner that was looked up.
pub(crate) type KeyvalUnit<'a> = Unit<'a, KeyvalScope>;

impl Context {
    /// Deletes entries, as [`Self::delete`], in a unit that begins by looking their owner up.
    pub(crate) async fn delete_entries<T, F>(
        self: &Arc<Self>,
        claim: &KeyvalClaim,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut KeyvalUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        let claim = claim.clone();
        self.delete(Some(claim.project_id()), move |unit| {
            unit.once(claim.idempotent(), claim.bot_id(), |unit| {
                let scope = claim.resolve(unit.tx)?;
                unit.with_precondition(claim.precondition(), scope, &work)
            })
        })
        .await
    }

    /// Reads entries, in a unit that begins by looking their owner up.
    pub(crate) async fn read_entries<T, F>(
        self: &Arc<Self>,
        claim: &KeyvalClaim,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut KeyvalUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        let claim = claim.clone();
        self.read(Some(claim.project_id()), move |unit| {
            let scope = claim.resolve(unit.tx)?;
            work(&mut unit.with_scope(scope))
        })
        .await
    }
}
