//! What a client gets when the parts below the HTTP layer fail: a store that answers with each of its
//! errors, panics, hangs, fails in the middle of a list, or can't say whether tokens have changed.

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use actix_web::body::{BodySize, BoxBody, MessageBody as _};
use actix_web::dev::ServiceResponse;
use actix_web::http::header::HeaderMap;
use actix_web::http::{Method, StatusCode};
use actix_web::rt::spawn;
use actix_web::test::{self, TestRequest};
use actix_web::{App, Error};
use bytes::Bytes;
use domain::access::Scheme;
use domain::error::StorageError;
use domain::id::ProjectId;
use domain::input::{Fields, Input};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString};
use serde::Serialize;
use serde_json::Value;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::options::HttpLimits;
use crate::pipeline::block_turn::BlockTurn;
use crate::pipeline::state::AppState;
use crate::server::configure;

use crate::samples::{Failing, SHORT, secret, state, token};

/// What came back.
struct TestResponse {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl TestResponse {
    fn code(&self) -> &str {
        self.body["code"].as_str().unwrap()
    }
}

async fn send(state: &Arc<AppState>, method: Method, path: &str) -> ServiceResponse<BoxBody> {
    call(state, TestRequest::default().method(method).uri(path)).await
}

async fn call(state: &Arc<AppState>, request: TestRequest) -> ServiceResponse<BoxBody> {
    let app = test::init_service(App::new().configure(configure(state.clone()))).await;
    let request = request.insert_header(("X-Api-Key", secret(Scheme::Bot).reveal()));
    test::call_service(&app, request.to_request()).await
}

async fn get(state: &Arc<AppState>, path: &str) -> TestResponse {
    read(send(state, Method::GET, path).await).await
}

/// Gets a bot for a client with this address.
async fn get_from(state: &Arc<AppState>, address: IpAddr) -> TestResponse {
    let request = TestRequest::default().uri(BOT).peer_addr((address, 1).into());
    read(call(state, request).await).await
}

async fn read(response: ServiceResponse<BoxBody>) -> TestResponse {
    let (status, headers) = (response.status(), response.headers().clone());
    let body = test::read_body(response).await;
    let text = std::str::from_utf8(&body).unwrap();
    assert!(!text.contains("nobody may know"), "{text}");
    TestResponse { status, headers, body: serde_json::from_slice(&body).unwrap() }
}

const BOT: &str = "/api/external/bot";

#[actix_web::test]
async fn each_error_of_the_store_has_its_problem() {
    let inside = || "what nobody may know".to_owned();
    for (error, status, code) in [
        (StorageError::Overloaded, 503, "overloaded"),
        (StorageError::Contended(inside()), 503, "contended"),
        (StorageError::Full(inside()), 503, "storage_full"),
        (StorageError::Unavailable(inside()), 503, "storage_unavailable"),
        (StorageError::Panicked(inside()), 500, "internal"),
        (StorageError::Broken(inside()), 500, "internal"),
    ] {
        let state = state(Failing::With(error), HttpLimits::default());
        for path in [BOT, "/readyz"] {
            let answer = get(&state, path).await;
            assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{path}");
            assert_eq!(answer.headers.contains_key("retry-after"), status == 503);
            let id = answer.headers.get("x-request-id").unwrap().to_str().unwrap();
            assert_eq!(answer.body["requestId"], id);
        }
    }
}

#[actix_web::test]
async fn a_panic_is_answered_and_the_next_request_too() {
    let state = state(Failing::ByPanic, HttpLimits::default());
    for _ in 0..2 {
        let answer = get(&state, BOT).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (500, "internal"));
    }
    assert_eq!(get(&state, "/healthz").await.status, 200);
    assert_eq!(state.requests_in_flight(), 0);
}

#[actix_web::test]
async fn a_request_that_takes_too_long_is_given_up() {
    let limits = HttpLimits { handler_timeout: Duration::from_millis(1), ..HttpLimits::default() };
    let answer = get(&state(Failing::ByHanging, limits), BOT).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (503, "timeout"));
}

