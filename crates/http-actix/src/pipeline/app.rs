//! What all handlers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use bytes::Bytes;
use domain::Botyard;
use domain::id::ProjectId;
use domain::input::{Input, Valid};
use domain::memory::ContentMemory;
use domain::per_key::{PerProject, half_of_the_cores};
use domain::violation::Violations;
use tokio::sync::Semaphore;

use super::event_streams::EventStreams;
use crate::options::HttpOptions;
use crate::problem::Problem;
use crate::reply::answer_cache::AnswerCache;

/// Bodies up to this size are parsed where they arrive; a larger one would hold up all connections of
/// its worker.
const PARSED_AT_ONCE: usize = 256 << 10;

/// The services, and how they are offered.
pub struct App {
    /// Shared as one: each service in it counts its holders, and all requests would count at once.
    pub(crate) botyard: Arc<Botyard>,
    pub(crate) options: HttpOptions,
    /// The memory for bodies that are read whole.
    pub(crate) body_memory: Arc<ContentMemory>,
    /// Answers about bots.
    pub(crate) bot_answers: AnswerCache,
    /// As many large bodies are parsed at once as there are cores.
    parsers: Arc<Semaphore>,
    /// Half of them for each project, so that others need not wait for all of its bodies.
    parsers_of_projects: PerProject<Semaphore>,
    /// Streams of events that are open.
    pub(crate) event_streams: EventStreams,
    going_down: AtomicBool,
}

impl App {
    pub(crate) fn new(botyard: Arc<Botyard>, options: HttpOptions) -> Self {
        let parsers = Semaphore::new(available_parallelism().map_or(1, usize::from));
        let body_memory = ContentMemory::new(options.limits.body_memory);
        let going_down = AtomicBool::new(false);
        let (bot_answers, parsers) = (AnswerCache::default(), Arc::new(parsers));
        let event_streams = EventStreams::default();
        let parsers_of_projects = PerProject::new(|| Semaphore::new(half_of_the_cores()));
        Self {
            botyard,
            options,
            body_memory,
            bot_answers,
            parsers,
            parsers_of_projects,
            event_streams,
            going_down,
        }
    }

    /// Says that the server is going down.
    pub(super) fn go_down(&self) {
        self.going_down.store(true, Ordering::SeqCst);
        self.event_streams.wake_all();
    }

    /// Whether the server is going down, so that nothing should be waited for.
    pub(crate) fn is_going_down(&self) -> bool {
        self.going_down.load(Ordering::SeqCst)
    }

    /// Makes a body of the bytes that came.
    pub(crate) async fn parse<B: Input>(
        self: &Arc<Self>,
        project: ProjectId,
        bytes: Bytes,
    ) -> Result<Result<Valid<B>, Violations>, Problem> {
        let size = bytes.len();
        self.beside(project, size, move |app| B::parse(&bytes, app.botyard.input_settings())).await
    }

    /// Does something with so many bytes of a body of this project, with many beside the thread that answers requests.
    pub(crate) async fn beside<T: Send + 'static>(
        self: &Arc<Self>,
        project: ProjectId,
        size: usize,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        if size <= PARSED_AT_ONCE {
            return Ok(work(self));
        }
        let app = self.clone();
        let of_project = self.parsers_of_projects.of(project).acquire_owned().await;
        let permit = self.parsers.clone().acquire_owned().await;
        let working = tokio::task::spawn_blocking(move || {
            // Kept until the work has ended, even if its caller has gone.
            let _permits = (of_project, permit);
            work(&app)
        });
        working.await.map_err(|error| Problem::internal(error.to_string()))
    }
}
