//! Rights and units of work without a service, for tests of stores: what is changed so is in no changelog and no event,
//! and counts against no quota.

use std::future::Future;

use crate::access::{
    BotClaim, BotScope, OwnerClaim, ProjectClaim, ProjectScope, ResolvableClaim as _,
};
use crate::bot::Bot;
use crate::error::DomainError;
use crate::keyval::KeyvalScope;
use crate::lock::{Lock, Mode};
use crate::project::Project;
use crate::store::{Repositories, Store};

/// Looks up what is claimed.
pub trait ResolveClaim {
    /// What is found: the right to it, and itself.
    type Found;

    /// Looks it up, and locks it as `lock` says.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not there.
    fn resolve(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<Self::Found, DomainError>;
}

impl ResolveClaim for BotClaim {
    type Found = (Bot, BotScope);

    fn resolve(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<Self::Found, DomainError> {
        self.resolve(tx, lock)
    }
}

impl ResolveClaim for ProjectClaim {
    type Found = (Project, ProjectScope);

    fn resolve(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<Self::Found, DomainError> {
        self.resolve(tx, lock)
    }
}

impl ResolveClaim for OwnerClaim {
    type Found = KeyvalScope;

    fn resolve(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<KeyvalScope, DomainError> {
        self.look_up(tx, lock).map(|scope| (&scope).into())
    }
}

/// Runs units of work that belong to no tenant.
pub trait RunUnits {
    /// Runs a unit.
    ///
    /// # Errors
    /// As [`Store::run`].
    fn run_unit<T, F>(
        &self,
        mode: Mode,
        unit: F,
    ) -> impl Future<Output = Result<T, DomainError>> + Send
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static;

    /// Runs a reading unit.
    ///
    /// # Errors
    /// As [`Store::run`].
    fn read<T, F>(&self, unit: F) -> impl Future<Output = Result<T, DomainError>> + Send
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_unit(Mode::Read, unit)
    }

    /// Runs a unit of a few look-ups by key.
    ///
    /// # Errors
    /// As [`Store::run`].
    fn look_up<T, F>(&self, unit: F) -> impl Future<Output = Result<T, DomainError>> + Send
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_unit(Mode::LookUp, unit)
    }

    /// Runs a writing unit.
    ///
    /// # Errors
    /// As [`Store::run`].
    fn write<T, F>(&self, unit: F) -> impl Future<Output = Result<T, DomainError>> + Send
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    {
        self.run_unit(Mode::Write, unit)
    }
}

impl RunUnits for dyn Store {
    async fn run_unit<T, F>(&self, mode: Mode, unit: F) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    {
        self.typed(mode, unit).await
    }
}
