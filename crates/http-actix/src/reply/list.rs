//! Lists: one page, or all of it, streamed.

use std::future::Future;
use std::marker::PhantomData;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, LINK};
use domain::error::DomainError;
use utoipa::openapi::schema::ArrayBuilder;

use super::batch::Batch;
use super::kind::{JSON, Reply, ReplyKind, ReplySchema};
use super::location::Location;
use super::pager::{Blocks, Pager, READ_MAX, blocks, page};
use super::paging::{Cursor, Paging, next_link};
use crate::openapi::schema::View;
use crate::problem::Problem;

/// A JSON array: one page of a list, or all of it, streamed so that memory does not grow with its
/// length.
pub struct List<V> {
    pub(super) body: ListBody,
    /// The cursor of the next page, if there is one.
    pub(super) next: Option<String>,
    pub(super) items: PhantomData<V>,
}

pub(super) enum ListBody {
    Page(Vec<u8>),
    Streamed(Blocks),
}

impl<V: View + 'static> List<V> {
    /// Answers a list as asked. `fetch` reads at most so many items after a key, `key` is an item's
    /// own key, and `view` is what the client sees of it.
    ///
    /// # Errors
    /// What the first fetch says, for a page any fetch; a later one that fails cuts a whole list off,
    /// so that a client does not take a part for the whole.
    pub async fn by<T, K, B, F>(
        paging: Paging<K>,
        fetch: impl Fn(Option<K>, u32) -> F + 'static,
        key: fn(&T) -> K,
        view: fn(T) -> V,
    ) -> Result<Self, Problem>
    where
        T: 'static,
        K: Cursor,
        B: Batch<K, Item = T> + 'static,
        F: Future<Output = Result<B, DomainError>> + 'static,
    {
        let Paging { limit, cursor } = paging;
        let mut pager = Pager::new(cursor, fetch, key);
        if let Some(limit) = limit {
            let (json, next) = page(pager, limit, view).await?;
            return Ok(Self { body: ListBody::Page(json), next, items: PhantomData });
        }
        // What is wrong from the start is still answered with a problem.
        pager.has_next(READ_MAX).await?;
        let body = ListBody::Streamed(Box::pin(blocks(pager, view)));
        Ok(Self { body, next: None, items: PhantomData })
    }
}

impl<V: View> Reply for List<V> {
    fn schema() -> ReplySchema {
        let body = || ArrayBuilder::new().items(V::reference()).build().into();
        ReplySchema { body, components: V::components, kind: ReplyKind::List }
    }

    fn respond(self, at: &Location) -> Result<HttpResponse, Problem> {
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, JSON));
        if let Some(next) = self.next {
            response.insert_header((LINK, next_link(at, &next)));
        }
        Ok(match self.body {
            ListBody::Page(json) => response.body(json),
            ListBody::Streamed(blocks) => response.streaming(blocks),
        })
    }
}
