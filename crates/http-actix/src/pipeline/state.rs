//! What all workers of the HTTP server share.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actix_web::web::Bytes;
use domain::Botyard;
use domain::entropy::Entropy;
use domain::id::{ProjectId, TokenId};
use domain::slots::ProjectSlots;
use metrics::{Gauge, gauge};
use tokio::sync::Semaphore;

use super::active_projects::ActiveProjects;
use super::app::App;
use super::observe::{self, OperationMetrics};
use super::operation::Operation;
use super::principals::Principals;
use super::rate::Rates;
use super::route::{Route, ServiceRoute};
use super::router::Router;
use super::shared_check::SharedCheck;
use super::token_look_ups::TokenLookUps;
use super::whole_lists::WholeLists;
use crate::openapi;
use crate::options::{HttpOptions, RenderMetrics};
use crate::problem::{Problem, ProblemKind};
use crate::table;

/// How many texts of `/metrics` are made and sent at once: each is in memory for one reader, and anybody can ask for it.
const METRICS_TEXTS: usize = 16;

/// The same of the API document and the files of its reader: a connection that does not read has 64 KiB of one.
const DOCUMENTS: usize = 256;

/// How often the database and the files are looked at for `/readyz` at most.
const READINESS_INTERVAL: Duration = Duration::from_millis(20);

/// What all workers share.
pub struct AppState {
    pub(crate) app: Arc<App>,
    pub(crate) router: Router<Route>,
    pub(crate) principals: Principals,
    pub(super) token_look_ups: TokenLookUps,
    pub(crate) token_rates: Option<Rates<TokenId>>,
    pub(crate) project_rates: Option<Rates<ProjectId>>,
    /// Requests in progress of each project.
    pub(crate) of_projects: ProjectSlots,
    pub(super) active_projects: ActiveProjects,
    pub(super) whole_lists: WholeLists,
    openapi: OnceLock<Bytes>,
    pub(super) readiness: SharedCheck,
    /// For the texts of `/metrics` that are on their way.
    pub(super) metrics_texts: Arc<Semaphore>,
    /// For the API document and the files of its reader that are on their way.
    pub(super) documents: Arc<Semaphore>,
    pub(crate) swagger: Arc<utoipa_swagger_ui::Config<'static>>,
    pub(crate) unrouted: Arc<OperationMetrics>,
    requests_in_flight: AtomicUsize,
    /// Those of them that are counted by the limit.
    operations_in_flight: AtomicUsize,
    in_flight_gauge: Gauge,
    request_prefix: String,
    requests: AtomicU64,
    /// The number of the next span of a trace. It begins anywhere, so that no two processes count through the same
    /// ones.
    next_span: AtomicU64,
}

impl AppState {
    /// The state of one server.
    ///
    /// # Errors
    /// A sentence if the table of operations contradicts itself.
    pub fn new(
        botyard: Botyard,
        options: HttpOptions,
        entropy: &dyn Entropy,
    ) -> Result<Self, String> {
        observe::describe();
        let mut random = [[0_u8; 8]; 2];
        entropy.fill(random.as_flattened_mut());
        let [prefix, first_span] = random.map(u64::from_be_bytes);
        let prefix = format!("{prefix:016x}");
        let state = Self::with(botyard, options, table::operations(), ServiceRoute::ALL, prefix)?;
        Ok(Self { next_span: AtomicU64::new(first_span), ..state })
    }

    /// The state of a server beside this one, which has nothing but `/metrics`.
    pub(crate) fn for_metrics(&self, render: RenderMetrics) -> Result<Self, String> {
        let options = HttpOptions {
            metrics: Some(render),
            cors_origins: Vec::new(),
            ..self.app.options.clone()
        };
        let prefix = format!("{}-m", self.request_prefix);
        Self::with(self.app.botyard.clone(), options, Vec::new(), ServiceRoute::METRICS, prefix)
    }

