//! Where the items of a list come from: a method of a service that reads one page.

use domain::error::DomainError;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;

use super::paging::Cursor;

/// What a list consists of.
pub trait ListItem: Send + 'static {
    /// By what the list goes on.
    type Cursor: Cursor;

    /// The cursor of the page after this item.
    fn cursor(&self) -> Self::Cursor;
}

/// A list as it is read: `page` is the method of the service that reads at most so many items after a
/// cursor, and `of` is what it reads them of, mostly a claim.
#[derive(Clone)]
pub struct Source<S, W, P> {
    pub(super) service: S,
    pub(super) of: W,
    page: P,
}

impl<S: Clone, W, P> Source<S, W, P> {
    /// Items that a method of a service reads.
    pub fn new(service: &S, of: W, page: P) -> Self {
        Self { service: service.clone(), of, page }
    }
}

impl<S: Clone + 'static, W: Clone + 'static, P: Copy + 'static> Source<S, W, P> {
    /// Reads pages as they are asked for.
    pub(super) fn fetch<K, B>(
        self,
    ) -> impl Fn(Option<K>, u32) -> LocalBoxFuture<'static, Result<B, DomainError>> + 'static
    where
        K: 'static,
        B: 'static,
        P: AsyncFn(&S, &W, Option<K>, u32) -> Result<B, DomainError>,
    {
        move |after, limit| {
            let Self { service, of, page } = self.clone();
            async move { page(&service, &of, after, limit).await }.boxed_local()
        }
    }
}
