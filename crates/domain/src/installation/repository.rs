//! The repository of the installation.

use super::Installation;
use crate::access::Operator;
use crate::error::StorageError;

/// The installation in the database.
pub trait InstallationRepository {
    /// The installation, once a server has begun to serve it.
    fn installation(&mut self, operator: Operator) -> Result<Option<Installation>, StorageError>;

    /// Stores the installation, unless there is one.
    fn insert_installation_once(
        &mut self,
        operator: Operator,
        installation: &Installation,
    ) -> Result<(), StorageError>;

    /// Replaces the installation, which must be there.
    fn update_installation(
        &mut self,
        operator: Operator,
        installation: &Installation,
    ) -> Result<(), StorageError>;
}