#[actix_web::test]
async fn an_operation_without_timeout_takes_as_long_as_it_takes() {
    let limits = HttpLimits { handler_timeout: SHORT, ..HttpLimits::default() };
    let state = state(Failing::TooLate, limits);
    for (method, status) in [(Method::GET, 503), (Method::DELETE, 500)] {
        let response = send(&state, method, "/api/external/keyval/u").await;
        assert_eq!(response.status().as_u16(), status);
    }
}

#[actix_web::test]
async fn tokens_are_looked_up_every_time_while_their_changes_can_not_be_followed() {
    let units = Arc::new(AtomicUsize::new(0));
    let state = state(Failing::ToFollowTokens(units.clone()), HttpLimits::default());
    let answer = get(&state, BOT).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (404, "bot_not_found"));
    // It was revoked meanwhile.
    let answer = get(&state, BOT).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (401, "unauthenticated"));
    // A token that is not found is looked for a second time.
    assert_eq!(units.load(Ordering::SeqCst), 4);
}

#[actix_web::test]
async fn a_token_that_was_seen_does_not_wait_for_those_that_were_not() {
    let limits = HttpLimits { requests_in_flight: 2, ..HttpLimits::default() };
    let state = state(Failing::ToFollowTokens(Arc::default()), limits.clone());
    let [one, other] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]));
    // Its tokens may have half of all requests.
    let unknown = state.token_look_ups.begin(one, &limits).await.unwrap();
    let refused = get_from(&state, other).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (429, "too_many_at_once"));
    drop(unknown);
    assert_eq!(get_from(&state, other).await.code(), "bot_not_found");
    let _unknown = state.token_look_ups.begin(one, &limits).await.unwrap();
    assert_eq!(get_from(&state, other).await.code(), "unauthenticated", "it was looked up");
    let refused = get_from(&state, other).await;
    assert_eq!(refused.code(), "too_many_at_once", "it is as good as never seen");
}

#[actix_web::test]
async fn more_requests_than_the_service_takes_on_are_refused_at_once() {
    let limits = HttpLimits { requests_in_flight: 1, ..HttpLimits::default() };
    let state = state(Failing::With(StorageError::Broken(String::new())), limits);
    // What lies beside the API is no such request.
    let unread = send(&state, Method::GET, "/openapi.json").await;
    let mut held = state.enter();
    held.admit().unwrap();
    let answer = get(&state, BOT).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (503, "overloaded"));
    assert_eq!(get(&state, "/healthz").await.status, 200);
    drop(held);
    assert_eq!(get(&state, BOT).await.code(), "internal");
    drop(unread);
}

#[actix_web::test]
async fn few_texts_beside_the_api_are_on_their_way_at_once() {
    let beside = state(Failing::ByPanic, HttpLimits::default());
    let metrics = Arc::new(beside.for_metrics(Arc::new(|| "metrics".to_owned())).unwrap());
    for (state, paths, most) in
        [(metrics, &["/metrics"][..], 16), (beside, &["/openapi.json", "/docs/index.html"], 256)]
    {
        let path = |number: usize| paths[number % paths.len()];
        let mut unread = Vec::new();
        for number in 0..most {
            unread.push(send(&state, Method::GET, path(number)).await);
        }
        let answer = get(&state, path(0)).await;
        assert_eq!((answer.status.as_u16(), answer.code()), (503, "overloaded"));
        assert!(!test::read_body(unread.pop().unwrap()).await.is_empty());
        assert_eq!(send(&state, Method::GET, path(0)).await.status(), 200);
    }
}

#[actix_web::test]
async fn a_service_that_goes_down_is_not_ready_and_closes_connections() {
    let state = state(Failing::ToFollowTokens(Arc::default()), HttpLimits::default());
    assert_eq!(get(&state, "/readyz").await.status, 200);
    state.go_down();
    let answer = get(&state, "/readyz").await;
    assert_eq!((answer.status.as_u16(), answer.code()), (503, "not_ready"));
}

