//! The installation: a database and the blob store that belong together.
//!
//! Both have its identifier: the database in a row, the blob store as a mark. A node that was led to another place
//! would store files where no other node finds them, and find none of those that are there. So it compares the two
//! before it serves ([`Installation::compare`]).

mod repository;
mod service;

pub use repository::InstallationRepository;
pub use service::InstallationService;

use crate::clock::Timestamp;
use crate::id::InstallationId;

/// A database and the blob store that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Installation {
    /// Its identifier.
    pub id: InstallationId,
    /// Since when its blob store has a mark, if it has one.
    pub marked_at: Option<Timestamp>,
}

/// What the mark of a blob store says to an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkComparison {
    /// It is the place of this installation.
    Own,
    /// It has no mark, and neither has any other place for this installation: it is to be marked.
    New,
    /// It has no mark, but another place has one for this installation.
    Unmarked,
    /// It is the place of another installation.
    OfAnother(InstallationId),
}

impl Installation {
    /// What the mark of a place says, if the place has one.
    #[must_use]
    pub fn compare(&self, mark: Option<InstallationId>) -> MarkComparison {
        match (mark, self.marked_at) {
            (Some(mark), _) if mark == self.id => MarkComparison::Own,
            (Some(mark), _) => MarkComparison::OfAnother(mark),
            (None, None) => MarkComparison::New,
            (None, Some(_)) => MarkComparison::Unmarked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_place_that_has_not_been_marked_yet_may_lack_the_mark() {
        let [own, other] =
            [1, 2].map(|byte| InstallationId::from_uuid(uuid::Uuid::from_bytes([byte; 16])));
        let fresh = Installation { id: own, marked_at: None };
        let marked = Installation { marked_at: Some(Timestamp::default()), ..fresh };
        for installation in [fresh, marked] {
            assert_eq!(installation.compare(Some(own)), MarkComparison::Own);
            assert_eq!(installation.compare(Some(other)), MarkComparison::OfAnother(other));
        }
        assert_eq!(fresh.compare(None), MarkComparison::New);
        assert_eq!(marked.compare(None), MarkComparison::Unmarked);
    }
}
