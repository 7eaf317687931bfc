//! Lists: one page, or all of it, streamed.

use std::future::Future;
use std::marker::PhantomData;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, LINK};
use domain::error::DomainError;
use utoipa::openapi::schema::ArrayBuilder;

use super::fetched::Fetched;
use super::kind::{CSV, JSON, Reply, ReplyKind, ReplySchema};
use super::pager::{Blocks, Pager, blocks, page};
use super::paging::{CURSOR, Cursor, Paging, next_link};
use super::request_head::RequestHead;
use super::source::{ListItem, Source};
use super::writing::{JsonArray, WriteList};
use crate::openapi::schema::View;
use crate::problem::Problem;

/// How many items a list has on all pages.
const TOTAL_COUNT: &str = "x-total-count";
/// From where to go on later.
pub(super) const FOLLOW_CURSOR: &str = "x-follow-cursor";

/// A JSON array: one page of a list, or all of it, streamed so that memory does not grow with its
/// length.
pub struct List<V> {
    pub(super) body: ListBody,
    /// The cursor of the next page, if there is one.
    pub(super) next: Option<String>,
    /// How many items the list has on all pages, if that was asked for and is known.
    pub(super) total: Option<u32>,
    /// The cursor from which to go on later, if the list is followed.
    pub(super) follow: Option<String>,
    pub(super) content_type: HeaderValue,
    pub(super) items: PhantomData<V>,
}

pub(super) enum ListBody {
    Page(Vec<u8>),
    Streamed(Blocks),
}

impl<V: View + 'static> List<V> {
    /// Answers a list as asked, with what clients see of its items.
    ///
    /// # Errors
    /// What the first page says, for a page any; a later one that fails cuts a whole list off, so that a
    /// client does not take a part for the whole.
    pub async fn of<S, W, P, T, B>(
        paging: Paging<T::Cursor>,
        source: Source<S, W, P>,
    ) -> Result<Self, Problem>
    where
        S: Clone + 'static,
        W: Clone + 'static,
        P: AsyncFn(&S, &W, Option<T::Cursor>, u32) -> Result<B, DomainError> + Copy + 'static,
        T: ListItem,
        B: Fetched<T::Cursor, Item = T> + 'static,
        V: From<T>,
    {
        Self::seen_as(paging, source, V::from).await
    }

    /// As [`Self::of`], with another view of the items than the one that is made from them.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub async fn seen_as<S, W, P, T, B>(
        paging: Paging<T::Cursor>,
        source: Source<S, W, P>,
        view: fn(T) -> V,
    ) -> Result<Self, Problem>
    where
        S: Clone + 'static,
        W: Clone + 'static,
        P: AsyncFn(&S, &W, Option<T::Cursor>, u32) -> Result<B, DomainError> + Copy + 'static,
        T: ListItem,
        B: Fetched<T::Cursor, Item = T> + 'static,
    {
        Self::written(paging, source, JsonArray(view)).await
    }

    /// As [`Self::of`], written in another way.
    pub(super) async fn written<S, W, P, T, B>(
        paging: Paging<T::Cursor>,
        source: Source<S, W, P>,
        writer: impl WriteList<T>,
    ) -> Result<Self, Problem>
    where
        S: Clone + 'static,
        W: Clone + 'static,
        P: AsyncFn(&S, &W, Option<T::Cursor>, u32) -> Result<B, DomainError> + Copy + 'static,
        T: ListItem,
        B: Fetched<T::Cursor, Item = T> + 'static,
    {
        let Paging { limit, cursor } = paging;
        Self::read(limit, Pager::new(cursor, source.fetch(), T::cursor), writer).await
    }

    /// Answers what a pager reads: a page of so many items, or all.
    pub(super) async fn read<T, K, B, F, Fetch>(
        limit: Option<u32>,
        mut pager: Pager<T, K, Fetch>,
        writer: impl WriteList<T>,
    ) -> Result<Self, Problem>
    where
        T: Send + 'static,
        K: Cursor,
        B: Fetched<K, Item = T> + 'static,
        F: Future<Output = Result<B, DomainError>> + 'static,
        Fetch: Fn(Option<K>, u32) -> F + 'static,
    {
        if let Some(limit) = limit {
            let (json, next) = page(pager, limit, writer).await?;
            return Ok(Self::new(ListBody::Page(json), next));
        }
        // What is wrong from the start is still answered with a problem.
        pager.begin().await?;
        Ok(Self::new(ListBody::Streamed(Box::pin(blocks(pager, writer))), None))
    }

    pub(super) fn new(body: ListBody, next: Option<String>) -> Self {
        Self { body, next, total: None, follow: None, content_type: JSON, items: PhantomData }
    }

    /// The same list, which was written as a table.
    pub(super) fn into_csv(self) -> Self {
        Self { content_type: CSV, ..self }
    }
}

impl<V: View> Reply for List<V> {
    fn schema() -> ReplySchema {
        let body = || ArrayBuilder::new().items(V::reference()).build().into();
        ReplySchema { body, components: V::components, kind: ReplyKind::List }
    }

    fn respond(self, at: &RequestHead) -> Result<HttpResponse, Problem> {
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, self.content_type));
        if let Some(next) = self.next {
            response.insert_header((LINK, next_link(at, CURSOR, &next)));
        }
        if let Some(follow) = self.follow {
            response.insert_header((FOLLOW_CURSOR, follow));
        }
        if let Some(total) = self.total {
            response.insert_header((TOTAL_COUNT, total));
        }
        Ok(match self.body {
            ListBody::Page(json) => response.body(json),
            ListBody::Streamed(blocks) => response.streaming(blocks),
        })
    }
}
