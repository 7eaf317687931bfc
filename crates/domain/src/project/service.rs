//! Creating and listing projects. Only an operator does that.

use std::sync::Arc;

use super::Project;
use crate::access::Operator;
use crate::audit::AuditedResource;
use crate::context::Context;
use crate::error::{DomainError, Resource};
use crate::id::{OrganisationId, ProjectId};
use crate::text;
use crate::violation::Violations;

/// Projects.
#[derive(Clone)]
pub struct ProjectService {
    context: Arc<Context>,
}

impl ProjectService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Creates a project in an organisation.
    ///
    /// # Errors
    /// [`DomainError::Invalid`] for a bad name, [`DomainError::NotFound`] if there is no such
    /// organisation.
    pub async fn create(
        &self,
        operator: Operator,
        organisation: OrganisationId,
        name: &str,
    ) -> Result<Project, DomainError> {
        let mut violations = Violations::none();
        let name = text::name(name, &mut violations);
        violations.into_result(())?;
        let project = Project {
            id: ProjectId::from_uuid(self.context.ids.next()),
            organisation_id: organisation,
            name,
            created_at: self.context.clock.now(),
        };
        self.context
            .write(None, move |unit| {
                let organisation = unit.tx.organisation(operator, project.organisation_id)?;
                organisation.ok_or(DomainError::NotFound(Resource::Organisation))?;
                unit.tx.insert_project(operator, &project)?;
                unit.audit(AuditedResource::Project, project.id)?;
                Ok(project.clone())
            })
            .await
    }

    /// One project.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such project.
    pub async fn get(&self, operator: Operator, id: ProjectId) -> Result<Project, DomainError> {
        let found = self.context.store.read(move |tx| Ok(tx.project(operator, id)?)).await?;
        found.ok_or(DomainError::NotFound(Resource::Project))
    }

    /// All projects, or those of one organisation, oldest first.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such organisation.
    pub async fn list(
        &self,
        operator: Operator,
        organisation: Option<OrganisationId>,
    ) -> Result<Vec<Project>, DomainError> {
        self.context
            .store
            .read(move |tx| {
                if let Some(id) = organisation {
                    let found = tx.organisation(operator, id)?;
                    found.ok_or(DomainError::NotFound(Resource::Organisation))?;
                }
                Ok(tx.projects(operator, organisation)?)
            })
            .await
    }
}
