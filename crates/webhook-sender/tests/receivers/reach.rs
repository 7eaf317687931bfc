//! What can be reached, and what can't.

use std::net::SocketAddr;

use domain::webhook::SendError;
use webhook_sender::{Sender, Settings, SetupError};

use crate::receiver::Receiver;
use crate::{sender, status};

#[tokio::test]
async fn what_is_not_public_is_reached_if_it_is_opened() {
    let receiver = Receiver::answering("200 OK", "", b"").await;
    let port = receiver.address.port();
    let (closed, opened) = (sender(|settings| settings.allow_networks.clear()), sender(|_| {}));
    for host in ["127.0.0.1", "0x7f.1", "[::ffff:127.0.0.1]"] {
        let url = format!("http://{host}:{port}/");
        assert_eq!(status(&closed, &url).await, Err(SendError::BlockedAddress), "{host}");
    }
    assert_eq!(receiver.connections(), 0);
    assert_eq!(status(&opened, &receiver.url()).await, Ok(200));
    // Nothing is sent: the port is checked before.
    assert_eq!(status(&opened, "http://1.1.1.1:22/").await, Err(SendError::BlockedPort));
}

#[tokio::test]
async fn own_listeners_stay_closed_in_opened_networks() {
    let receiver = Receiver::answering("200 OK", "", b"").await;
    let everywhere = SocketAddr::from(([0, 0, 0, 0], receiver.address.port()));
    for own in [receiver.address, everywhere] {
        let sender = sender(|settings| {
            settings.closed = vec![own];
            settings.allow_networks = vec!["0.0.0.0/0".parse().unwrap(), "::/0".parse().unwrap()];
        });
        assert_eq!(status(&sender, &receiver.url()).await, Err(SendError::BlockedAddress));
    }
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn a_closed_port_is_distinguished_from_an_unknown_name() {
    let receiver = Receiver::answering("200 OK", "", b"").await;
    let gone = receiver.url();
    receiver.die().await;
    let sender = sender(|_| {});
    assert_eq!(status(&sender, &gone).await, Err(SendError::Unreachable));
    // A name that is reserved for having no addresses (RFC 2606), and one that no request can name.
    assert_eq!(status(&sender, "http://site.invalid/").await, Err(SendError::DnsFailed));
    assert_eq!(status(&sender, "http://a\"b.example/").await, Err(SendError::Unreachable));
}

#[tokio::test]
async fn a_server_without_tls_is_a_tls_error() {
    let receiver = Receiver::answering("200 OK", "", b"").await;
    let url = format!("https://{}/", receiver.address);
    assert_eq!(status(&sender(|_| {}), &url).await, Err(SendError::TlsFailed));
}

#[test]
fn a_user_agent_must_fit_into_a_header() {
    let settings = Settings { user_agent: "a\nb".to_owned(), ..Settings::default() };
    assert!(matches!(Sender::new(settings), Err(SetupError::UserAgent)));
}
