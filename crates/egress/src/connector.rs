//! How connections are made: a name becomes addresses, all of them are checked, and exactly these are
//! connected to. So an answer of the name service that changes from one question to the next changes
//! nothing.

use std::future::Future;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Uri;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tower_service::Service;

use crate::error::EgressError;
use crate::guard::Guard;

/// How many addresses of a name are tried.
const ADDRESSES: usize = 4;

/// Makes connections to what the guard lets pass.
#[derive(Debug, Clone)]
pub(crate) struct Connector {
    guard: Arc<Guard>,
    look_up: fn(&str, u16) -> Vec<SocketAddr>,
    look_ups: Arc<Semaphore>,
    time: Duration,
}

impl Connector {
    /// `time` is for finding addresses, and then once more for connecting. So many names are looked up at once.
    pub(crate) fn new(guard: Guard, time: Duration, look_ups: usize) -> Self {
        let look_ups = Arc::new(Semaphore::new(look_ups));
        Self { guard: Arc::new(guard), look_up: ask_name_service, look_ups, time }
    }

    async fn connect(self, uri: Uri) -> Result<TokioIo<TcpStream>, EgressError> {
        let implied = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        let port = uri.port_u16().unwrap_or(implied);
        let addresses = self.resolve(uri.host().unwrap_or_default(), port).await?;
        for at in &addresses {
            self.guard.check(*at)?;
        }
        self.dial(&addresses).await
    }

    async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, EgressError> {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if let Ok(address) = bare.unwrap_or(host).parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let (name, look_up) = (host.to_owned(), self.look_up);
        let found = timeout(self.time, async {
            let permit = self.look_ups.clone().acquire_owned().await;
            let look_up = spawn_blocking(move || {
                // Held until the name service has answered.
                let _permit = permit;
                look_up(&name, port)
            });
            look_up.await.unwrap_or_default()
        });
        let found = found.await.unwrap_or_default();
        if found.is_empty() { Err(EgressError::DnsFailed) } else { Ok(found) }
    }

    /// An address that refuses and one that does not answer give the same error, so that the difference
    /// reveals nothing about the network.
    async fn dial(&self, addresses: &[SocketAddr]) -> Result<TokioIo<TcpStream>, EgressError> {
        let tried = addresses.len().clamp(1, ADDRESSES);
        let time = self.time / u32::try_from(tried).unwrap_or(1);
        for at in addresses.iter().take(tried) {
            #[expect(
                clippy::disallowed_methods,
                reason = "the one place that dials, what was checked"
            )]
            let dialled = TcpStream::connect(*at);
            let Ok(Ok(stream)) = timeout(time, dialled).await else { continue };
            let peer = stream.peer_addr().map_err(|_| EgressError::Unreachable)?;
            self.guard.check(peer)?;
            // Requests are written as a whole; waiting for more would only delay them.
            let _ = stream.set_nodelay(true);
            return Ok(TokioIo::new(stream));
        }
        Err(EgressError::Unreachable)
    }
}

/// What the name service says; nothing if it fails.
fn ask_name_service(name: &str, port: u16) -> Vec<SocketAddr> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that looks up names, to check them"
    )]
    let found = (name, port).to_socket_addrs();
    found.map(Iterator::collect).unwrap_or_default()
}

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    /// The sources of a client's error hold it.
    type Error = EgressError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::net::TcpListener;

    use super::*;
    use crate::settings::Settings;

    /// Lets 127.0.0.2 be reached, and finds addresses in this way.
    fn connector(look_up: fn(&str, u16) -> Vec<SocketAddr>) -> Connector {
        let allow_networks = vec!["127.0.0.2/32".parse().unwrap()];
        let guard = Guard::new(&Settings { allow_networks, ..Settings::default() });
        Connector { look_up, ..Connector::new(guard, Duration::from_secs(5), 16) }
    }

    async fn connect(connector: &Connector, port: u16) -> Result<SocketAddr, EgressError> {
        let uri = format!("http://a.example:{port}/").parse().unwrap();
        let connection = connector.clone().connect(uri).await?;
        Ok(connection.inner().peer_addr().unwrap())
    }

    fn at(address: [u8; 4], port: u16) -> SocketAddr {
        SocketAddr::from((address, port))
    }

    #[tokio::test]
    async fn one_address_that_is_refused_refuses_all() {
        let open = TcpListener::bind("127.0.0.2:0").await.unwrap();
        let port = open.local_addr().unwrap().port();
        let mixed = |_: &str, port| vec![at([127, 0, 0, 2], port), at([127, 0, 0, 1], port)];
        for port in [port, 80] {
            let refused = Err(EgressError::BlockedAddress);
            assert_eq!(connect(&connector(mixed), port).await, refused, "{port}");
        }
        let single = |_: &str, port| vec![at([127, 0, 0, 2], port)];
        assert_eq!(connect(&connector(single), port).await, Ok(at([127, 0, 0, 2], port)));
    }

    #[tokio::test]
    async fn a_name_is_looked_up_once_and_what_was_checked_is_dialled() {
        static ASKED: AtomicUsize = AtomicUsize::new(0);
        let open = TcpListener::bind("127.0.0.2:0").await.unwrap();
        let port = open.local_addr().unwrap().port();
        // A name that means something else each time it is asked for.
        let changing = |_: &str, port| {
            let is_first = ASKED.fetch_add(1, Ordering::SeqCst) == 0;
            vec![at([127, 0, 0, if is_first { 2 } else { 1 }], port)]
        };
        let connector = connector(changing);
        assert_eq!(connect(&connector, port).await, Ok(at([127, 0, 0, 2], port)));
        assert_eq!(ASKED.load(Ordering::SeqCst), 1);
        assert_eq!(connect(&connector, port).await, Err(EgressError::BlockedAddress));
    }

    #[tokio::test]
    async fn a_name_without_addresses_has_failed() {
        let none = connector(|_, _| Vec::new());
        assert_eq!(connect(&none, 80).await, Err(EgressError::DnsFailed));
    }

    #[tokio::test]
    async fn the_next_address_is_tried_if_one_does_not_answer() {
        let open = TcpListener::bind("127.0.0.2:0").await.unwrap();
        let port = open.local_addr().unwrap().port();
        let guard = Guard::new(&Settings {
            allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
            ..Settings::default()
        });
        let look_up = |_: &str, port| vec![at([127, 0, 0, 3], port), at([127, 0, 0, 2], port)];
        let connector = Connector { look_up, ..Connector::new(guard, Duration::from_secs(5), 16) };
        assert_eq!(connect(&connector, port).await, Ok(at([127, 0, 0, 2], port)));
        drop(open);
        assert_eq!(connect(&connector, port).await, Err(EgressError::Unreachable));
    }
}
