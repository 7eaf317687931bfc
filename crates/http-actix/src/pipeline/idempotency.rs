//! `Idempotency-Key`: a request with one takes effect once, however often it is sent (`docs/api.md`, "Repeating
//! requests").

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use domain::Botyard;
use domain::access::Principal;
use domain::blob::{Sha256, Sha256Hasher};
use domain::error::DomainError;
use domain::idempotency::{
    AnswerAgain, AnswerText, IdempotencyKey, IdempotencyService, IdempotentRequest, StoredAnswer,
};

use crate::body::BodySpec;
use crate::body::take::{FromBody, UnreadBody};
use crate::pipeline::call::{Call, Incoming};
use crate::pipeline::large_answer;
use crate::pipeline::query::Query;
use crate::pipeline::target::Target;
use crate::problem::{Problem, ProblemKind};
use crate::reply::{JSON, StorableReply};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The key that a request has.
///
/// # Errors
/// 422 for what is no key, or several.
pub(super) fn key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, Problem> {
    let mut lines = headers.get_all(IDEMPOTENCY_KEY);
    let Some(line) = lines.next() else { return Ok(None) };
    let text = line.to_str().ok().filter(|_| lines.next().is_none());
    let key = text.and_then(|text| IdempotencyKey::parse(text.trim_matches([' ', '\t'])));
    key.map(Some).ok_or_else(|| {
        let detail = "`Idempotency-Key` must be one key of 1 to 255 visible ASCII characters, with or without quotes.";
        Problem::new(ProblemKind::BadIdempotencyKey, detail)
    })
}

/// Carries out a request with a key, or gives the answer again that an earlier attempt at it got.
pub(super) async fn carry_out<A, Q, B, T, R, F>(
    incoming: Incoming,
    key: IdempotencyKey,
    handler: impl FnOnce(Call<A, Q, B>) -> F,
    answer: fn(T) -> R,
) -> Result<HttpResponse, Problem>
where
    A: Target,
    Q: Query,
    B: FromBody,
    T: Clone + Send + 'static,
    R: StorableReply + 'static,
    F: Future<Output = Result<T, Problem>>,
{
    let requests = incoming.app.botyard.idempotency.clone();
    let target = target(&incoming.request);
    let stored = move |done: &T| answer(done.clone()).into_text().ok();
    let request = requests.attempt(&incoming.principal, key, target, stored);
    let waits = incoming.awaits_extraction;
    let repeated = Repeated {
        botyard: incoming.app.botyard.clone(),
        principal: incoming.principal.clone(),
        request: request.clone(),
        unread: incoming.unread(None),
        answer,
    };
    if let Some(body) = requests.find(&request).await? {
        return repeated.answer::<B>(body).await;
    }
    let done = async {
        let call = incoming.into_call::<A, Q, B>(Some(request.clone())).await?;
        handler(call).await
    };
    match done.await {
        Ok(done) if waits => respond_latest(&requests, &request, done, answer).await,
        Ok(done) => match stored_text(&request)? {
            Some(stored) => response(stored),
            None => shown(done, answer).await,
        },
        Err(problem) => {
            // Another attempt may have been answered since the first look. Of a body that was read in part, it can't be
            // known whether it is the same.
            let is_form = matches!(B::spec(), Some(BodySpec::Form(_)));
            let is_unread = problem.status() == StatusCode::NOT_FOUND && !is_form;
            if problem.status().is_client_error()
                && (request.body().is_some() || is_unread)
                && let Ok(Some(body)) = requests.find(&request).await
            {
                return repeated.answer::<B>(body).await;
            }
            give_up(&requests, &request, &problem).await;
            Err(problem)
        }
    }
}

/// The answer that was stored with what the request changed, unless it is not to be stored as it is shown.
fn stored_text(request: &IdempotentRequest) -> Result<Option<AnswerText>, Problem> {
    match request.take_stored() {
        Some(StoredAnswer::Text(text)) if !request.is_shown_once() => Ok(Some(text)),
        Some(StoredAnswer::Text(_) | StoredAnswer::Bot(_)) => Ok(None),
        None => Err(Problem::internal("an answer was not stored")),
    }
}

