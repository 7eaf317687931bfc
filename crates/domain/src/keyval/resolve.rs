//! Looking up whose entries they are.

use std::sync::Arc;

use super::{KeyvalClaim, KeyvalScope};
use crate::context::Context;
use crate::error::DomainError;
use crate::lock::Lock;
use crate::store::Repositories;
use crate::unit::{BotUnit, ProjectUnit, Unit};

impl KeyvalClaim {
    /// Looks the owner up. It is not held, so that writes of many users do not wait for each other:
    /// an entry has nothing in common with its owner but that it is there, and the database's own
    /// references hold that.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not there.
    pub fn resolve(&self, tx: &mut dyn Repositories) -> Result<KeyvalScope, DomainError> {
        match self {
            Self::Bot(claim) => Ok((&claim.scope(tx, Lock::None)?).into()),
            Self::Project(claim) => Ok((&claim.resolve(tx, Lock::None)?.1).into()),
        }
    }
}

/// A unit of work on the entries of an owner that was looked up.
pub(crate) type KeyvalUnit<'a> = Unit<'a, KeyvalScope>;

impl Context {
    /// Removes entries, as [`Self::remove`], in a unit that begins by looking their owner up.
    pub(crate) async fn remove_entries<T, F>(
        self: &Arc<Self>,
        claim: &KeyvalClaim,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut KeyvalUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        let claim = claim.clone();
        self.remove(Some(claim.project_id()), move |unit| {
            let scope = claim.resolve(unit.tx)?;
            work(&mut unit.with_scope(scope))
        })
        .await
    }

    /// Looks up entries by key, in a unit that begins by looking their owner up; see [`Self::look_up_bot`].
    pub(crate) async fn look_up_entries<T, F>(
        self: &Arc<Self>,
        claim: &KeyvalClaim,
        work: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut KeyvalUnit<'_>) -> Result<T, DomainError> + Send + 'static,
    {
        match claim {
            KeyvalClaim::Bot(claim) => {
                let work = move |unit: &mut BotUnit<'_>| {
                    let scope = KeyvalScope::from(&unit.scope);
                    work(&mut unit.with_scope(scope))
                };
                self.look_up_bot(claim, work).await
            }
            KeyvalClaim::Project(claim) => {
                let work = move |unit: &mut ProjectUnit<'_>| {
                    let scope = KeyvalScope::from(&unit.scope);
                    work(&mut unit.with_scope(scope))
                };
                self.look_up_project(claim, work).await
            }
        }
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
