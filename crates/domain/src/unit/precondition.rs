//! Preconditions of the changes that units of work make.

use std::sync::Arc;

use crate::entity_tag::{EntityTag, Tagged};
use crate::error::DomainError;
use crate::precondition::Precondition;
use crate::unit::Unit;

impl Unit<'_> {
    /// Does work with the right that a claim was given, under the precondition of that claim. Work that does not
    /// evaluate the precondition is refused, so that none is ever passed over.
    pub(crate) fn with_precondition<S, T>(
        &mut self,
        precondition: Option<&Arc<Precondition>>,
        scope: S,
        work: impl FnOnce(&mut Unit<'_, S>) -> Result<T, DomainError>,
    ) -> Result<T, DomainError> {
        self.state.precondition = precondition.cloned();
        let done = work(&mut self.with_scope(scope))?;
        match self.state.precondition.take() {
            Some(_) => Err(DomainError::PreconditionNotSupported),
            None => Ok(done),
        }
    }
}

impl<S> Unit<'_, S> {
    /// Evaluates the precondition of the change, if it has one, by what was found to be there. What is found must be
    /// locked by now, so that no other unit changes it.
    ///
    /// # Errors
    /// [`DomainError::PreconditionFailed`] if it does not hold.
    pub(crate) fn check_precondition(&mut self, found: &impl Tagged) -> Result<(), DomainError> {
        self.check_precondition_with(|_| Ok(Some(found.entity_tag())))
    }

    /// As [`Self::check_precondition`], for a thing of which more must be read to know its tag, or that is not there.
    pub(crate) fn check_precondition_with(
        &mut self,
        current: impl FnOnce(&mut Self) -> Result<Option<EntityTag>, DomainError>,
    ) -> Result<(), DomainError> {
        match self.state.precondition.take() {
            Some(precondition) => precondition.evaluate(current(self)?),
            None => Ok(()),
        }
    }
}