/// The response of a request that has waited for something after its change. Its answer is stored in the place of the one
/// that was stored with the change.
async fn respond_latest<T, R>(
    requests: &IdempotencyService,
    request: &Arc<IdempotentRequest>,
    done: T,
    answer: fn(T) -> R,
) -> Result<HttpResponse, Problem>
where
    T: Send + 'static,
    R: StorableReply + 'static,
{
    let Some(stored) = stored_text(request)? else { return shown(done, answer).await };
    let answer = answer(done).into_text()?;
    if stored != answer
        && let Err(error) = requests.answer_instead(request, answer.clone()).await
    {
        tracing::warn!(%error, "a repeated request gets an answer that is not the latest");
    }
    response(answer)
}

/// Lets the request be carried out when it is repeated, after this attempt has failed.
async fn give_up(
    requests: &IdempotencyService,
    request: &Arc<IdempotentRequest>,
    problem: &Problem,
) {
    if problem.follows_effect() {
        if let Err(error) = requests.forget(request).await {
            tracing::warn!(%error, "a repeated request gets an answer, although this one failed");
        }
    } else if let Err(error) = requests.release(request).await {
        tracing::warn!(%error, "an Idempotency-Key stays in use until its lease ends");
    }
}

/// A request that was carried out before.
struct Repeated<T, R> {
    botyard: Arc<Botyard>,
    principal: Arc<Principal>,
    request: Arc<IdempotentRequest>,
    unread: UnreadBody,
    answer: fn(T) -> R,
}

impl<T, R> Repeated<T, R>
where
    T: Send + 'static,
    R: StorableReply + 'static,
{
    /// Gives the answer again that an earlier attempt got, if its body was the same.
    async fn answer<B: FromBody>(self, answered: Sha256) -> Result<HttpResponse, Problem> {
        let body = match self.request.body() {
            Some(body) => body,
            None => B::hash(self.unread).await?,
        };
        if body != answered {
            return Err(DomainError::IdempotencyKeyReused.into());
        }
        let requests = &self.botyard.idempotency;
        let mut response = match requests.answer(&self.principal, &self.request).await? {
            AnswerAgain::Text(text) => response(text)?,
            AnswerAgain::Anew(done) => shown(done, self.answer).await?,
        };
        response.headers_mut().insert(IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
        Ok(response)
    }
}

/// The response with what a service returned.
async fn shown<T, R>(done: T, answer: fn(T) -> R) -> Result<HttpResponse, Problem>
where
    T: Send + 'static,
    R: StorableReply + 'static,
{
    response(large_answer::write(move || answer(done).into_text()).await??)
}

/// What a request is for: its method, its path and its query, as they came.
fn target(request: &HttpRequest) -> Sha256 {
    let mut hasher = Sha256Hasher::default();
    let path_and_query = request.uri().path_and_query().map_or("", |whole| whole.as_str());
    for text in [request.method().as_str(), " ", path_and_query] {
        hasher.update(text.as_bytes());
    }
    hasher.finish()
}

/// The response with an answer that is stored, or written as those are.
///
/// # Errors
/// An entity tag that can't be sent, which is a defect.
pub(super) fn response(
    AnswerText { entity_tag, body }: AnswerText,
) -> Result<HttpResponse, Problem> {
    let mut response = HttpResponse::Ok().insert_header((CONTENT_TYPE, JSON)).body(body);
    if let Some(tag) = entity_tag {
        let tag = HeaderValue::try_from(tag.to_string());
        let tag = tag.map_err(|_| Problem::internal("an entity tag is no header"))?;
        response.headers_mut().insert(ETAG, tag);
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<Option<String>, u16> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IDEMPOTENCY_KEY, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let key = key(&headers).map_err(|problem| problem.status().as_u16());
        key.map(|key| key.map(|key| key.as_str().to_owned()))
    }

    #[test]
    fn a_request_has_one_key_or_none() {
        assert_eq!(read(&[]), Ok(None));
        for line in ["a-1", "\"a-1\"", " \"a-1\"\t"] {
            assert_eq!(read(&[line]), Ok(Some("a-1".to_owned())), "{line:?}");
        }
        for lines in [&[""][..], &["a b"], &["é"], &["a", "a"], &["a", "b"]] {
            assert_eq!(read(lines), Err(422), "{lines:?}");
        }
    }
}
