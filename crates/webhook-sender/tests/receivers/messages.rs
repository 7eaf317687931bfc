//! What arrives at a receiver, and over which connections.

use domain::webhook::WebhookSender as _;

use crate::receiver::{Receiver, Reply, answer};
use crate::{message, sender, status};

#[tokio::test]
async fn a_message_arrives_as_the_standard_has_it() {
    let receiver = Receiver::answering("204 No Content", "", b"").await;
    let message = message(&receiver.url());
    sender(|_| {}).send(&message).await.unwrap();

    let [(head, body)] = &receiver.messages()[..] else { panic!("not one message") };
    assert_eq!(*body, message.body);
    let (line, headers) = head.split_once("\r\n").unwrap();
    assert_eq!(line, "POST /hook?a=1 HTTP/1.1");
    // In which order headers stand says nothing.
    let mut headers: Vec<_> = headers.trim_end().split("\r\n").collect();
    headers.sort_unstable();
    let expected = [
        "content-length: 45",
        "content-type: application/json",
        &format!("host: {}", receiver.address),
        "user-agent: botyard/1.0 (+https://botyard.example)",
        "webhook-id: msg_1",
        "webhook-signature: v1,c2lnbmVk v1,d2l0aCB0d28=",
        "webhook-timestamp: 1761998400",
    ];
    assert_eq!(headers, expected);
}

#[tokio::test]
async fn a_large_message_arrives_whole() {
    let receiver = Receiver::answering("200 OK", "", b"").await;
    let mut message = message(&receiver.url());
    message.body = format!(r#"{{"text":"{}"}}"#, "ä".repeat(1 << 20));
    assert_eq!(sender(|_| {}).send(&message).await.unwrap().status, 200);
    assert!(receiver.messages()[0].1 == message.body);
}

#[tokio::test]
async fn connections_are_used_again() {
    for size in [0, 2, 64 << 10] {
        let receiver = Receiver::answering("200 OK", "", &vec![b'x'; size]).await;
        let sender = sender(|_| {});
        for _ in 0..20 {
            assert_eq!(status(&sender, &receiver.url()).await, Ok(200));
        }
        assert_eq!((receiver.messages().len(), receiver.connections()), (20, 1), "{size}");
    }
}

#[tokio::test]
async fn a_connection_that_was_closed_while_idle_loses_no_message() {
    let receiver = Receiver::start(Reply::Close(answer("200 OK", "", b"ok"))).await;
    let sender = sender(|_| {});
    for sent in 1..=5 {
        assert_eq!(status(&sender, &receiver.url()).await, Ok(200));
        receiver.hung_up().await;
        assert_eq!((receiver.messages().len(), receiver.connections()), (sent, sent));
    }
}

#[tokio::test]
async fn a_message_that_can_not_be_sent_reaches_nobody() {
    let receiver = Receiver::answering("200 OK", "", b"").await;
    let mut message = message(&receiver.url());
    message.id = "a\r\nb: c".to_owned();
    assert!(sender(|_| {}).send(&message).await.is_err());
    assert_eq!(receiver.connections(), 0);
}
