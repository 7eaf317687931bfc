//! Services that give a list.

use std::future::Future;

use super::{EventRange, ListChanges, ListPart, ListPosition, ListQuery, Listed};
use crate::error::DomainError;

/// A service that gives a list of `R`: its methods of the same names, for code that is generic over services.
pub trait ListService<R: Listed>: Clone {
    /// The right to read the list.
    type Claim;

    /// Those that match the query, in its order, at most `limit`, after `after` if that is given. With them comes the
    /// position to go on after, unless these were the last.
    fn page(
        &self,
        claim: &Self::Claim,
        query: &ListQuery<R>,
        after: Option<ListPosition<R::Id>>,
        limit: u32,
    ) -> impl Future<Output = Result<ListPart<R, R::Id>, DomainError>> + Send;

    /// Those that match the query and were made or changed in a range of events.
    fn follow(
        &self,
        claim: &Self::Claim,
        query: &ListQuery<R>,
        range: EventRange,
        limit: u32,
    ) -> impl Future<Output = Result<ListChanges<R>, DomainError>> + Send;

    /// How many match the query; `None` if it takes too long to find out.
    fn count(
        &self,
        claim: &Self::Claim,
        query: &ListQuery<R>,
    ) -> impl Future<Output = Result<Option<u32>, DomainError>> + Send;
}
