//! Under which conditions a change is made.

use std::sync::Arc;

use crate::idempotency::IdempotentRequest;
use crate::precondition::Precondition;

/// The conditions of a change.
#[derive(Debug, Clone)]
pub struct Conditions {
    precondition: Option<Arc<Precondition>>,
    idempotent: Option<Arc<IdempotentRequest>>,
}

impl Conditions {
    /// No conditions.
    pub(super) const NONE: Self = Self { precondition: None, idempotent: None };
}

/// What carries the conditions of the change that is made with it.
pub trait Conditional: Clone {
    /// The conditions.
    fn conditions(&self) -> &Conditions;

    /// The same, to be changed.
    fn conditions_mut(&mut self) -> &mut Conditions;

    /// Under which precondition a change takes place, if any.
    fn precondition(&self) -> Option<&Arc<Precondition>> {
        self.conditions().precondition.as_ref()
    }

    /// The request that is carried out once, if the change has a key.
    fn idempotent(&self) -> Option<&Arc<IdempotentRequest>> {
        self.conditions().idempotent.as_ref()
    }

    /// The claim for what is still to be done after the precondition was evaluated.
    #[must_use]
    fn unconditional(&self) -> Self {
        let mut claim = self.clone();
        claim.conditions_mut().precondition = None;
        claim
    }

    /// The claim for what is still to be done after the request was answered.
    #[must_use]
    fn without_idempotency_key(&self) -> Self {
        let mut claim = self.clone();
        claim.conditions_mut().idempotent = None;
        claim
    }
}

/// A claim, to which conditions of a change can be added.
pub trait Claim: Conditional {
    /// The claim for a change that takes place only under this precondition of what is changed. A change that has nothing
    /// to evaluate is refused with
    /// [`DomainError::PreconditionNotSupported`](crate::DomainError::PreconditionNotSupported).
    #[must_use]
    fn only_if(mut self, precondition: Precondition) -> Self {
        self.conditions_mut().precondition = Some(Arc::new(precondition));
        self
    }

    /// The claim for a change that is carried out once, however often it is asked for with this key.
    #[must_use]
    fn once(mut self, request: Arc<IdempotentRequest>) -> Self {
        self.conditions_mut().idempotent = Some(request);
        self
    }
}

impl<C: Conditional> Claim for C {}
