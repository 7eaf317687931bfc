//! A server of connections: the framework on top of a [`Wire`].

use std::fmt::Debug;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_http::{HttpService, KeepAlive, Protocol, Request, Response};
use actix_server::{GracefulShutdownSignal, Server};
use actix_service::{
    IntoServiceFactory, Service, ServiceFactory, ServiceFactoryExt as _, apply_fn_factory,
    fn_service, map_config,
};
use actix_web::Error;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{AppConfig, ServiceResponse};
use actix_web::http::{ConnectionType, Version};
use actix_web::rt::net::TcpStream;
use bytes::Bytes;
use ipnet::IpNet;

use super::addresses::Addresses;
use super::exchange::Exchange;
use super::header_values::make_compact;
use super::wire::{Bounds, Wire, count_closed};
use crate::options::SocketOptions;

/// How many new connections wait at most until they are accepted. For one more the kernel lets the client ask
/// again a second later, so clients that come at once would keep out others.
const BACKLOG: i32 = 4_096;

/// About how many bytes of a connection wait at most in the system until they are sent (`TCP_NOTSENT_LOWAT`). A client
/// that reads nothing would otherwise be given some megabytes more than it takes: memory of the system, and time to make
/// them.
#[cfg(target_os = "linux")]
const MAX_UNSENT_BYTES: u32 = 128 << 10;

/// Has more connections wait than the 128 with which the standard library begins to listen, and bounds what is unsent of
/// each.
fn prepared(listener: TcpListener) -> io::Result<TcpListener> {
    rustix::net::listen(&listener, BACKLOG)?;
    // Connections that are accepted take it over.
    #[cfg(target_os = "linux")]
    if let Err(error) = socket2::SockRef::from(&listener).set_tcp_notsent_lowat(MAX_UNSENT_BYTES) {
        tracing::debug!(?error, "the system bounds what is unsent of a connection by itself");
    }
    Ok(listener)
}

/// Serves an application on a socket until the returned server is stopped. The target of a request has
/// at most `target_bytes` bytes.
///
/// # Errors
/// If the socket can't be listened on.
pub(crate) fn serve<F, I, S, B>(
    listener: TcpListener,
    options: &SocketOptions,
    target_bytes: usize,
    proxies: Vec<IpNet>,
    application: F,
) -> io::Result<Server>
where
    F: Fn() -> I + Send + Clone + 'static,
    I: IntoServiceFactory<S, Request>,
    S: ServiceFactory<Request, Config = AppConfig, Response = ServiceResponse<B>> + 'static,
    S::Error: Into<Error> + 'static,
    S::InitError: Debug,
    S::Future: 'static,
    <S::Service as Service<Request>>::Future: 'static,
    B: MessageBody + 'static,
{
    let workers = options.workers.max(1);
    let server = Server::build()
        .workers(workers)
        .max_concurrent_connections((options.connections / workers).max(1))
        .shutdown_timeout(options.shutdown_grace.as_secs().max(1))
        .disable_signals();
    let addresses = Addresses::new(options.connections_per_address, proxies);
    let bounds = Bounds {
        target_bytes,
        head: options.request_head_timeout,
        keep_alive: options.keep_alive,
        standstill: options.standstill_timeout,
    };
    let stopping = server.graceful_shutdown_signal();
    let listener = prepared(listener)?;
    let server = server.listen("http", listener, move || {
        let admission =
            Admission { bounds, addresses: addresses.clone(), stopping: stopping.clone() };
        let application = map_config(application().into_factory(), |()| AppConfig::default());
        let application = apply_fn_factory(application, |mut request: Request, application: &_| {
            make_compact(request.headers_mut());
            let version = request.head().version;
            let exchange = request.conn_data::<Exchange>().cloned();
            let answering = Service::call(application, request);
            async move {
                let answer = match answering.await {
                    Ok(answer) => answer.map_into_boxed_body(),
                    Err(error) => {
                        return Ok(complete(
                            error.into().error_response().into(),
                            version,
                            exchange,
                        ));
                    }
                };
                Ok::<_, S::Error>(complete(answer.into(), version, exchange))
            }
        });
        let application = application.map_err(|error: S::Error| error.into().error_response());
        // The wire keeps all times, so the framework need not.
        let http = HttpService::build()
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(Duration::ZERO)
            .on_connect_ext(|wire: &Wire, data| {
                data.insert(wire.exchange().clone());
            })
            .finish(application);
        fn_service(move |stream: TcpStream| {
            let admitted = admission.admit(stream);
            async move { admitted.map_err(actix_http::error::DispatchError::Io) }
        })
        .and_then(http)
    })?;
    Ok(server.run())
}

/// Decides who gets a connection.
#[derive(Clone)]
struct Admission {
    bounds: Bounds,
    addresses: Arc<Addresses>,
    stopping: GracefulShutdownSignal,
}

impl Admission {
    fn admit(&self, stream: TcpStream) -> io::Result<(Wire, Protocol, Option<SocketAddr>)> {
        let peer = stream.peer_addr()?;
        let Some(slot) = self.addresses.enter(peer.ip()) else {
            count_closed("address");
            tracing::debug!(client = %peer.ip(), "an address has as many connections as it may");
            return Err(io::ErrorKind::QuotaExceeded.into());
        };
        // Otherwise the system keeps a short piece back until the client has acknowledged the one before it.
        stream.set_nodelay(true)?;
        let stopping = self.stopping.clone();
        let stopping = Box::pin(async move { stopping.notified().await });
        Ok((Wire::new(stream, self.bounds, slot, stopping), Protocol::Http1, Some(peer)))
    }
}

/// Prepares an answer for its way out: the connection learns when the framework has all of it, and
/// clients of HTTP/1.0 get one without chunks, which ends with the connection.
fn complete(
    mut answer: Response<BoxBody>,
    version: Version,
    exchange: Option<Exchange>,
) -> Response<Outgoing> {
    if version < Version::HTTP_11 && answer.body().size() == BodySize::Stream {
        answer.head_mut().no_chunking(true);
        answer.head_mut().set_connection_type(ConnectionType::Close);
    }
    answer.map_body(|_, body| Outgoing { body, exchange })
}

/// The body of an answer. The framework drops it when it has all of it.
struct Outgoing {
    body: BoxBody,
    exchange: Option<Exchange>,
}

impl MessageBody for Outgoing {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(context)
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        if let Some(exchange) = &self.exchange {
            exchange.answered();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test calls its own server")]
    fn clients_that_come_at_once_need_not_ask_again() {
        let listener = prepared(TcpListener::bind("127.0.0.1:0").unwrap()).unwrap();
        let address = listener.local_addr().unwrap();
        // Nobody accepts them.
        let connect = |_| TcpStream::connect_timeout(&address, Duration::from_secs(10)).unwrap();
        let clients: Vec<_> = (0..400).map(connect).collect();
        assert_eq!(clients.len(), 400);
    }
}