/// Counts the answers that broke off.
#[derive(Clone, Default)]
struct BrokenAnswers(Arc<AtomicU64>);

impl Recorder for BrokenAnswers {
    fn describe_counter(&self, _: KeyName, _: Option<metrics::Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<metrics::Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<metrics::Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        if key.name() != "botyard_http_broken_answers_total" {
            return Counter::noop();
        }
        let labels: Vec<_> = key.labels().map(|label| (label.key(), label.value())).collect();
        match labels[..] {
            [("operation", "listChangelog")] => Counter::from_arc(self.0.clone()),
            [("operation", _)] => Counter::noop(),
            _ => panic!("{labels:?}"),
        }
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

const CHANGELOG: &str = "/api/external/bot/changelog";

#[actix_web::test]
async fn a_list_that_fails_after_its_head_breaks_off_and_is_counted() {
    let broken = BrokenAnswers::default();
    let _recorder = metrics::set_default_local_recorder(&broken);
    let state = state(Failing::InTheMiddle(Arc::default()), HttpLimits::default());
    let response = send(&state, Method::GET, CHANGELOG).await;
    assert_eq!((response.status().as_u16(), broken.0.load(Ordering::SeqCst)), (200, 0));
    assert_eq!(state.requests_in_flight(), 1);
    let body: Result<Bytes, Error> = test::try_read_body(response).await.map_err(Into::into);
    assert!(body.is_err());
    assert_eq!(broken.0.load(Ordering::SeqCst), 1);
    assert_eq!(state.requests_in_flight(), 0);
}

#[actix_web::test]
async fn a_page_that_fails_is_a_problem() {
    let state = state(Failing::InTheMiddle(Arc::default()), HttpLimits::default());
    let answer = get(&state, &format!("{CHANGELOG}?limit=16")).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (500, "internal"));
}

#[actix_web::test]
async fn the_head_of_a_list_does_not_read_all_of_it() {
    let units = Arc::new(AtomicUsize::new(0));
    let state = state(Failing::InTheMiddle(units.clone()), HttpLimits::default());
    let response = send(&state, Method::HEAD, CHANGELOG).await;
    assert_eq!(response.status(), 200);
    assert!(test::read_body(response).await.is_empty());
    assert_eq!(units.load(Ordering::SeqCst), 2);
}

#[actix_web::test]
async fn a_list_waits_for_the_turn_of_its_project_which_is_active() {
    let of = token(Scheme::Bot).project_id;
    let other = ProjectId::parse("00000000-0000-4000-8000-000000000001").unwrap();
    let state = state(Failing::InTheMiddle(Arc::default()), HttpLimits::default());
    let before = Instant::now();
    assert!(!state.active_projects.has_other(other, before));
    let mut body = pin!(send(&state, Method::GET, CHANGELOG).await.into_body());
    assert!(state.active_projects.has_other(other, before));
    assert!(!state.active_projects.has_other(of, before));
    let mut turn = BlockTurn::of(of, state.active_projects.clone());
    let permit = poll_fn(|context| turn.poll(context)).await;
    // Without a turn, it would have read by then.
    for _ in 0..1_000 {
        let next = poll_fn(|context| Poll::Ready(body.as_mut().poll_next(context))).await;
        assert!(next.is_pending());
        yield_now().await;
    }
    drop(permit);
    assert!(poll_fn(|context| body.as_mut().poll_next(context)).await.is_some());
}

#[actix_web::test]
async fn an_answer_is_in_progress_until_its_body_was_handed_over() {
    let state = state(Failing::ByPanic, HttpLimits::default());
    let response = send(&state, Method::GET, "/healthz").await;
    assert_eq!(state.requests_in_flight(), 1);
    assert!(!test::read_body(response).await.is_empty());
    assert_eq!(state.requests_in_flight(), 0);
}

#[actix_web::test]
async fn a_long_answer_is_handed_over_in_parts_between_which_others_are_answered() {
    let state = state(Failing::ByPanic, HttpLimits::default());
    let mut body = pin!(send(&state, Method::GET, "/openapi.json").await.into_body());
    let BodySize::Sized(size) = body.size() else { panic!("{:?}", body.size()) };
    assert!(size > 256 << 10, "{size}");
    let (mut text, mut at_once) = (Vec::new(), 0);
    loop {
        let polled = poll_fn(|context| Poll::Ready(body.as_mut().poll_next(context))).await;
        match polled {
            Poll::Ready(Some(part)) => {
                let part = part.unwrap();
                assert!(part.len() <= 64 << 10, "{}", part.len());
                text.extend_from_slice(&part);
                at_once += part.len();
            }
            Poll::Ready(None) => break,
            Poll::Pending => at_once = 0,
        }
        assert!(at_once <= 256 << 10, "{at_once}");
    }
    assert_eq!(text, state.openapi());
    assert_eq!(state.openapi().as_ptr(), state.openapi().as_ptr(), "answers share it");
}

/// A body that records where it was parsed.
#[derive(Debug, Serialize)]
struct ParsedOn {
    #[serde(skip)]
    on: ThreadId,
}

impl Input for ParsedOn {
    fn read(fields: &mut Fields<'_>) -> Self {
        assert!(!fields.has_value("panic"));
        Self { on: thread::current().id() }
    }
}

#[actix_web::test]
async fn large_bodies_are_parsed_elsewhere() {
    let state = state(Failing::ByPanic, HttpLimits::default());
    let parse = |size: usize, body: &str| {
        let padded = body.to_owned() + &" ".repeat(size - body.len());
        let (state, bytes) = (state.clone(), Bytes::from(padded));
        async move { state.app.parse::<ParsedOn>(ProjectId::NIL, bytes).await }
    };
    let here = thread::current().id();
    assert_eq!(parse(256 << 10, "{}").await.unwrap().unwrap().on, here);
    assert_ne!(parse((256 << 10) + 1, "{}").await.unwrap().unwrap().on, here);
    let problem = parse(1 << 20, r#"{"panic":1}"#).await.err().unwrap();
    assert_eq!(problem.status(), 500);
}

#[actix_web::test]
async fn large_bodies_of_one_project_leave_a_core_to_others() {
    if thread::available_parallelism().unwrap().get() == 1 {
        return;
    }
    let state = state(Failing::ByPanic, HttpLimits::default());
    let other = ProjectId::parse("00000000-0000-4000-8000-000000000001").unwrap();
    let (release, gate) = channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let busy: Vec<_> = (0..100)
        .map(|_| {
            let (app, gate) = (state.app.clone(), gate.clone());
            let work = move |_: &_| gate.lock().unwrap().recv().is_err();
            spawn(async move { app.beside(ProjectId::NIL, 1 << 20, work).await })
        })
        .collect();
    // They take their permits.
    yield_now().await;
    let of_other = state.app.beside(other, 1 << 20, |_| true);
    let of_other = timeout(Duration::from_secs(30), of_other).await;
    drop(release);
    assert!(of_other.expect("it waits for those of the first one").unwrap());
    for busy in busy {
        assert!(busy.await.unwrap().unwrap());
    }
}

#[actix_web::test]
async fn metrics_on_their_own_address_are_all_there_is() {
    let beside = state(Failing::ByPanic, HttpLimits::default());
    let metrics = Arc::new(beside.for_metrics(Arc::new(|| "a 1\n".to_owned())).unwrap());
    for method in [Method::GET, Method::HEAD] {
        let response = send(&metrics, method, "/metrics").await;
        assert_eq!(response.status(), 200);
        assert!(response.headers().contains_key("x-request-id"));
    }
    for path in ["/", "/healthz", "/openapi.json", BOT] {
        assert_eq!(get(&metrics, path).await.code(), "unknown_path", "{path}");
    }
    let response = send(&metrics, Method::POST, "/metrics").await;
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers().get("allow").unwrap(), "GET, HEAD");
}
