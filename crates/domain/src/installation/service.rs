//! Which installation the database belongs to.

use std::sync::Arc;

use super::Installation;
use crate::access::Operator;
use crate::context::Context;
use crate::error::{DomainError, StorageError};

/// The installation.
#[derive(Clone)]
pub struct InstallationService {
    context: Arc<Context>,
}

impl InstallationService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The installation that the database belongs to; a database that belongs to none begins a new one.
    pub async fn get_or_create(&self, operator: Operator) -> Result<Installation, DomainError> {
        let found =
            self.context.read(None, move |unit| Ok(unit.tx.installation(operator)?)).await?;
        if let Some(installation) = found {
            return Ok(installation);
        }
        self.context
            .write(None, move |unit| {
                let begun = Installation { id: unit.next_id(), marked_at: None };
                unit.tx.insert_installation_once(operator, &begun)?;
                // Another node may have been first.
                let stored = unit.tx.installation(operator)?;
                Ok(stored.ok_or_else(|| StorageError::Broken("no installation".to_owned()))?)
            })
            .await
    }

    /// Notes that the blob store has its mark.
    pub async fn set_marked(
        &self,
        operator: Operator,
        installation: Installation,
    ) -> Result<(), DomainError> {
        self.context
            .write(None, move |unit| {
                let marked = Installation { marked_at: Some(unit.now()), ..installation };
                Ok(unit.tx.update_installation(operator, &marked)?)
            })
            .await
    }

    /// Makes a new installation of a copied database, whose blob store gets its mark at once.
    pub async fn recreate(&self, operator: Operator) -> Result<Installation, DomainError> {
        self.context
            .write(None, move |unit| {
                let begun = Installation { id: unit.next_id(), marked_at: Some(unit.now()) };
                unit.tx.insert_installation_once(operator, &begun)?;
                unit.tx.update_installation(operator, &begun)?;
                Ok(begun)
            })
            .await
    }
}
