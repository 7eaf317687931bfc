//! Clients that are slow, malformed or many, against a server on a socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::rt::{System, spawn, task};
use domain::access::Scheme;

use crate::options::{HttpLimits, SocketOptions};
use crate::pipeline::state::AppState;
use crate::samples::{Failing, secret, state};
use crate::server::serve;

/// Times and counts at which no client is refused.
const PATIENT: SocketOptions = SocketOptions {
    workers: 2,
    connections: 1_000,
    connections_per_address: 1_000,
    request_head_timeout: HOUR,
    keep_alive: HOUR,
    standstill_timeout: HOUR,
    shutdown_grace: HOUR,
};
const HOUR: Duration = Duration::from_secs(3_600);
/// Long enough for a client that sends at once, even on a machine with much else to do.
const SHORT: Duration = Duration::from_millis(500);

/// A server, as its clients see it.
#[derive(Clone)]
struct Host {
    address: SocketAddr,
    state: Arc<AppState>,
    handle: ServerHandle,
}

/// Runs clients against a server of a store.
fn against(store: Failing, options: &SocketOptions, clients: impl FnOnce(Host) + Send + 'static) {
    System::new().block_on(async move {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = state(store, HttpLimits::default());
        let server = serve(&state, listener, options).unwrap();
        let handle = server.handle();
        let server = spawn(server);
        let host = Host { address, state, handle: handle.clone() };
        let done = task::spawn_blocking(move || clients(host)).await;
        handle.stop(false).await;
        server.await.unwrap().unwrap();
        done.unwrap();
    });
}

impl Host {
    #[expect(clippy::disallowed_methods, reason = "a test calls its own server")]
    fn connect(&self) -> Client {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Client(BufReader::new(stream))
    }

    /// A connection on which one request was answered.
    fn used(&self) -> Client {
        let mut client = self.connect();
        client.send(ALIVE);
        assert_eq!(client.answer(), (200, true));
        client
    }
}

struct Client(BufReader<TcpStream>);

const ALIVE: &str = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

