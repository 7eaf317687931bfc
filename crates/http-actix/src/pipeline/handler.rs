//! What an operation does, as a value of the table of operations.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::HttpResponse;

use crate::body::take::FromBody;
use crate::pipeline::call::{Call, Incoming};
use crate::pipeline::idempotency;
use crate::pipeline::large_answer;
use crate::pipeline::query::Query;
use crate::pipeline::target::Target;
use crate::problem::Problem;
use crate::reply::{Reply, ReplySchema, StorableReply};

pub(crate) type ResponseFuture = Pin<Box<dyn Future<Output = Result<HttpResponse, Problem>>>>;
pub(crate) type Run = Arc<dyn Fn(Incoming) -> ResponseFuture + Send + Sync>;

/// The handler of operations on an `A` with the query `Q` and the body `B`.
pub struct Handler<A, Q, B> {
    pub(super) run: Run,
    pub(super) reply: ReplySchema,
    /// Whether what it answers can be stored, so that a request can have a key.
    pub(super) takes_key: bool,
    takes: PhantomData<fn(A, Q, B)>,
}

impl<A, Q, B> Clone for Handler<A, Q, B> {
    fn clone(&self) -> Self {
        let Self { run, reply, takes_key, takes } = self;
        Self { run: run.clone(), reply: *reply, takes_key: *takes_key, takes: *takes }
    }
}

/// A handler that changes nothing.
pub fn reads<A, Q, B, R, F>(
    handler: impl Fn(Call<A, Q, B>) -> F + Send + Sync + Copy + 'static,
) -> Handler<A, Q, B>
where
    A: Target,
    Q: Query + 'static,
    B: FromBody,
    R: Reply,
    F: Future<Output = Result<R, Problem>> + 'static,
{
    let run: Run = Arc::new(move |incoming| {
        Box::pin(async move {
            let call = incoming.into_call::<A, Q, B>(None).await?;
            let at = call.head.clone();
            handler(call).await?.respond(&at)
        })
    });
    Handler { run, reply: R::schema(), takes_key: false, takes: PhantomData }
}

/// A handler that changes something, and what is answered of what the service returns, which is stored with the change
/// if the request has a key.
pub fn changes<A, Q, B, T, R, F>(
    handler: impl Fn(Call<A, Q, B>) -> F + Send + Sync + Copy + 'static,
    answer: fn(T) -> R,
) -> Handler<A, Q, B>
where
    A: Target,
    Q: Query + 'static,
    B: FromBody,
    T: Clone + Send + 'static,
    R: StorableReply + 'static,
    F: Future<Output = Result<T, Problem>> + 'static,
{
    let run: Run = Arc::new(move |incoming| {
        Box::pin(async move {
            if let Some(key) = idempotency::key(incoming.request.headers())? {
                return idempotency::carry_out(incoming, key, handler, answer).await;
            }
            let call = incoming.into_call::<A, Q, B>(None).await?;
            let at = call.head.clone();
            let done = handler(call).await?;
            if large_answer::is_large() {
                let written = large_answer::write(move || answer(done).into_text()).await?;
                return idempotency::response(written?);
            }
            answer(done).respond(&at)
        })
    });
    Handler { run, reply: R::schema(), takes_key: true, takes: PhantomData }
}
