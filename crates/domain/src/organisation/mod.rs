//! Organisations: the owners of projects.

mod service;

pub use service::OrganisationService;

use crate::access::Operator;
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::OrganisationId;

/// An organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organisation {
    /// Its identifier.
    pub id: OrganisationId,
    /// What people call it: 1 to 200 characters.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// Organisations in the database.
pub trait OrganisationRepository {
    /// Stores a new organisation.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn insert_organisation(
        &mut self,
        operator: Operator,
        organisation: &Organisation,
    ) -> Result<(), StorageError>;

    /// One organisation.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn organisation(
        &mut self,
        operator: Operator,
        id: OrganisationId,
    ) -> Result<Option<Organisation>, StorageError>;

    /// All organisations, oldest first.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn organisations(&mut self, operator: Operator) -> Result<Vec<Organisation>, StorageError>;
}
