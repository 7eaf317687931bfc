//! Answers that show one thing, with its entity tag (RFC 9110, section 8.8.3).

use actix_web::HttpResponse;
use actix_web::http::header::ETAG;
use domain::entity_tag::{EntityTag, Tagged};
use domain::idempotency::AnswerText;

use super::kind::{Reply, ReplyKind, ReplySchema, StorableReply};
use super::request_head::RequestHead;
use super::value::{Answer, text};
use crate::openapi::schema::View;
use crate::pipeline::preconditions::{ReadDecision, evaluate_read, reads};
use crate::problem::Problem;

/// An answer that shows a thing, or that there is none.
pub struct WithTag<R> {
    /// `None` if the client has it already.
    answer: Option<R>,
    tag: Option<EntityTag>,
}

/// A JSON value that shows a thing.
pub type TaggedAnswer<V> = WithTag<Answer<V>>;

impl<R> WithTag<R> {
    /// An answer that shows the thing with this tag.
    pub const fn new(answer: R, tag: EntityTag) -> Self {
        Self { answer: Some(answer), tag: Some(tag) }
    }

    /// The same for an answer that takes long to make: it is made only if it is sent.
    ///
    /// # Errors
    /// 412 if the client wants another state of the thing; whatever `make` fails with.
    pub async fn made_by(
        at: &RequestHead,
        tag: EntityTag,
        make: impl AsyncFnOnce() -> Result<R, Problem>,
    ) -> Result<Self, Problem> {
        let answer = match evaluate(at, Some(&tag.to_string()))? {
            ReadDecision::Send => Some(make().await?),
            ReadDecision::NotModified => None,
        };
        Ok(Self { answer, tag: Some(tag) })
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
        Self { answer: Some(Answer(view(thing))), tag }
    }
}

impl<R: Reply> Reply for WithTag<R> {
    fn schema() -> ReplySchema {
        ReplySchema { kind: ReplyKind::Tagged, ..R::schema() }
    }

    fn respond(self, at: &RequestHead) -> Result<HttpResponse, Problem> {
        let tag = self.tag.map(|tag| tag.to_string());
        let verdict = evaluate(at, tag.as_deref())?;
        let mut response = match self.answer.filter(|_| verdict == ReadDecision::Send) {
            Some(answer) => answer.respond(at)?,
            None => HttpResponse::NotModified().finish(),
        };
        if let Some(tag) = tag {
            let tag =
                tag.try_into().map_err(|_| Problem::internal("an entity tag is no header"))?;
            response.headers_mut().insert(ETAG, tag);
        }
        Ok(response)
    }
}

impl<V: View> StorableReply for TaggedAnswer<V> {
    fn into_text(self) -> Result<AnswerText, Problem> {
        let Answer(shown) =
            self.answer.ok_or_else(|| Problem::internal("a change shows nothing"))?;
        text(&shown, self.tag)
    }
}

/// Evaluates the answer to a read. The precondition of a change was evaluated by the service.
fn evaluate(at: &RequestHead, tag: Option<&str>) -> Result<ReadDecision, Problem> {
    let request = at.request();
    if reads(request.method()) {
        evaluate_read(request.headers(), tag)
    } else {
        Ok(ReadDecision::Send)
    }
}