    /// The state of a server of this table.
    pub(crate) fn with(
        botyard: impl Into<Arc<Botyard>>,
        options: HttpOptions,
        operations: Vec<Operation>,
        services: &[(&str, ServiceRoute)],
        request_prefix: String,
    ) -> Result<Self, String> {
        let mut router = Router::default();
        for operation in operations {
            let (method, path) = (operation.method.clone(), operation.path.clone());
            let metrics = OperationMetrics::of(&operation.id);
            router.add(method, &path, Route::Operation(Box::new(operation), Arc::new(metrics)))?;
        }
        for (path, route) in services {
            router.add(actix_web::http::Method::GET, path, Route::Service(*route))?;
        }
        Ok(Self {
            router,
            principals: Principals::default(),
            token_look_ups: TokenLookUps::default(),
            token_rates: options.token_rate.and_then(Rates::new),
            project_rates: options.project_rate.and_then(Rates::new),
            of_projects: ProjectSlots::default(),
            active_projects: ActiveProjects::default(),
            whole_lists: WholeLists::default(),
            openapi: OnceLock::new(),
            readiness: SharedCheck::every(READINESS_INTERVAL),
            metrics_texts: Arc::new(Semaphore::new(METRICS_TEXTS)),
            documents: Arc::new(Semaphore::new(DOCUMENTS)),
            swagger: Arc::new(swagger()),
            unrouted: Arc::new(OperationMetrics::of("none")),
            requests_in_flight: AtomicUsize::new(0),
            operations_in_flight: AtomicUsize::new(0),
            in_flight_gauge: gauge!(observe::IN_FLIGHT),
            next_span: AtomicU64::new(1),
            request_prefix,
            requests: AtomicU64::new(0),
            app: Arc::new(App::new(botyard.into(), options)),
        })
    }

    /// The API document. It is made when it is first asked for: that takes memory which a server that is
    /// never asked need not have.
    pub(crate) fn openapi(&self) -> Bytes {
        let make = || {
            let settings = self.app.botyard.input_settings();
            openapi::document(&table::operations(), settings, &self.app.options).into()
        };
        self.openapi.get_or_init(make).clone()
    }

    /// Says that the server is going down: it is not ready any more, and every answer closes its
    /// connection.
    pub fn go_down(&self) {
        self.app.go_down();
    }

    /// Whether the server is going down.
    #[must_use]
    pub fn is_going_down(&self) -> bool {
        self.app.is_going_down()
    }

    /// Requests whose answer is not complete yet.
    #[must_use]
    pub fn requests_in_flight(&self) -> usize {
        self.requests_in_flight.load(Ordering::SeqCst)
    }

    /// Forgets what has not been used for a while.
    pub fn tidy(&self) {
        if let Some(rates) = &self.token_rates {
            rates.forget_idle();
        }
        if let Some(rates) = &self.project_rates {
            rates.forget_idle();
        }
    }

    /// A request id that no other request of any node has.
    pub(crate) fn request_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{}-{number:x}", self.request_prefix)
    }

    /// A number for a span of a trace, which no other span of this process has.
    pub(crate) fn span_number(&self) -> u64 {
        self.next_span.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a request in, until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>) -> InFlight {
        self.requests_in_flight.fetch_add(1, Ordering::SeqCst);
        self.in_flight_gauge.increment(1.0);
        InFlight { state: self.clone(), is_operation: false }
    }
}

/// How the page at `/docs` shows the document: groups folded, with a field that filters them. It keeps tokens in the
/// browser, so that a reload does not lose them, and asks no validator elsewhere.
fn swagger() -> utoipa_swagger_ui::Config<'static> {
    utoipa_swagger_ui::Config::from("/openapi.json")
        .persist_authorization(true)
        .filter(true)
        .doc_expansion("none")
        .default_models_expand_depth(0)
        .deep_linking(true)
        .display_request_duration(true)
        .validator_url("none")
}

/// A request in progress.
pub(crate) struct InFlight {
    state: Arc<AppState>,
    /// Whether it counts against the limit for operations.
    is_operation: bool,
}

impl InFlight {
    /// Counts the request as that of an operation, or refuses it if there are as many already as the service takes on.
    /// What lies beside the API does not count: anybody can ask for it, and not read the answer.
    pub(crate) fn admit(&mut self) -> Result<(), Problem> {
        let others = self.state.operations_in_flight.fetch_add(1, Ordering::SeqCst);
        self.is_operation = true;
        if others < self.state.app.options.limits.requests_in_flight {
            return Ok(());
        }
        let detail = "The service has as many requests in progress as it takes on.";
        Err(Problem::new(ProblemKind::Overloaded, detail))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        if self.is_operation {
            self.state.operations_in_flight.fetch_sub(1, Ordering::SeqCst);
        }
        self.state.in_flight_gauge.decrement(1.0);
        self.state.requests_in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}
