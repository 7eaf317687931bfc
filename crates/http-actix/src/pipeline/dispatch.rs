//! The outermost layer: every request comes in here and every answer goes out here, panics included.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use actix_web::body::{BodySize, BoxBody, MessageBody as _};
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::http::{ConnectionType, Method};
use actix_web::web::{self, Data};
use actix_web::{HttpRequest, HttpResponse};
use domain::access::{Principal, SECRET_PREFIXES, Scheme};
use domain::id::TokenId;
use domain::memory::RequestMemory;
use domain::slots::ProjectSlot;
use futures_util::FutureExt;

use crate::body::stream::BodyStream;
use crate::connection::addresses::network;
use crate::connection::exchange::Exchange;
use crate::pipeline::answer_body::{AnswerBody, Rest};
use crate::pipeline::block_turn::BlockTurn;
use crate::pipeline::call::Incoming;
use crate::pipeline::misplaced_token;
use crate::pipeline::observe::RequestLine;
use crate::pipeline::operation::Operation;
use crate::pipeline::principals::PresentedToken;
use crate::pipeline::route::Route;
use crate::pipeline::router::{PathParams, RouteMatch};
use crate::pipeline::state::AppState;
use crate::pipeline::ticket;
use crate::pipeline::token_look_ups::TokenLookUp;
use crate::pipeline::trace::{TRACERESPONSE, Trace};
use crate::problem::{Problem, ProblemKind};
use crate::reply::ReplyKind;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");
/// Below this everything is content of clients, which no cache may keep.
const API: &str = "/api/external";

/// What is learnt of a request on its way.
#[derive(Default)]
struct RequestContext {
    token: Option<TokenId>,
    scheme: Option<Scheme>,
    /// Counts the request as one of its project.
    of_project: Option<ProjectSlot>,
    /// Counts a whole list as one of its project.
    whole_list: Option<ProjectSlot>,
}

/// Answers one request.
pub(crate) async fn dispatch(
    state: Data<Arc<AppState>>,
    request: HttpRequest,
    payload: web::Payload,
) -> HttpResponse {
    let started = Instant::now();
    let state: &Arc<AppState> = &state;
    let request_id = request_id(state, request.headers());
    let trace = Trace::of(request.headers(), || state.span_number());
    let mut context = RequestContext::default();
    let mut in_flight = state.enter();
    let refusal = request.conn_data::<Exchange>().and_then(Exchange::refusal);
    let found = match refusal {
        Some(refusal) => Err(refusal.into()),
        None => find(state, &request),
    };
    let (operation, metrics) = match &found {
        Ok((Route::Operation(operation, metrics), _)) => (Some(operation), metrics),
        Ok((Route::Service(_), _)) | Err(_) => (None, &state.unrouted),
    };
    let (is_operation, is_endless) = match operation {
        Some(operation) => (true, operation.reply.kind == ReplyKind::EventStream),
        None => (false, false),
    };
    // A service that has too much to do is alive all the same, and says so.
    let found = found.and_then(|(route, path)| match route {
        Route::Operation(..) => in_flight.admit().map(|()| (route, path)),
        Route::Service(_) => Ok((route, path)),
    });
    let body = BodyStream::of(&request, payload.into_inner(), state.app.options.limits.body_pace);
    let memory = RequestMemory::default();
    let answer = match found {
        Ok((route, path)) => {
            let answer = guarded(state, route, path, request.clone(), body.clone(), &mut context);
            memory.during_all(std::pin::pin!(answer)).await
        }
        Err(problem) => Err(problem),
    };
    // Wherever the request ended, by a panic or for lack of time included: the unread rest of its body
    // stands in the way of the next one.
    body.discard();
    let problem = answer.as_ref().err().cloned();
    let mut response = answer.unwrap_or_else(|problem| {
        let header = context.scheme.map(|scheme| (scheme, state.app.options.token_header(scheme)));
        problem.respond(&request_id, header)
    });
    let is_api = is_operation || refusal.is_some() || request.path().starts_with(API);
    complete_headers(is_api, &request_id, response.headers_mut());
    add_trace(trace.as_ref(), response.headers_mut());
    if problem.is_some() && !body.is_at_end() || state.is_going_down() {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    let line = RequestLine {
        request_id: &request_id,
        trace: trace.as_ref(),
        operation: metrics.operation(),
        method: request.method().as_str(),
        status: response.status().as_u16(),
        took: started.elapsed(),
        token: context.token,
        client: client(state, &request),
    };
    metrics.count(line.status, line.took);
    line.write(problem.as_ref());
    // What has no end is no request in progress any more, and has slots of its own.
    let counted = (!is_endless).then_some((in_flight, context.of_project, context.whole_list));
    let of_project = counted.as_ref().and_then(|(_, of_project, _)| of_project.as_ref());
    let active = &state.active_projects;
    let turn = of_project.map(|slot| BlockTurn::of(slot.project(), active.clone()));
    let (is_head, metrics) = (request.method() == Method::HEAD, metrics.clone());
    response.map_body(|_, body| {
        BoxBody::new(AnswerBody {
            body,
            rest: Rest::default(),
            failed: None,
            turn,
            memory,
            is_head,
            request_id,
            metrics,
            _counted: counted,
        })
    })
}

fn add_trace(trace: Option<&Trace>, headers: &mut HeaderMap) {
    if let Some(trace) = trace
        && let Ok(value) = HeaderValue::try_from(trace.to_string())
    {
        headers.insert(TRACERESPONSE, value);
    }
}

fn find<'a>(
    state: &'a AppState,
    request: &HttpRequest,
) -> Result<(&'a Route, PathParams), Problem> {
    let limits = &state.app.options.limits;
    let too_long = || {
        let detail = "Path and query, or one segment of the path, are longer than allowed.";
        Problem::new(ProblemKind::UriTooLong, detail)
    };
    let path_and_query = request.uri().path_and_query();
    if path_and_query.is_some_and(|whole| whole.as_str().len() > limits.path) {
        return Err(too_long());
    }
    match state.router.find(request.method(), request.uri().path(), limits.path_segment) {
        RouteMatch::Route(route, params) => Ok((route, params)),
        RouteMatch::OtherMethods(allow) => Err(Problem::method_not_allowed(allow)),
        RouteMatch::Nothing => {
            let detail = "This path is none of this API's.";
            Err(Problem::new(ProblemKind::UnknownPath, detail))
        }
        RouteMatch::TooLong => Err(too_long()),
    }
}

