//! Resources of a bot in lists.

/// Makes a resource of a bot one that stands in lists: `$word` is what clients call its name, and `$page` and
/// `$with_ids` are the methods of its repository that read it.
macro_rules! listed_of_bot {
    (
        $Resource:ident of $Id:ident in $listed:ident,
        filtered by $Filter:ty,
        called $word:literal: $name:expr,
        read by $page:ident, $with_ids:ident,
        changed by $($event:ident)+
    ) => {
        impl $crate::list::Listed for $Resource {
            type Id = $Id;
            type Filter = $Filter;

            const RESOURCE: $crate::list::ListedResource = $crate::list::ListedResource::$listed;
            const SORTS: $crate::list::SortWords = $crate::list::sort_words! {
                "createdAt" by CreatedAt,
                $word by Name,
                "updatedAt" by UpdatedAt,
            };
            const EVENTS: &'static [$crate::event::EventType] =
                &[$($crate::event::EventType::$event,)+];

            fn id(&self) -> $Id {
                self.id
            }

            fn sort_key(&self, by: $crate::list::SortField) -> Option<$crate::list::SortKey> {
                let name: fn(&Self) -> &str = $name;
                match by {
                    $crate::list::SortField::Name => Some(name(self).into()),
                    $crate::list::SortField::UpdatedAt => Some(self.updated_at.into()),
                    $crate::list::SortField::CreatedAt | $crate::list::SortField::Size => None,
                }
            }
        }

        impl $crate::list::ListedOf<$crate::access::BotScope> for $Resource {
            fn oldest_first(
                unit: &mut $crate::unit::BotUnit<'_>,
                after: Option<$crate::list::ListPosition<$Id>>,
                limit: u32,
            ) -> Result<$crate::list::ListPart<Self, $Id>, $crate::error::DomainError> {
                let page = unit.tx.$page(&unit.scope, after.map(|position| position.id), limit)?;
                Ok(page.into_part())
            }

            fn with_ids(
                unit: &mut $crate::unit::BotUnit<'_>,
                ids: &[$Id],
            ) -> Result<Vec<Self>, $crate::error::DomainError> {
                Ok(unit.tx.$with_ids(&unit.scope, ids)?)
            }
        }
    };
}
pub(crate) use listed_of_bot;
