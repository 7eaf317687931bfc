//! What comes back.

use std::time::Duration;

use domain::webhook::{SendError, WebhookAnswer, WebhookSender as _};

use crate::receiver::{Receiver, Reply, answer};
use crate::{message, sender, status};

/// The status of an answer of these bytes, after which the connection stays open.
async fn status_of(bytes: &[u8]) -> Result<u16, SendError> {
    let receiver = Receiver::start(Reply::Bytes(bytes.to_vec())).await;
    status(&sender(|_| {}), &receiver.url()).await
}

/// The same, but the receiver ends the connection after these bytes.
async fn status_of_closing(bytes: &[u8]) -> Result<u16, SendError> {
    let receiver = Receiver::start(Reply::Close(bytes.to_vec())).await;
    status(&sender(|_| {}), &receiver.url()).await
}

#[tokio::test]
async fn the_status_is_what_counts() {
    for (line, status) in [
        ("200 OK", 200),
        ("204 No Content", 204),
        ("299", 299),
        ("410 Gone", 410),
        ("429 Too Many Requests", 429),
        ("500 Internal Server Error", 500),
        ("999 Out of range", 999),
    ] {
        let body = if status == 204 { "" } else { "said" };
        assert_eq!(status_of(&answer(line, "", body.as_bytes())).await, Ok(status), "{line}");
    }
    let interim = [b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(), answer("200 OK", "", b"")];
    assert_eq!(status_of(&interim.concat()).await, Ok(200));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Receiver::answering("200 OK", "", b"").await;
    for status in [301, 302, 307] {
        let line = format!("location: {}\r\n", elsewhere.url());
        let found = status_of(&answer(&format!("{status} Moved"), &line, b"elsewhere")).await;
        assert_eq!(found, Ok(status));
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn a_receiver_says_how_long_it_wants_to_be_left_alone() {
    for (lines, expected) in [
        ("", None),
        ("retry-after: 120\r\n", Some(120)),
        ("Retry-After:  7 \r\n", Some(7)),
        ("retry-after: soon\r\n", None),
        ("retry-after: Sat, 01 Nov 2025 12:02:00 GMT\r\n", Some(120)),
        (
            "date: Sat, 01 Nov 2025 12:01:50 GMT\r\nretry-after: Sat, 01 Nov 2025 12:02:00 GMT\r\n",
            Some(10),
        ),
        ("retry-after: Sat, 01 Nov 2025 11:00:00 GMT\r\n", Some(0)),
    ] {
        let receiver = Receiver::answering("503 Service Unavailable", lines, b"").await;
        let answer = sender(|_| {}).send(&message(&receiver.url())).await;
        let retry_after = expected.map(Duration::from_secs);
        assert_eq!(answer, Ok(WebhookAnswer { status: 503, retry_after }), "{lines:?}");
    }
}

#[tokio::test]
async fn a_receiver_that_never_answers_has_a_time() {
    for silence in [Reply::Silence, Reply::Endless(Vec::new(), b"HTTP/1.1 103 E\r\n\r\n".to_vec())]
    {
        let receiver = Receiver::start(silence).await;
        let sender = sender(|settings| settings.timeout = Duration::from_millis(100));
        assert_eq!(status(&sender, &receiver.url()).await, Err(SendError::Timeout));
    }
}

#[tokio::test]
async fn what_is_not_http_is_no_answer() {
    for garbage in [&b"\x16\x03\x01\0\0"[..], b"SSH-2.0-x\r\n", b"HTTP/1.1 abc\r\n\r\n"] {
        assert_eq!(status_of(garbage).await, Err(SendError::BadAnswer), "{garbage:?}");
    }
    let large = answer("200 OK", &format!("x: {}\r\n", "x".repeat(64 << 10)), b"");
    assert_eq!(status_of(&large).await, Err(SendError::BadAnswer));
}

#[tokio::test]
async fn a_connection_that_ends_too_early_has_broken_off() {
    for begun in [&b""[..], b"HTTP/1.1 200 OK\r\ncontent"] {
        assert_eq!(status_of_closing(begun).await, Err(SendError::BrokenOff), "{begun:?}");
    }
    // Of a body no more is needed than its head said.
    let begun = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbegun";
    assert_eq!(status_of_closing(begun).await, Ok(200));
    let chunk = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    assert_eq!(status_of(chunk).await, Ok(200));
}

#[tokio::test]
async fn a_body_that_is_too_large_is_not_read() {
    let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let receiver = Receiver::start(Reply::Endless(head, b"5\r\nagain\r\n".repeat(1_000))).await;
    assert_eq!(status(&sender(|_| {}), &receiver.url()).await, Ok(200));
    receiver.hung_up().await;

    let receiver = Receiver::answering("200 OK", "", &[b'x'; (64 << 10) + 1]).await;
    let sender = sender(|_| {});
    for sent in 1..=2 {
        assert_eq!(status(&sender, &receiver.url()).await, Ok(200));
        receiver.hung_up().await;
        assert_eq!((receiver.messages().len(), receiver.connections()), (sent, sent));
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_its_connection() {
    let receiver = Receiver::start(Reply::Silence).await;
    let (sender, message) = (sender(|_| {}), message(&receiver.url()));
    tokio::select! {
        _ = sender.send(&message) => panic!("there is no answer"),
        () = receiver.arrived() => {}
    }
    receiver.hung_up().await;
}