/// Runs a route within the time that it has, and turns a panic into a problem.
async fn guarded(
    state: &Arc<AppState>,
    route: &Route,
    path: PathParams,
    request: HttpRequest,
    body: BodyStream,
    context: &mut RequestContext,
) -> Result<HttpResponse, Problem> {
    let timeout = match route {
        Route::Operation(operation, _) => operation.timeout(&state.app.options),
        Route::Service(_) => Some(state.app.options.limits.handler_timeout),
    };
    let answer = async {
        match route {
            Route::Operation(operation, _) => {
                run(state, operation, path, request, body.clone(), context).await
            }
            Route::Service(service) => service.answer(state, &path).await,
        }
    };
    let answer = AssertUnwindSafe(answer).catch_unwind();
    let answer = match timeout {
        Some(timeout) => {
            let answer = tokio::time::timeout(timeout, answer).await;
            let late = || if body.is_awaited() { Problem::too_slow() } else { Problem::timeout() };
            answer.map_err(|_| late())?
        }
        None => answer.await,
    };
    answer.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Problem::internal(text.unwrap_or_else(|| "a panic".to_owned())))
    })
}

/// Token, rate, scope; the rest of the way depends on the operation's types.
async fn run(
    state: &Arc<AppState>,
    operation: &Operation,
    path: PathParams,
    request: HttpRequest,
    body: BodyStream,
    context: &mut RequestContext,
) -> Result<HttpResponse, Problem> {
    context.scheme = Some(operation.scheme);
    let principal = authenticate(state, operation, &request).await?;
    context.token = Some(principal.token_id());
    if let Some(rates) = &state.token_rates {
        rates.count(principal.token_id())?;
    }
    if let Some(rates) = &state.project_rates {
        rates.count(principal.project_id())?;
    }
    let limit = state.app.options.limits.requests_per_project;
    context.of_project = state.of_projects.begin(principal.project_id(), limit);
    if context.of_project.is_none() {
        return Err(Problem::too_many_at_once("The project has", "requests"));
    }
    state.active_projects.note(principal.project_id(), Instant::now());
    principal.allow(operation.scopes, operation.writes())?;
    if operation.body.is_none() {
        body.discard();
    }
    let (app, project) = (state.app.clone(), principal.project_id());
    let most = state.app.options.limits.lists_per_project;
    let _beginning = if operation.asks_for_whole_list(request.query_string()) {
        Some(state.whole_lists.prepare(project, most).await?)
    } else {
        None
    };
    let preconditions = operation.preconditions();
    let awaits_extraction = operation.awaits_extraction;
    let incoming =
        Incoming { app, request, body, path, principal, preconditions, awaits_extraction };
    let answer = (operation.run)(incoming).await?;
    // Some objects with a list in them are streamed as well.
    let is_list = operation.reply.kind != ReplyKind::EventStream;
    if is_list && answer.body().size() == BodySize::Stream {
        context.whole_list = Some(state.whole_lists.begin(project, most)?);
    }
    Ok(answer)
}

