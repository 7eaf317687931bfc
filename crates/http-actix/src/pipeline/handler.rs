//! What an operation does, as a value of the table of operations.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::HttpResponse;

use crate::body::take::TakesBody;
use crate::pipeline::call::{Call, Incoming};
use crate::pipeline::query::Query;
use crate::pipeline::target::Target;
use crate::problem::Problem;
use crate::reply::{Reply, ReplySchema};

pub(crate) type Answer = Pin<Box<dyn Future<Output = Result<HttpResponse, Problem>>>>;
pub(crate) type Run = Arc<dyn Fn(Incoming) -> Answer + Send + Sync>;

/// The handler of operations on an `A` with the query `Q` and the body `B`.
pub struct Handler<A, Q, B> {
    pub(super) run: Run,
    pub(super) reply: ReplySchema,
    takes: PhantomData<fn(A, Q, B)>,
}

impl<A, Q, B> Clone for Handler<A, Q, B> {
    fn clone(&self) -> Self {
        Self { run: self.run.clone(), reply: self.reply, takes: PhantomData }
    }
}

/// A handler that changes nothing.
pub fn reads<A, Q, B, R, F>(
    handler: impl Fn(Call<A, Q, B>) -> F + Send + Sync + Copy + 'static,
) -> Handler<A, Q, B>
where
    A: Target,
    Q: Query + 'static,
    B: TakesBody,
    R: Reply,
    F: Future<Output = Result<R, Problem>> + 'static,
{
    let run: Run = Arc::new(move |incoming| {
        Box::pin(async move {
            let call = incoming.check::<A, Q, B>().await?;
            let at = call.at.clone();
            handler(call).await?.respond(&at)
        })
    });
    Handler { run, reply: R::schema(), takes: PhantomData }
}

/// A handler that changes something, and what is answered of what it has done.
pub fn changes<A, Q, B, T, R, F>(
    handler: impl Fn(Call<A, Q, B>) -> F + Send + Sync + Copy + 'static,
    answer: fn(T) -> R,
) -> Handler<A, Q, B>
where
    A: Target,
    Q: Query + 'static,
    B: TakesBody,
    R: Reply + 'static,
    T: 'static,
    F: Future<Output = Result<T, Problem>> + 'static,
{
    let run: Run = Arc::new(move |incoming| {
        Box::pin(async move {
            let call = incoming.check::<A, Q, B>().await?;
            let at = call.at.clone();
            answer(handler(call).await?).respond(&at)
        })
    });
    Handler { run, reply: R::schema(), takes: PhantomData }
}
