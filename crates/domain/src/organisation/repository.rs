//! The repository of organisations.

use super::Organisation;
use crate::access::Operator;
use crate::error::StorageError;
use crate::id::OrganisationId;

/// Organisations in the database.
pub trait OrganisationRepository {
    /// Stores a new organisation.
    fn insert_organisation(
        &mut self,
        operator: Operator,
        organisation: &Organisation,
    ) -> Result<(), StorageError>;

    /// One organisation.
    fn organisation(
        &mut self,
        operator: Operator,
        id: OrganisationId,
    ) -> Result<Option<Organisation>, StorageError>;

    /// All organisations, oldest first.
    fn organisations(&mut self, operator: Operator) -> Result<Vec<Organisation>, StorageError>;
}
