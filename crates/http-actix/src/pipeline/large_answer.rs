//! Answers with much content, like a bot with a configuration of megabytes, are written on other threads: the thread of
//! HTTP that wrote one would answer no other request meanwhile.

use domain::memory::RequestMemory;
use domain::per_key::{PerProject, half_of_the_cores};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::problem::Problem;

/// With more bytes of content than this, an answer is large. One of 13 MB kept a thread busy for about 100 ms, so one of
/// this size does for two.
const LARGE: u64 = 256 << 10;

/// One that is written takes a permit of its project.
static PERMITS: PerProject<Semaphore> = PerProject::new(|| Semaphore::new(half_of_the_cores()));

/// Whether the answer to the current request is large, by what was read for it.
pub fn is_large() -> bool {
    is_large_content(RequestMemory::bytes())
}

/// Whether what has so many bytes of content is written on another thread.
pub const fn is_large_content(bytes: u64) -> bool {
    bytes > LARGE
}

/// Writes an answer, on another thread if it is large.
///
/// # Errors
/// If writing it panics, which is a defect.
pub async fn write<T: Send + 'static>(
    write: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    if is_large() { write_elsewhere(write).await } else { Ok(write()) }
}

/// Writes an answer, or a part of it, on another thread.
///
/// # Errors
/// If writing it panics, which is a defect.
pub async fn write_elsewhere<T: Send + 'static>(
    write: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let permit = match RequestMemory::project() {
        Some(project) => PERMITS.of(project).acquire_owned().await.ok(),
        None => None,
    };
    let request = RequestMemory::current();
    let write = move || {
        // Writing goes on if the client has gone, and so long it counts, with the memory that it takes.
        let _permit = permit;
        request.during(write)
    };
    spawn_blocking(write).await.map_err(|error| Problem::internal(error.to_string()))
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::{Arc, Barrier};
    use std::thread;

    use domain::id::ProjectId;
    use domain::memory::ContentMemory;
    use futures_util::FutureExt as _;

    use super::*;

    #[actix_web::test]
    async fn a_large_answer_is_written_on_another_thread() {
        let project = ProjectId::parse("00000000-0000-4000-8000-000000000001").unwrap();
        let memory = ContentMemory::new(8 << 20);
        for (bytes, is_here) in [(LARGE, true), (LARGE + 1, false)] {
            let answer = pin!(async {
                RequestMemory::keep(memory.reserve(project, bytes).into_iter().collect());
                write(|| thread::current().id()).await.unwrap()
            });
            let written_by = RequestMemory::default().during_all(answer).await;
            assert_eq!(written_by == thread::current().id(), is_here, "{bytes} bytes");
        }
    }

    #[actix_web::test]
    async fn what_a_client_has_left_counts_until_it_is_written() {
        let project = ProjectId::parse("00000000-0000-4000-8000-000000000002").unwrap();
        let (memory, gate) = (ContentMemory::new(8 << 20), Arc::new(Barrier::new(2)));
        let (of_writer, of_request) = (gate.clone(), memory.clone());
        let answer = async move {
            RequestMemory::keep(of_request.reserve(project, LARGE + 1).into_iter().collect());
            write(move || of_writer.wait()).await.is_ok()
        };
        let answer = RequestMemory::default().during_all(Box::pin(answer));
        // It is dropped at once, as if the client had gone.
        assert_eq!(answer.now_or_never(), None);
        assert_eq!(memory.in_use(), LARGE + 1);
        gate.wait();
        while memory.in_use() > 0 {
            tokio::task::yield_now().await;
        }
    }
}
