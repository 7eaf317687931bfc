//! The body of an answer on its way out.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::web::Bytes;
use domain::memory::RequestMemory;
use domain::slots::ProjectSlot;
use tokio::task::yield_now;

use super::block_turn::BlockTurn;
use super::observe::OperationMetrics;
use super::state::InFlight;

/// A long block is handed over in parts of this many bytes: each is copied for the connection, which would otherwise
/// have an answer of megabytes twice, and keep its thread for as long as that takes.
const PART: usize = 64 << 10;

/// After how many parts a thread looks at its other connections.
const PARTS_AT_ONCE: u32 = 4;

/// A body on its way out. The request is in progress until the last byte was handed over, and an operator
/// learns of a body that breaks off.
pub(super) struct AnswerBody {
    pub(super) body: BoxBody,
    /// The rest of a long block, and how many parts of it may be handed over before others are looked at.
    pub(super) rest: Rest,
    /// What the body has failed with, until that is passed on.
    pub(super) failed: Option<Box<dyn std::error::Error>>,
    /// When the next block may be made. Nothing without a project is streamed.
    pub(super) turn: Option<BlockTurn>,
    /// The contents in memory that the answer is made of.
    pub(super) memory: RequestMemory,
    /// Whether only the head goes out, so that the body need not be made.
    pub(super) is_head: bool,
    pub(super) request_id: String,
    pub(super) metrics: Arc<OperationMetrics>,
    /// The slots that the request holds until then.
    pub(super) _counted: Option<(InFlight, Option<ProjectSlot>, Option<ProjectSlot>)>,
}

/// The rest of a block that is handed over in parts.
#[derive(Default)]
pub(super) struct Rest {
    bytes: Bytes,
    /// How many parts were handed over since others were looked at.
    parts: u32,
}

impl Rest {
    /// The next part. `Pending` if others come first.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Bytes> {
        if self.parts == PARTS_AT_ONCE {
            self.parts = 0;
            // Wakes once the runtime has looked for events, which it would not do at once for a task that is ready.
            if pin!(yield_now()).poll(context).is_pending() {
                return Poll::Pending;
            }
        }
        self.parts += 1;
        Poll::Ready(self.bytes.split_to(self.bytes.len().min(PART)))
    }
}

impl MessageBody for AnswerBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.is_head {
            return Poll::Ready(None);
        }
        if let Some(error) = self.failed.take() {
            return Poll::Ready(Some(Err(error)));
        }
        if !self.rest.bytes.is_empty() {
            return self.rest.poll_next(context).map(|part| Some(Ok(part)));
        }
        let this = &mut *self;
        let mut turn = this.turn.as_mut().filter(|_| this.body.size() == BodySize::Stream);
        let permit = match &mut turn {
            Some(turn) => Some(ready!(turn.poll(context))),
            None => None,
        };
        let polled = this.memory.during(|| Pin::new(&mut this.body).poll_next(context));
        if let (Some(turn), Some(permit)) = (turn, permit) {
            match polled {
                Poll::Ready(_) => turn.made(permit),
                Poll::Pending => turn.keep_while_reading(permit, context),
            }
        }
        if let Poll::Ready(Some(Err(error))) = polled {
            self.metrics.record_broken(&self.request_id, error.as_ref());
            // A failure closes the connection at once. `Pending` makes the connection send first what it
            // has, so that the client gets the head at least.
            self.failed = Some(error);
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Poll::Ready(Some(Ok(block))) = &polled
            && block.len() > PART
        {
            this.rest = Rest { bytes: block.clone(), parts: 0 };
            return this.rest.poll_next(context).map(|part| Some(Ok(part)));
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::poll_fn;
    use std::time::{Duration, Instant};

    use actix_web::body::BodyStream;
    use domain::id::ProjectId;
    use futures_util::{Stream, stream};
    use tokio::sync::oneshot;

    use super::*;
    use crate::pipeline::active_projects::ActiveProjects;

    const BLOCK: Bytes = Bytes::from_static(b"[]");

    fn list(
        of: ProjectId,
        active: &ActiveProjects,
        blocks: impl Stream<Item = Result<Bytes, Infallible>> + 'static,
    ) -> AnswerBody {
        AnswerBody {
            body: BoxBody::new(BodyStream::new(Box::pin(blocks))),
            rest: Rest::default(),
            failed: None,
            turn: Some(BlockTurn::of(of, active.clone())),
            memory: RequestMemory::default(),
            is_head: false,
            request_id: String::new(),
            metrics: Arc::new(OperationMetrics::of("test")),
            _counted: None,
        }
    }

    async fn is_pending(body: &mut AnswerBody) -> bool {
        poll_fn(|context| Poll::Ready(Pin::new(&mut *body).poll_next(context).is_pending())).await
    }

    async fn next(body: &mut AnswerBody) -> Bytes {
        poll_fn(|context| Pin::new(&mut *body).poll_next(context)).await.unwrap().unwrap()
    }

    #[actix_web::test]
    async fn a_list_keeps_its_turn_until_its_piece_is_read_and_then_leaves_it() {
        // It ends in time only when the test lets time go on.
        tokio::time::pause();
        let [one, other] = [1, 2].map(|last| {
            ProjectId::parse(&format!("00000000-0000-4003-8000-00000000000{last}")).unwrap()
        });
        let active = ActiveProjects::default();
        active.note(other, Instant::now() + Duration::from_secs(3_600));
        let (read, is_read) = oneshot::channel::<()>();
        let reads = stream::once(async move {
            is_read.await.unwrap();
            Ok(BLOCK)
        });
        let mut first = list(one, &active, reads);
        let mut second = list(one, &active, stream::iter([Ok(BLOCK)]));
        assert!(is_pending(&mut first).await);
        assert!(is_pending(&mut second).await);
        read.send(()).unwrap();
        assert_eq!(next(&mut first).await, BLOCK);
        assert_eq!(next(&mut second).await, BLOCK);
    }
}
