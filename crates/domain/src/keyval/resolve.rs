//! Looking up whose entries they are.

use super::{KeyvalClaim, KeyvalScope};
use crate::error::DomainError;
use crate::lock::Lock;
use crate::store::Repositories;

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
