//! Projects: what bots, documents and project tokens belong to.

mod service;

pub use service::ProjectService;

use crate::access::{Operator, ProjectClaim};
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::{OrganisationId, ProjectId};
use crate::store::Lock;

/// A project. Its organisation never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its identifier.
    pub id: ProjectId,
    /// The organisation that owns it.
    pub organisation_id: OrganisationId,
    /// What people call it: 1 to 200 characters.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// Projects in the database.
pub trait ProjectRepository {
    /// The project that a token claims, held as `lock` says.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn claimed_project(
        &mut self,
        claim: &ProjectClaim,
        lock: Lock,
    ) -> Result<Option<Project>, StorageError>;

    /// Stores a new project.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails; also if the organisation is not there.
    fn insert_project(&mut self, operator: Operator, project: &Project)
    -> Result<(), StorageError>;

    /// One project.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn project(
        &mut self,
        operator: Operator,
        id: ProjectId,
    ) -> Result<Option<Project>, StorageError>;

    /// All projects, or those of one organisation, oldest first.
    ///
    /// # Errors
    /// [`StorageError`] if the database fails.
    fn projects(
        &mut self,
        operator: Operator,
        organisation: Option<OrganisationId>,
    ) -> Result<Vec<Project>, StorageError>;
}
