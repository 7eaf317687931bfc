//! Lists that come page by page, read to their end.

use std::future::Future;

use domain::DomainError;
use domain::batch::Batch;
use domain::list::{ListPart, ListPosition, Listed};

/// How many items are read at once.
pub const PAGE: u32 = 500;

/// All items of a list. `page` reads some of them, at most as many as it is asked for, after the one with this
/// identifier.
///
/// # Errors
/// As `page`.
pub async fn all<T, Id, F, P>(
    page: impl Fn(Option<Id>, u32) -> F,
    id: impl Fn(&T) -> Id,
) -> Result<Vec<T>, DomainError>
where
    F: Future<Output = Result<P, DomainError>>,
    P: Page<Item = T>,
{
    let mut all = Vec::new();
    loop {
        let found = page(all.last().map(&id), PAGE).await?;
        let is_last = found.is_last();
        all.extend(found);
        if is_last {
            return Ok(all);
        }
    }
}

/// All items of a list that goes on at positions.
///
/// # Errors
/// As `page`.
pub async fn all_listed<R: Listed, F>(
    page: impl Fn(Option<ListPosition<R::Id>>, u32) -> F,
) -> Result<Vec<R>, DomainError>
where
    F: Future<Output = Result<ListPart<R, R::Id>, DomainError>>,
{
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let (found, next) = page(after, PAGE).await?;
        all.extend(found);
        if next.is_none() {
            return Ok(all);
        }
        after = next;
    }
}

/// Some items of a list.
pub trait Page: IntoIterator {
    /// Whether there are no items behind these.
    fn is_last(&self) -> bool;
}

/// Fewer than were asked for are the last ones.
impl<T> Page for Vec<T> {
    fn is_last(&self) -> bool {
        self.len() < PAGE as usize
    }
}

impl<T> Page for Batch<T> {
    fn is_last(&self) -> bool {
        Self::is_last(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::ready;

    #[test]
    fn nothing_is_left_out_or_listed_twice() {
        for count in [0, 1, 499, 500, 501, 1000, 1234] {
            let page = |after: Option<u32>, limit: u32| {
                let begin = after.map_or(0, |after| after + 1);
                ready(Ok((begin..count.min(begin + limit)).collect::<Vec<_>>()))
            };
            let all = futures_util::FutureExt::now_or_never(all(page, |id| *id));
            assert_eq!(all.unwrap().unwrap(), (0..count).collect::<Vec<_>>());
        }
    }
}
