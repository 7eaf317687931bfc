//! Preconditions of changes (RFC 9110, section 13.1).

use crate::entity_tag::EntityTag;
use crate::error::DomainError;

/// What must be so of a thing for a change of it to take place. It is evaluated in the unit of work that makes the
/// change, while the thing is locked, so no other change comes between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Precondition {
    /// It is there: `If-Match: *`.
    Exists,
    /// It is there, in one of these states: `If-Match` with tags.
    Matches(Vec<EntityTag>),
    /// It is not there: `If-None-Match: *`.
    Absent,
}

impl Precondition {
    /// Whether it holds for a thing with this tag, or for one that is not there.
    #[must_use]
    pub fn holds(&self, current: Option<EntityTag>) -> bool {
        match self {
            Self::Exists => current.is_some(),
            Self::Matches(tags) => current.is_some_and(|current| tags.contains(&current)),
            Self::Absent => current.is_none(),
        }
    }

    /// Refuses a change if this does not hold.
    ///
    /// # Errors
    /// [`DomainError::PreconditionFailed`].
    pub(crate) fn evaluate(&self, current: Option<EntityTag>) -> Result<(), DomainError> {
        if self.holds(current) { Ok(()) } else { Err(DomainError::PreconditionFailed(current)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_precondition_holds_for_some_states() {
        let [one, other] = [1, 2].map(|state| EntityTag::of(&state));
        let matches = |tags: &[EntityTag]| Precondition::Matches(tags.to_vec());
        for (precondition, of_one, of_nothing) in [
            (Precondition::Exists, true, false),
            (Precondition::Absent, false, true),
            (matches(&[one]), true, false),
            (matches(&[other, one]), true, false),
            (matches(&[other]), false, false),
            (matches(&[]), false, false),
        ] {
            assert_eq!(precondition.holds(Some(one)), of_one, "{precondition:?}");
            assert_eq!(precondition.holds(None), of_nothing, "{precondition:?}");
        }
    }
}
