//! The repository of projects.

use super::Project;
use crate::access::{Operator, ProjectClaim};
use crate::error::StorageError;
use crate::id::{OrganisationId, ProjectId};
use crate::lock::Lock;

/// Projects in the database.
pub trait ProjectRepository {
    /// The project that a token claims, locked as `lock` says.
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
    fn project(
        &mut self,
        operator: Operator,
        id: ProjectId,
    ) -> Result<Option<Project>, StorageError>;

    /// The project after this one in the order of identifiers, or the first one.
    fn project_after(
        &mut self,
        operator: Operator,
        id: Option<ProjectId>,
    ) -> Result<Option<ProjectId>, StorageError>;

    /// All projects, or those of one organisation, oldest first.
    fn projects(
        &mut self,
        operator: Operator,
        organisation: Option<OrganisationId>,
    ) -> Result<Vec<Project>, StorageError>;
}
