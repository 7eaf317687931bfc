//! What a client gets when the parts below the HTTP layer fail: a store that answers with each of its
//! errors, panics, hangs, or can't say whether tokens have changed.

use std::sync::Arc;
use std::time::Duration;

use actix_web::App;
use actix_web::http::StatusCode;
use actix_web::http::header::HeaderMap;
use actix_web::test::{self, TestRequest};
use actix_web::web::{self, Data};
use async_trait::async_trait;
use domain::access::{Scheme, Secret};
use domain::body::ModelSources;
use domain::error::{DomainError, StorageError};
use domain::store::{Mode, Outcome, Store, Unit};
use domain::testing::{SeededEntropy, SetClock};
use domain::{Botyard, Limits, Ports};
use serde_json::Value;

use crate::dispatch::dispatch;
use crate::options::{HttpLimits, HttpOptions};
use crate::state::AppState;

/// How the store behaves.
#[derive(Clone)]
enum Failing {
    With(StorageError),
    ByPanic,
    ByHanging,
    ToFollowTokens,
}

#[async_trait]
impl Store for Failing {
    async fn run(&self, _: Mode, _: Unit) -> Result<Outcome, DomainError> {
        match self {
            Self::With(error) => Err(error.clone().into()),
            Self::ByPanic => panic!("what nobody may know"),
            Self::ByHanging => std::future::pending().await,
            Self::ToFollowTokens => Err(StorageError::Broken("must not be asked".into()).into()),
        }
    }

    fn access_version(&self) -> Option<u64> {
        match self {
            Self::ToFollowTokens => None,
            Self::With(_) | Self::ByPanic | Self::ByHanging => Some(0),
        }
    }

    async fn check(&self) -> Result<(), StorageError> {
        match self {
            Self::With(error) => Err(error.clone()),
            Self::ByPanic | Self::ByHanging | Self::ToFollowTokens => Ok(()),
        }
    }
}

/// What came back.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Value,
}

impl Answer {
    fn code(&self) -> &str {
        self.body["code"].as_str().unwrap()
    }
}

fn state(store: Failing, limits: HttpLimits) -> Arc<AppState> {
    let ports = Ports {
        store: Arc::new(store),
        clock: Arc::new(SetClock::at(1_000)),
        entropy: Arc::new(SeededEntropy::new(1)),
    };
    let botyard = Botyard::new(ports, Limits::default(), ModelSources::default());
    let options = HttpOptions { limits, ..HttpOptions::default() };
    Arc::new(AppState::new(botyard, options, &SeededEntropy::new(2)).unwrap())
}

async fn get(state: &Arc<AppState>, path: &str) -> Answer {
    let app = App::new().app_data(Data::new(state.clone())).default_service(web::to(dispatch));
    let app = test::init_service(app).await;
    let secret = Secret::generate(Scheme::Bot, &SeededEntropy::new(3));
    let request = TestRequest::get().uri(path).insert_header(("X-Api-Key", secret.reveal()));
    let response = test::call_service(&app, request.to_request()).await;
    let (status, headers) = (response.status(), response.headers().clone());
    let body = test::read_body(response).await;
    let text = std::str::from_utf8(&body).unwrap();
    assert!(!text.contains("nobody may know"), "{text}");
    Answer { status, headers, body: serde_json::from_slice(&body).unwrap() }
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
async fn nobody_is_let_in_while_changes_of_tokens_can_not_be_followed() {
    let answer = get(&state(Failing::ToFollowTokens, HttpLimits::default()), BOT).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (503, "storage_unavailable"));
}

#[actix_web::test]
async fn more_requests_than_the_service_takes_on_are_refused_at_once() {
    let limits = HttpLimits { requests_in_flight: 1, ..HttpLimits::default() };
    let state = state(Failing::With(StorageError::Broken(String::new())), limits);
    let held = state.enter();
    let answer = get(&state, BOT).await;
    assert_eq!((answer.status.as_u16(), answer.code()), (503, "overloaded"));
    assert_eq!(get(&state, "/healthz").await.status, 200);
    drop(held);
    assert_eq!(get(&state, BOT).await.code(), "internal");
}

#[actix_web::test]
async fn a_service_that_goes_down_is_not_ready_and_closes_connections() {
    let state = state(Failing::ToFollowTokens, HttpLimits::default());
    assert_eq!(get(&state, "/readyz").await.status, 200);
    state.go_down();
    let answer = get(&state, "/readyz").await;
    assert_eq!((answer.status.as_u16(), answer.code()), (503, "not_ready"));
}
