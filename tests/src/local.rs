//! The API in this process, without a socket: for what is decided behind it, of many requests.

use std::fs::File;
use std::future::poll_fn;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Once, mpsc};
use std::time::Duration;
use std::{env, process, thread};

use actix_web::body::MessageBody as _;
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_LENGTH, HeaderMap, HeaderValue, TRANSFER_ENCODING};
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, rt};
use async_trait::async_trait;
use domain::event::NewEvents;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::store::{BoxedUnit, Outcome, Store};
use domain::{Botyard, DomainError, StorageError};
use http_actix::{AppState, HttpLimits, HttpOptions, configure};
use storage_diesel::DieselStore;
use storage_diesel::system::SystemEntropy;
use tracing_subscriber::filter::LevelFilter;

use crate::installation::LOGS;
use crate::response::Response;

/// What the API logs in this process is searched for secrets like the logs of servers.
static LOG: Once = Once::new();

fn write_log() {
    let Some(folder) = env::var_os(LOGS).filter(|folder| !folder.is_empty()) else {
        return;
    };
    let path = Path::new(&folder).join(format!("in-process-{}.log", process::id()));
    let file = File::create(path).expect("a file for the log");
    let log = tracing_subscriber::fmt().json().with_max_level(LevelFilter::DEBUG).with_writer(file);
    // This fails if another part of this process has set up its own log before; that one stays then.
    let _ = log.try_init();
}

/// A request as it goes in.
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// A thread that answers requests one after the other. It ends when this is dropped.
pub(crate) struct Local {
    requests: mpsc::Sender<(Asked, mpsc::Sender<Response>)>,
}

impl Local {
    /// Answers with these services.
    pub(crate) fn start(botyard: Botyard, limits: HttpLimits) -> Result<Self, String> {
        // No worker does jobs in this process, so there is nothing to wait for.
        let extraction_wait = Duration::ZERO;
        let options = HttpOptions { limits, extraction_wait, ..HttpOptions::default() };
        let state = Arc::new(AppState::new(botyard, options, &SystemEntropy)?);
        LOG.call_once(write_log);
        let (requests, asked) = mpsc::channel::<(Asked, mpsc::Sender<Response>)>();
        thread::spawn(move || {
            rt::System::new().block_on(async {
                let service = init_service(App::new().configure(configure(state))).await;
                while let Ok((asked, answer)) = asked.recv() {
                    let mut request = request(&asked).to_request();
                    announce(request.headers_mut(), &asked);
                    let response = call_service(&service, request).await;
                    let status = response.status().as_u16();
                    let headers = response.headers().iter().map(|(name, value)| {
                        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                        (name.as_str().to_owned(), value)
                    });
                    let headers: Vec<_> = headers.collect();
                    let body = if Response::is_endless(&headers) {
                        let mut body = response.into_body();
                        let piece = poll_fn(|context| Pin::new(&mut body).poll_next(context)).await;
                        piece.and_then(Result::ok).map(|piece| piece.to_vec()).unwrap_or_default()
                    } else {
                        read_body(response).await.to_vec()
                    };
                    let Asked { method, path, .. } = asked;
                    // A test that has failed meanwhile does not listen any more.
                    let _ = answer.send(Response::new(method, path, status, headers, body));
                }
            });
        });
        Ok(Self { requests })
    }

    /// The answer to a request.
    ///
    /// # Panics
    /// If the thread that answers has panicked.
    #[track_caller]
    pub(crate) fn answer(&self, asked: Asked) -> Response {
        let (sender, answer) = mpsc::channel();
        self.requests.send((asked, sender)).expect("the API answers");
        answer.recv().expect("the API answers")
    }
}

fn request(asked: &Asked) -> TestRequest {
    let method = Method::from_bytes(asked.method.as_bytes()).expect("a method");
    let request = TestRequest::default().method(method).uri(&asked.path);
    let request = asked.headers.iter().fold(request, |request, (name, value)| {
        request.append_header((name.as_str(), value.as_bytes()))
    });
    if asked.body.is_empty() { request } else { request.set_payload(asked.body.clone()) }
}

/// Announces the body as the caller does. The payload of a request has announced its length already.
fn announce(headers: &mut HeaderMap, asked: &Asked) {
    for name in [CONTENT_LENGTH, TRANSFER_ENCODING] {
        let given =
            asked.headers.iter().find(|(known, _)| name.as_str().eq_ignore_ascii_case(known));
        if let Some((_, value)) = given {
            headers.remove(CONTENT_LENGTH);
            headers.insert(name, HeaderValue::from_str(value).expect("the value of a header"));
        }
    }
}

/// A store that counts the units which were begun in order to write.
pub(crate) struct Counting {
    pub(crate) store: DieselStore,
    pub(crate) writes: Arc<AtomicU64>,
}

#[async_trait]
impl Store for Counting {
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        if mode == Mode::Write {
            self.writes.fetch_add(1, Ordering::SeqCst);
        }
        self.store.run(mode, tenant, unit).await
    }

    fn access_version(&self) -> Option<u64> {
        self.store.access_version()
    }

    fn new_events(&self) -> &NewEvents {
        self.store.new_events()
    }

    async fn check(&self) -> Result<(), StorageError> {
        self.store.check().await
    }
}
