//! When a client takes nothing of its answer.

use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::rt::net::TcpStream;
use rustix::io::Errno;
use rustix::net::SendFlags;

use super::timer::Deadline;

/// Watches a client whose socket is not writable.
///
/// The system calls a socket writable only when a third of its buffer is free, so a slow client may have taken
/// something without that. And that some bytes still fit into the buffer says nothing either, as long as it was never
/// full. So after a quarter of the time the buffer is filled up. If not one byte fits into it once the time has passed
/// after that, the client has taken nothing meanwhile.
#[derive(Default)]
pub(super) enum Standstill {
    /// The client takes what it is sent.
    #[default]
    None,
    /// The socket is not writable.
    Begun(Deadline),
    /// What is left of the buffer is being filled.
    Filling,
    /// The buffer was full.
    Full(Deadline),
}

/// What has come of a write to a socket that is not writable.
pub(super) enum SlowWrite {
    /// So many bytes were written.
    Written(usize),
    /// The same, and the client has taken something meanwhile.
    Progressed(usize),
    /// The client has taken nothing for too long.
    Ended,
}

impl Standstill {
    /// Whether something waits until the client has taken more.
    pub(super) const fn is_waiting(&self) -> bool {
        matches!(self, Self::Begun(_) | Self::Full(_))
    }

    /// Writes to a socket that is not writable, as far as the system takes more of it.
    pub(super) fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        stream: &TcpStream,
        bytes: &[u8],
        time: Duration,
    ) -> Poll<Result<SlowWrite, Errno>> {
        let send = || match rustix::net::send(stream, bytes, SendFlags::empty()) {
            Ok(count) => Ok(Some(count)),
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error),
        };
        loop {
            match self {
                Self::None => *self = Self::Begun(Deadline::after(time / 4)),
                Self::Begun(deadline) => {
                    ready!(deadline.poll(context));
                    *self = Self::Filling;
                }
                Self::Filling => match send()? {
                    Some(count) => return Poll::Ready(Ok(SlowWrite::Written(count))),
                    None => *self = Self::Full(Deadline::after(time)),
                },
                Self::Full(deadline) => {
                    ready!(deadline.poll(context));
                    return Poll::Ready(Ok(match send()? {
                        Some(count) => SlowWrite::Progressed(count),
                        None => SlowWrite::Ended,
                    }));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::Pin;

    use tokio::io::{AsyncReadExt as _, AsyncWrite as _};
    use tokio::net::TcpListener;
    use tokio::time::Instant;

    use super::*;

    const TIME: Duration = Duration::from_secs(60);

    /// Writes as long as the client takes something; returns how long after the last writable moment it was given up.
    async fn write_until_ended(stream: &mut TcpStream) -> Duration {
        let (bytes, mut standstill) = ([0; 60 << 10], Standstill::default());
        let mut since = Instant::now();
        loop {
            let write = poll_fn(|context| {
                if let Poll::Ready(written) = Pin::new(&mut *stream).poll_write(context, &bytes) {
                    written.unwrap();
                    return Poll::Ready(None);
                }
                standstill.poll_write(context, stream, &bytes, TIME).map(Some)
            });
            match write.await.transpose().unwrap() {
                Some(SlowWrite::Written(_)) => {}
                None | Some(SlowWrite::Progressed(_)) => {
                    (since, standstill) = (Instant::now(), Standstill::default());
                }
                Some(SlowWrite::Ended) => return since.elapsed(),
            }
        }
    }

    /// However the system divides what still fits into the buffer.
    #[expect(clippy::disallowed_methods, reason = "a test calls its own server")]
    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up_after_the_time_and_a_quarter() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut client = TcpStream::connect(address).await.unwrap();
        let (mut server, _) = listener.accept().await.unwrap();
        let after = write_until_ended(&mut server).await;
        assert!((TIME + TIME / 4..TIME + TIME / 3).contains(&after), "{after:?}");
        // It takes a little.
        client.read_exact(&mut vec![0; 1 << 20]).await.unwrap();
        let after = write_until_ended(&mut server).await;
        assert!((TIME + TIME / 4..TIME + TIME / 3).contains(&after), "{after:?}");
    }
}
