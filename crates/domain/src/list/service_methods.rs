//! How a service gives a list: the same three methods for each resource.

/// Gives a service the methods `page`, `follow` and `count` of a list of this type of item, whose identifiers are of the
/// type `id`, of what a claim of the type `claim` is for. In their documentation `items` are the items, and `parent` is
/// what they belong to.
macro_rules! list_methods {
    ($Service:ident {
        items: $what:literal, item: $Item:ident, id: $Id:ident,
        parent: $parent:literal, claim: $Claim:ident $(,)?
    }) => {
        impl $Service {
            #[doc = concat!($what, " of the ", $parent, " that match the query, in its order, at most `limit`, after")]
            /// `after` if that is given. With them comes the position to go on after, unless these were the last.
            ///
            /// # Errors
            #[doc = concat!("[`DomainError::NotFound`] if the ", $parent, " is not there,")]
            /// [`DomainError::Refused`] if `after` is no position in a list of this order.
            pub async fn page(
                &self,
                claim: &$Claim,
                query: &$crate::list::ListQuery<$Item>,
                after: Option<$crate::list::ListPosition<$Id>>,
                limit: u32,
            ) -> Result<$crate::list::ListPart<$Item, $Id>, DomainError> {
                let query = query.clone();
                self.context
                    .read_claimed(claim, move |unit| {
                        $crate::list::part(unit, &query, after.clone(), limit)
                    })
                    .await
            }

            /// Those that match the query and were made or changed in a range of events: each with the number of the
            /// last one.
            ///
            /// # Errors
            #[doc = concat!("[`DomainError::NotFound`] if the ", $parent, " is not there,")]
            /// [`DomainError::CursorExpired`] if not all events of the range are kept.
            pub async fn follow(
                &self,
                claim: &$Claim,
                query: &$crate::list::ListQuery<$Item>,
                range: $crate::list::EventRange,
                limit: u32,
            ) -> Result<$crate::list::ListChanges<$Item>, DomainError> {
                let query = query.clone();
                self.context
                    .read_claimed(claim, move |unit| $crate::list::follow(unit, &query, range, limit))
                    .await
            }

            /// How many of them match the query; `None` if it takes too long to find out.
            ///
            /// # Errors
            #[doc = concat!("[`DomainError::NotFound`] if the ", $parent, " is not there.")]
            pub async fn count(
                &self,
                claim: &$Claim,
                query: &$crate::list::ListQuery<$Item>,
            ) -> Result<Option<u32>, DomainError> {
                let step = |counting: $crate::list::Counting| {
                    let query = query.clone();
                    self.context.read_claimed(claim, move |unit| {
                        $crate::list::count_step(unit, &query, counting.clone())
                    })
                };
                $crate::list::count(&*self.context.clock, step).await
            }
        }

        impl $crate::list::ListService<$Item> for $Service {
            type Claim = $Claim;

            async fn page(
                &self,
                claim: &$Claim,
                query: &$crate::list::ListQuery<$Item>,
                after: Option<$crate::list::ListPosition<$Id>>,
                limit: u32,
            ) -> Result<$crate::list::ListPart<$Item, $Id>, DomainError> {
                self.page(claim, query, after, limit).await
            }

            async fn follow(
                &self,
                claim: &$Claim,
                query: &$crate::list::ListQuery<$Item>,
                range: $crate::list::EventRange,
                limit: u32,
            ) -> Result<$crate::list::ListChanges<$Item>, DomainError> {
                self.follow(claim, query, range, limit).await
            }

            async fn count(
                &self,
                claim: &$Claim,
                query: &$crate::list::ListQuery<$Item>,
            ) -> Result<Option<u32>, DomainError> {
                self.count(claim, query).await
            }
        }
    };
}
pub(crate) use list_methods;
