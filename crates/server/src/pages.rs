//! Lists that come page by page, read to their end.

use std::future::Future;

use domain::DomainError;

/// How many items are read at once.
pub const PAGE: u32 = 500;

/// All items of a list. `page` reads at most so many of them, after the one with that identifier.
///
/// # Errors
/// As `page`.
pub async fn all<T, Id, F>(
    page: impl Fn(Option<Id>, u32) -> F,
    id: impl Fn(&T) -> Id,
) -> Result<Vec<T>, DomainError>
where
    F: Future<Output = Result<Vec<T>, DomainError>>,
{
    let mut all = Vec::new();
    loop {
        let found = page(all.last().map(&id), PAGE).await?;
        let is_last = found.len() < PAGE as usize;
        all.extend(found);
        if is_last {
            return Ok(all);
        }
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
                ready(Ok((begin..count.min(begin + limit)).collect()))
            };
            let all = futures_util::FutureExt::now_or_never(all(page, |id| *id));
            assert_eq!(all.unwrap().unwrap(), (0..count).collect::<Vec<_>>());
        }
    }
}