impl Client {
    fn send(&mut self, bytes: &str) {
        self.0.get_mut().write_all(bytes.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line
    }

    /// Reads the head of an answer: its status, and the length of its body.
    fn head(&mut self) -> (u16, usize) {
        let first = self.line();
        let status = first.get(9..12).unwrap_or_else(|| panic!("no answer: {first:?}"));
        let (status, mut length) = (status.parse().unwrap(), 0);
        loop {
            let line = self.line();
            match line.split_once(": ") {
                Some(("content-length", value)) => length = value.trim().parse().unwrap(),
                Some(_) => {}
                None => return (status, length),
            }
        }
    }

    /// Reads an answer: its status, and whether it has a body.
    fn answer(&mut self) -> (u16, bool) {
        let (status, length) = self.head();
        self.0.read_exact(&mut vec![0; length]).unwrap();
        (status, length > 0)
    }

    /// Reads the problem that ends the connection: its status and its code.
    fn last_problem(&mut self) -> (u16, String) {
        let (status, length) = self.head();
        let mut body = Vec::new();
        self.0.read_to_end(&mut body).unwrap();
        assert_eq!(body.len(), length);
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        (status, body["code"].as_str().unwrap().to_owned())
    }

    fn expect_closed(&mut self) {
        assert_eq!(self.line(), "");
    }
}

fn until(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..6_000 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("this did not happen: {what}");
}

#[test]
fn heads_that_do_not_end_are_closed_and_others_go_on() {
    let options = SocketOptions { request_head_timeout: SHORT, ..PATIENT };
    against(Failing::ByPanic, &options, |host| {
        const BEGUN: &str = "GET /healthz HTTP/1.1\r\nHost";
        let mut slow: Vec<_> = (0..50).map(|_| host.used()).collect();
        slow.iter_mut().for_each(|client| client.send(BEGUN));
        let mut first = host.connect();
        first.send(BEGUN);
        slow.push(first);
        let mut good = host.used();
        for client in &mut slow {
            assert_eq!(client.last_problem(), (408, "too_slow".to_owned()));
        }
        good.send(ALIVE);
        assert_eq!(good.answer(), (200, true));
    });
}

#[test]
fn connections_without_a_request_are_closed() {
    let options = SocketOptions { request_head_timeout: SHORT, keep_alive: SHORT, ..PATIENT };
    against(Failing::ByPanic, &options, |host| {
        let mut idle: Vec<_> = (0..20).flat_map(|_| [host.used(), host.connect()]).collect();
        // Empty lines are no request.
        idle.iter_mut().step_by(4).for_each(|client| client.send("\r\n\r\n"));
        idle.iter_mut().for_each(Client::expect_closed);
    });
}

#[test]
fn readers_that_stand_still_are_closed_and_what_they_hold_is_freed() {
    let options = SocketOptions { standstill_timeout: SHORT, ..PATIENT };
    against(Failing::ByPanic, &options, |host| {
        const REQUESTS: usize = 100;
        let request = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
        let mut standing: Vec<_> = (0..5).map(|_| host.connect()).collect();
        for client in &mut standing {
            client.send(&request.repeat(REQUESTS));
        }
        until("answers are on their way", || host.state.requests_in_flight() == standing.len());
        let mut good = host.connect();
        for _ in 0..3 {
            good.send(request);
            assert_eq!(good.answer(), (200, true));
        }
        // A server that stands still takes empty lines into its buffers, one that has closed does not.
        let is_closed = |client: &Client| client.0.get_ref().write_all(b"\r\n").is_err();
        until("the readers are given up", || standing.iter().all(is_closed));
        until("what they hold is freed", || host.state.requests_in_flight() == 0);
        let mut length = Vec::new();
        good.send(&request.replace("HTTP/1.1", "HTTP/1.0"));
        good.0.read_to_end(&mut length).unwrap();
        for client in &mut standing {
            let mut read = Vec::new();
            let _ = client.0.read_to_end(&mut read);
            assert!(read.len() < length.len() * REQUESTS);
        }
    });
}

/// What the system keeps of answers takes its memory, and time to make.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_reads_nothing_is_sent_little() {
    against(Failing::ByPanic, &PATIENT, |host| {
        let mut client = host.connect();
        let server = host.address.port();
        let own = client.0.get_ref().local_addr().unwrap().port();
        // Bytes that the server has written and the client's side has not taken.
        let kept = || {
            let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
            let ends = format!("0100007F:{server:04X} 0100007F:{own:04X}");
            let line = table.lines().find(|line| line.contains(&ends)).unwrap();
            let queues = line.split_whitespace().nth(4).unwrap();
            u64::from_str_radix(queues.split(':').next().unwrap(), 16).unwrap()
        };
        client.send(&"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n".repeat(100));
        // Bytes, and how many times in turn they were the same.
        let last = std::cell::Cell::new((0, 0));
        until("no more is written", || {
            let ((before, times), now) = (last.get(), kept());
            last.set((now, if now > 0 && now == before { times + 1 } else { 0 }));
            last.get().1 == 50
        });
        let (bytes, _) = last.get();
        assert!(bytes < 512 << 10, "{bytes}");
    });
}

#[test]
fn an_address_has_a_share_of_the_connections() {
    let options = SocketOptions { connections_per_address: 2, ..PATIENT };
    against(Failing::ByPanic, &options, |host| {
        let mut held = [host.used(), host.used()];
        host.connect().expect_closed();
        held[0].send(ALIVE);
        assert_eq!(held[0].answer(), (200, true));
        drop(held);
        until("there is room again", || {
            let mut client = host.connect();
            client.0.get_mut().write_all(ALIVE.as_bytes()).is_ok()
                && client.0.fill_buf().is_ok_and(|answer| !answer.is_empty())
        });
    });
}

#[test]
fn answers_to_requests_sent_at_once_are_those_that_each_would_get_alone() {
    against(Failing::ByPanic, &PATIENT, |host| {
        let mut client = host.connect();
        let head = ALIVE.replace("GET", "HEAD");
        client.send(&[ALIVE, &head, ALIVE, &head, &head, ALIVE].concat().repeat(20));
        for _ in 0..20 {
            for has_body in [true, false, true, false, false, true] {
                let (status, length) = client.head();
                assert_eq!(status, 200);
                client.0.read_exact(&mut vec![0; if has_body { length } else { 0 }]).unwrap();
            }
        }
        // One that sends no more gets all answers as well.
        client.send(&ALIVE.repeat(100));
        client.0.get_ref().shutdown(std::net::Shutdown::Write).unwrap();
        (0..100).for_each(|_| assert_eq!(client.answer(), (200, true)));
        client.expect_closed();
    });
}

