//! The body of an answer, which says nothing: it is read only so that its connection can be used again.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Body;
use tokio::time::timeout;

/// How many bytes of a body are read at most. A new connection costs less than reading more.
const BODY_MAX: u64 = 64 << 10;

/// Reads a body to its end within this time. One that is longer or slower is dropped, which closes its connection.
pub(crate) async fn read_rest(mut body: impl Body<Data = Bytes> + Unpin, time: Duration) {
    if body.size_hint().lower() > BODY_MAX {
        return;
    }
    let read = async {
        let mut left = BODY_MAX;
        while let Some(Ok(frame)) = body.frame().await {
            let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
            let Some(less) = left.checked_sub(bytes) else { return };
            left = less;
        }
    };
    // The status counts, whatever becomes of the body.
    let _ = timeout(time, read).await;
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use hyper::body::Frame;

    use super::*;

    /// Has these pieces, and then comes to no end.
    struct Unfinished<'a>(&'a mut VecDeque<Bytes>);

    impl Body for Unfinished<'_> {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            let next = self.0.pop_front();
            next.map_or(Poll::Pending, |piece| Poll::Ready(Some(Ok(Frame::data(piece)))))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_is_not_waited_for() {
        let mut pieces = VecDeque::from([Bytes::from_static(b"begun")]);
        read_rest(Unfinished(&mut pieces), Duration::from_secs(15)).await;
        assert!(pieces.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_is_read_up_to_its_bound() {
        let piece = Bytes::from_static(&[b'x'; 1 << 10]);
        let mut pieces: VecDeque<_> = vec![piece; 100].into();
        read_rest(Unfinished(&mut pieces), Duration::from_secs(15)).await;
        // 64 fill the bound, and one more is beyond it.
        assert_eq!(pieces.len(), 35);
    }
}
