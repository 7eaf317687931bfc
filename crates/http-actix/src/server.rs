//! Starting the HTTP server on a socket, and ending it without dropping a request.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use actix_cors::Cors;
use actix_web::App;
use actix_web::body::MessageBody;
use actix_web::dev::{Server, ServiceRequest, ServiceResponse};
use actix_web::middleware::{Condition, Next, from_fn};
use actix_web::web::{self, Data, ServiceConfig};

use crate::connection::service;
use crate::options::{RenderMetrics, SocketOptions};
use crate::pipeline::dispatch;
use crate::pipeline::state::AppState;

/// Bytes that a target may have beside path and query: one that is absolute names a host, too.
const SCHEME_AND_HOST: usize = 512;
/// Open connections of the server of metrics, which only a few collectors need.
const METRICS_CONNECTIONS: usize = 64;

/// Mounts the API in an application of actix-web: every request that nothing else takes goes through its
/// table of operations. CORS is [`serve`]'s business.
pub fn configure(state: Arc<AppState>) -> impl FnOnce(&mut ServiceConfig) {
    |config| {
        config.app_data(Data::new(state)).default_service(web::to(dispatch::dispatch));
    }
}

/// Serves the API on a bound socket until the returned server is stopped. Signals are the caller's
/// business.
///
/// # Errors
/// If the socket can't be listened on.
pub fn serve(
    state: &Arc<AppState>,
    listener: TcpListener,
    options: &SocketOptions,
) -> io::Result<Server> {
    let (state, proxies) = (state.clone(), state.app.options.trusted_proxies.clone());
    let target_bytes = state.app.options.limits.path + SCHEME_AND_HOST;
    service::serve(listener, options, target_bytes, proxies, move || {
        let origins = &state.app.options.cors_origins;
        let with_cors = !origins.is_empty();
        App::new()
            .configure(configure(state.clone()))
            .wrap(Condition::new(with_cors, cors(&state)))
            .wrap(Condition::new(with_cors, from_fn(complete_preflight)))
    })
}

/// Serves nothing but `/metrics`, on a socket of its own, in the same way as `beside` serves the API.
///
/// # Errors
/// If the socket can't be listened on.
pub fn serve_metrics(
    beside: &AppState,
    render: RenderMetrics,
    listener: TcpListener,
    options: &SocketOptions,
) -> io::Result<Server> {
    let state = beside.for_metrics(render).map_err(io::Error::other)?;
    let options = SocketOptions {
        workers: 1,
        connections: METRICS_CONNECTIONS,
        connections_per_address: METRICS_CONNECTIONS / 2,
        ..options.clone()
    };
    serve(&Arc::new(state), listener, &options)
}

fn cors(state: &AppState) -> Cors {
    let mut cors = Cors::default()
        .allowed_methods(["GET", "HEAD", "POST", "PUT", "DELETE"])
        .allowed_headers([
            state.app.options.bot_header.as_str(),
            state.app.options.project_header.as_str(),
            "Content-Type",
            "X-Request-Id",
            "traceparent",
            "tracestate",
            "If-Match",
            "If-None-Match",
            "If-Range",
            "Idempotency-Key",
            "Last-Event-ID",
            "Range",
        ])
        .expose_headers([
            "Link",
            "X-Request-Id",
            "traceresponse",
            "Retry-After",
            "Accept-Ranges",
            "Content-Disposition",
            "Content-Range",
            "ETag",
            "Idempotency-Replayed",
            "X-Total-Count",
            "X-Follow-Cursor",
        ])
        .max_age(3_600);
    for origin in &state.app.options.cors_origins {
        cors = cors.allowed_origin(origin);
    }
    cors
}

/// A preflight is answered before it reaches the dispatcher, which all other requests go through.
async fn complete_preflight(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse, actix_web::Error> {
    let response = next.call(request).await?.map_into_boxed_body();
    let state = response.request().app_data::<Data<Arc<AppState>>>().cloned();
    match state {
        Some(state) if !response.headers().contains_key("x-request-id") => {
            let (request, answer) = response.into_parts();
            let answer = dispatch::complete_preflight(&state, &request, answer);
            Ok(ServiceResponse::new(request, answer))
        }
        Some(_) | None => Ok(response),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::time::Duration;

    use actix_web::rt;
    use domain::access::Scheme;

    use super::*;
    use crate::options::HttpLimits;
    use crate::samples::{Failing, secret, state};

    #[actix_web::test]
    #[expect(clippy::disallowed_methods, reason = "a test calls its own server")]
    async fn who_gets_nothing_of_a_body_gets_its_head() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let second = Duration::from_secs(1);
        let options = SocketOptions {
            workers: 1,
            connections: 1,
            connections_per_address: 1,
            request_head_timeout: 60 * second,
            keep_alive: 60 * second,
            standstill_timeout: 60 * second,
            shutdown_grace: second,
        };
        let state = state(Failing::InTheMiddle(Arc::default()), HttpLimits::default());
        let server = serve(&state, listener, &options).unwrap();
        let handle = server.handle();
        let server = rt::spawn(server);
        let key = secret(Scheme::Bot);
        let key = key.reveal();
        let path = "/api/external/bot/changelog";
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nX-Api-Key: {key}\r\n\r\n");
        let asking = rt::task::spawn_blocking(move || {
            let (mut connection, mut answer) =
                (TcpStream::connect(address).unwrap(), String::new());
            connection.write_all(request.as_bytes()).unwrap();
            connection.read_to_string(&mut answer).map(|_| answer)
        });
        let answer = asking.await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\r\n\r\n") && !answer.ends_with("0\r\n\r\n"), "{answer}");
        handle.stop(true).await;
        server.await.unwrap().unwrap();
    }
}
