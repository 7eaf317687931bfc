//! Lists that can be asked for as a table.

use actix_web::HttpResponse;
use domain::error::DomainError;
use utoipa::openapi::schema::ArrayBuilder;

use super::csv::Columns;
use super::fetched::Fetched;
use super::kind::{Reply, ReplyKind, ReplySchema};
use super::list::List;
use super::paging::Paging;
use super::request_head::RequestHead;
use super::source::{ListItem, Source};
use super::writing::{JsonArray, ListFormat, Table};
use crate::openapi::schema::View;
use crate::pipeline::query::{Query, QueryParams};
use crate::problem::Problem;

/// The parameters of a list, and in which form it is asked for.
pub struct Tabular<Q> {
    /// In which form.
    pub format: ListFormat,
    /// Whether its items are to be counted.
    pub counts: bool,
    /// The other parameters.
    pub query: Q,
}

impl<Q: Query> Query for Tabular<Q> {
    fn read(params: &mut QueryParams) -> Self {
        let description = "`csv` answers a table (RFC 4180) with a header line instead of JSON.";
        let format = params.word("format", ListFormat::WORDS, ListFormat::parse, description);
        let counts = params.counts();
        Self { format: format.unwrap_or(ListFormat::Json), counts, query: Q::read(params) }
    }
}

/// A list as JSON or as a table.
pub struct TabularList<V>(List<V>);

impl<V: View + Columns + 'static> TabularList<V> {
    /// Answers a list as asked.
    ///
    /// # Errors
    /// As [`List::of`].
    pub async fn of<S, W, P, T, B>(
        format: ListFormat,
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
        let list = match format {
            ListFormat::Json => List::written(paging, source, JsonArray(V::from)).await?,
            ListFormat::Csv => List::written(paging, source, Table(V::from)).await?.into_csv(),
        };
        Ok(Self(list))
    }

    /// The same list, which says how many items it has on all pages, if that is known.
    pub fn with_total(self, total: Option<u32>) -> Self {
        Self(List { total, ..self.0 })
    }
}

impl<V: View> Reply for TabularList<V> {
    fn schema() -> ReplySchema {
        let body = || ArrayBuilder::new().items(V::reference()).build().into();
        ReplySchema { body, components: V::components, kind: ReplyKind::TabularList }
    }

    fn respond(self, at: &RequestHead) -> Result<HttpResponse, Problem> {
        self.0.respond(at)
    }
}
