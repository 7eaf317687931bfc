//! Creating and listing organisations. Only an operator does that.

use std::sync::Arc;

use super::Organisation;
use crate::access::Operator;
use crate::audit::AuditedResource;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::OrganisationId;
use crate::text;
use crate::violation::Violations;

/// Organisations.
#[derive(Clone)]
pub struct OrganisationService {
    context: Arc<Context>,
}

impl OrganisationService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Creates an organisation.
    ///
    /// # Errors
    /// [`DomainError::Invalid`] for a bad name.
    pub async fn create(
        &self,
        operator: Operator,
        name: &str,
    ) -> Result<Organisation, DomainError> {
        let mut violations = Violations::none();
        let name = text::name(name, &mut violations);
        violations.into_result(())?;
        let organisation = Organisation {
            id: OrganisationId::from_uuid(self.context.ids.next()),
            name,
            created_at: self.context.clock.now(),
        };
        self.context
            .write(None, move |unit| {
                unit.tx.insert_organisation(operator, &organisation)?;
                unit.audit(AuditedResource::Organisation, organisation.id)?;
                Ok(organisation.clone())
            })
            .await
    }

    /// All organisations, oldest first.
    pub async fn list(&self, operator: Operator) -> Result<Vec<Organisation>, DomainError> {
        self.context.store.read(move |tx| Ok(tx.organisations(operator)?)).await
    }
}