#[test]
fn what_is_no_http_is_a_problem_behind_the_answers_before_it() {
    against(Failing::ByPanic, &PATIENT, |host| {
        let many = "X: y\r\n".repeat(200);
        for (odd, status, code) in [
            ("GET / HTTP/1.1\nHost: a\n\n".to_owned(), 400, "malformed_request"),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n".to_owned(), 400, "malformed_request"),
            ("GET / HTTP/1.1\r\n\r\n".to_owned(), 400, "malformed_request"),
            ("no HTTP\r\n\r\n".to_owned(), 400, "malformed_request"),
            ("\u{16}\u{3}\u{1}".to_owned(), 400, "malformed_request"),
            (format!("GET / HTTP/1.1\r\nHost: a\r\n{many}\r\n"), 431, "head_too_large"),
            (
                format!("GET / HTTP/1.1\r\nHost: a\r\n{}: b\r\n\r\n", "x".repeat(70_000)),
                431,
                "head_too_large",
            ),
            (
                format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(70_000)),
                414,
                "uri_too_long",
            ),
        ] {
            for before in 0..3 {
                let mut client = host.connect();
                client.send(&format!("\r\n{}{odd}{ALIVE}", ALIVE.repeat(before)));
                (0..before).for_each(|_| assert_eq!(client.answer(), (200, true)));
                assert_eq!(client.last_problem(), (status, code.to_owned()), "{odd:.60}");
            }
        }
        assert_eq!(host.state.requests_in_flight(), 0);
    });
}

#[test]
fn a_client_that_asks_for_another_protocol_is_served_by_this_one() {
    let store = Failing::InTheMiddle(Arc::default());
    against(store, &PATIENT, |host| {
        let upgrade = "Host: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n";
        let key = secret(Scheme::Bot);
        let key = key.reveal();
        let mut client = host.connect();
        client.send(&format!("GET /healthz HTTP/1.1\r\n{upgrade}\r\n"));
        assert_eq!(client.answer(), (200, true));
        client.send(&format!("PUT /healthz HTTP/1.1\r\n{upgrade}Content-Length: 5\r\n\r\nhello"));
        assert_eq!(client.last_problem().0, 405);
        let mut client = host.connect();
        let head = format!("GET /api/external/bot/changelog HTTP/1.1\r\n{upgrade}X-Api-Key: {key}");
        client.send(&format!("{head}\r\n\r\n"));
        let lines = std::iter::from_fn(|| Some(client.line()).filter(|line| line.trim() != ""));
        let head = lines.collect::<String>();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains("transfer-encoding: chunked"), "{head}");
        assert!(!head.to_lowercase().contains("upgrade"), "{head}");
    });
}

#[test]
fn a_body_that_is_not_read_any_more_ends_with_its_connection() {
    against(Failing::ByPanic, &PATIENT, |host| {
        let mut clients: Vec<_> = (0..20).map(|_| host.connect()).collect();
        for client in &mut clients {
            client.send("PUT /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhello");
        }
        for client in &mut clients {
            assert_eq!(client.last_problem(), (404, "unknown_path".to_owned()));
        }
    });
}

#[test]
fn clients_of_http_1_0_get_no_chunks() {
    let store = Failing::InTheMiddle(Arc::default());
    against(store, &PATIENT, |host| {
        let mut client = host.connect();
        let key = secret(Scheme::Bot);
        let key = key.reveal();
        client
            .send(&format!("GET /api/external/bot/changelog HTTP/1.0\r\nX-Api-Key: {key}\r\n\r\n"));
        let mut answer = String::new();
        client.0.read_to_string(&mut answer).unwrap();
        let (head, _) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.0 200 OK\r\n"), "{head}");
        assert!(!head.contains("transfer-encoding") && !head.contains("keep-alive"), "{head}");
    });
}

#[test]
fn requests_that_arrived_before_the_end_are_answered() {
    against(Failing::ByPanic, &PATIENT, |host| {
        let mut clients: Vec<_> = (0..100).map(|_| host.used()).collect();
        let mut idle: Vec<_> = (0..20).map(|_| host.used()).collect();
        clients.iter_mut().for_each(|client| client.send(ALIVE));
        System::new().block_on(host.handle.stop(true));
        for client in &mut clients {
            assert_eq!(client.answer(), (200, true));
            client.expect_closed();
        }
        idle.iter_mut().for_each(Client::expect_closed);
    });
}
