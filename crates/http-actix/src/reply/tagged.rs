//! Answers that show one thing, with its entity tag (RFC 9110, section 8.8.3).

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::ETAG;
use domain::entity_tag::{EntityTag, Tagged};

use super::kind::{Reply, ReplyKind, ReplySchema};
use super::location::Location;
use super::value::Answer;
use crate::pipeline::preconditions::{OnAnswer, judge_answer};
use crate::problem::Problem;

/// An answer that shows a thing, or that there is none.
pub struct WithTag<R> {
    answer: R,
    tag: Option<EntityTag>,
}

/// A JSON value that shows a thing.
pub type TaggedAnswer<V> = WithTag<Answer<V>>;

impl<R> WithTag<R> {
    /// An answer that shows the thing with this tag.
    pub const fn new(answer: R, tag: EntityTag) -> Self {
        Self { answer, tag: Some(tag) }
    }
}

impl<V> TaggedAnswer<V> {
    /// What clients see of a thing.
    pub fn of<T: Tagged>(thing: T) -> Self
    where
        V: From<T>,
    {
        Self::seen_as(thing, V::from)
    }

    /// What clients see of a thing, as `view` makes it.
    pub fn seen_as<T: Tagged>(thing: T, view: impl FnOnce(T) -> V) -> Self {
        let tag = thing.entity_tag();
        Self::new(Answer(view(thing)), tag)
    }

    /// What clients see of a thing that need not be there.
    pub fn of_any<T: Tagged>(thing: Option<T>, view: impl FnOnce(Option<T>) -> V) -> Self {
        let tag = thing.as_ref().map(Tagged::entity_tag);
        Self { answer: Answer(view(thing)), tag }
    }
}

impl<R: Reply> Reply for WithTag<R> {
    fn schema() -> ReplySchema {
        ReplySchema { kind: ReplyKind::Tagged, ..R::schema() }
    }

    /// What is read is answered only in the state that the request asks for, and only if the client has not got it yet.
    fn respond(self, at: &Location) -> Result<HttpResponse, Problem> {
        let Some(tag) = self.tag else {
            return self.answer.respond(at);
        };
        let (request, tag) = (at.request(), tag.to_string());
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        if reads && judge_answer(request.headers(), &tag)? == OnAnswer::NotModified {
            return Ok(HttpResponse::NotModified().insert_header((ETAG, tag)).finish());
        }
        let mut response = self.answer.respond(at)?;
        let tag = tag.try_into().map_err(|_| Problem::internal("an entity tag is no header"))?;
        response.headers_mut().insert(ETAG, tag);
        Ok(response)
    }
}