/// Who bears the token of a request, or its ticket.
async fn authenticate(
    state: &AppState,
    operation: &Operation,
    request: &HttpRequest,
) -> Result<Arc<Principal>, Problem> {
    let (botyard, options) = (&state.app.botyard, &state.app.options);
    if let Some(ticket) = ticket::of_request(operation, request, options) {
        let _turn = begin_look_up(state, request).await?;
        let redeemed = botyard.access.redeem_ticket(operation.scheme, &ticket).await;
        return redeemed.map(Arc::new).map_err(ticket::problem);
    }
    let (headers, header) = (request.headers(), options.token_header(operation.scheme));
    let problem = |error| misplaced_token::problem(error, headers, options);
    let token = PresentedToken::of(operation.scheme, headers, header).map_err(problem)?;
    if let Some(found) = state.principals.remembered(botyard, &token) {
        return Ok(found);
    }
    let asked = Instant::now();
    let _turn = begin_token_look_up(state, request, &token).await?;
    state.principals.look_up(botyard, token, asked).await.map_err(problem)
}

/// Waits until a token may be looked up.
async fn begin_token_look_up(
    state: &AppState,
    request: &HttpRequest,
    token: &PresentedToken,
) -> Result<Option<TokenLookUp>, Problem> {
    if state.principals.has_seen(token) {
        let limits = &state.app.options.limits;
        let turn = state.token_look_ups.begin_again(token.digest(), limits).await?;
        // Others may have found meanwhile that it is not valid any more.
        if state.principals.has_seen(token) {
            return Ok(Some(turn));
        }
    }
    begin_look_up(state, request).await
}

/// Waits until a token that was not seen before, or a ticket, may be looked up for the client.
async fn begin_look_up(
    state: &AppState,
    request: &HttpRequest,
) -> Result<Option<TokenLookUp>, Problem> {
    let Some(address) = client(state, request) else { return Ok(None) };
    let limits = &state.app.options.limits;
    state.token_look_ups.begin(network(address.to_canonical()), limits).await.map(Some)
}

/// The request's own id if it is fit to be logged, else a new one.
fn request_id(state: &AppState, headers: &HeaderMap) -> String {
    let given = headers.get(X_REQUEST_ID).and_then(|id| id.to_str().ok()).filter(|id| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        (1..=64).contains(&id.len()) && id.bytes().all(fits) && !may_hold_a_token(id)
    });
    given.map_or_else(|| state.request_id(), ToOwned::to_owned)
}

/// Request ids go into answers and logs, where no token may ever stand, not even if a client sent it.
fn may_hold_a_token(id: &str) -> bool {
    SECRET_PREFIXES.iter().any(|prefix| id.contains(prefix))
}

/// Adds the headers that every answer has, where they are not set otherwise.
pub(crate) fn complete_headers(is_api: bool, request_id: &str, headers: &mut HeaderMap) {
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert(X_REQUEST_ID, id);
    }
    let policy = "default-src 'none'; frame-ancestors 'none'; sandbox";
    for (name, value) in [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, policy),
        (CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
        (REFERRER_POLICY, "no-referrer"),
    ] {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if is_api {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// Completes the answer to a preflight, which does not come through [`dispatch`]. One that allows
/// nothing gets a problem body like every other failure.
pub(crate) fn complete_preflight(
    state: &AppState,
    request: &HttpRequest,
    answer: HttpResponse,
) -> HttpResponse {
    let request_id = request_id(state, request.headers());
    let mut answer = if answer.status().is_success() {
        answer
    } else {
        let detail = "This origin, method or header is not allowed here.";
        Problem::new(ProblemKind::CorsRefused, detail).respond(&request_id, None)
    };
    complete_headers(request.path().starts_with(API), &request_id, answer.headers_mut());
    answer
}

/// Where the request comes from: the peer, or what trusted proxies say of it.
fn client(state: &AppState, request: &HttpRequest) -> Option<IpAddr> {
    let peer = request.peer_addr()?.ip();
    let trusted = &state.app.options.trusted_proxies;
    let is_trusted = |ip: &IpAddr| trusted.iter().any(|net| net.contains(ip));
    if !is_trusted(&peer) {
        return Some(peer);
    }
    // Read from the right, because each proxy appends the address that it saw: the first that is no
    // trusted proxy's is the client's, and what stands further left is whatever the client wrote.
    let forwarded = request.headers().get_all(X_FORWARDED_FOR).filter_map(|one| one.to_str().ok());
    let hops: Vec<&str> = forwarded.flat_map(|line| line.split(',')).collect();
    let mut hops = hops.into_iter().rev().map_while(|hop| hop.trim().parse::<IpAddr>().ok());
    Some(hops.find(|hop| !is_trusted(hop)).unwrap_or(peer))
}
