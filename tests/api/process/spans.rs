//! Spans of requests, as an OpenTelemetry collector gets them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use botyard_tests::{Database, Installation, TestApp};
use test_postgres::not_run;

use super::command::run;

const PATH: &str = "/api/external/projectapi/checkauth";
const OPERATION: &str = "checkauthOfProject";
const RECORDED: [u8; 16] = [0xab; 16];
const NOT_RECORDED: [u8; 16] = [0xcd; 16];

/// A collector that keeps the bodies that it gets.
struct Collector {
    address: SocketAddr,
    bodies: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let bodies = Arc::default();
        let kept = Arc::clone(&bodies);
        thread::spawn(move || {
            for stream in listener.incoming() {
                take(&stream.unwrap(), &kept);
            }
        });
        Self { address, bodies }
    }

    /// How often this is in what came: names and identifiers are sent as they are.
    fn count(&self, part: &[u8]) -> usize {
        let bodies = self.bodies.lock().unwrap().concat();
        bodies.windows(part.len()).filter(|window| *window == part).count()
    }
}

/// Takes the requests that come over a connection.
fn take(stream: &TcpStream, bodies: &Mutex<Vec<Vec<u8>>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or_default() == 0 {
                return;
            }
        }
        assert!(head.starts_with("POST /otlp/v1/traces HTTP/1.1\r\n"), "{head}");
        let head = head.to_lowercase();
        assert!(head.contains("content-type: application/x-protobuf\r\n"), "{head}");
        let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        bodies.lock().unwrap().push(body);
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        (&*stream).write_all(answer.as_bytes()).unwrap();
    }
}

/// Whether the binary can send spans.
fn can_send() -> bool {
    let endpoint = [("OTLP__ENDPOINT", "http://127.0.0.1:1")];
    let ran = run(Installation::empty(Database::Sqlite).command(&endpoint).arg("config"));
    let refusal =
        "\\\"http://127.0.0.1:1\\\" needs a build of botyard with the cargo feature `otlp`";
    if !format!("{ran:?}").contains(refusal) {
        ran.done();
        return true;
    }
    not_run("the binary was built without the feature otlp");
    false
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn requests_are_spans_of_the_traces_that_their_callers_record_sqlite() {
    if !can_send() {
        return;
    }
    let collector = Collector::start();
    let endpoint = format!("http://{}/otlp", collector.address);
    let settings = [("OTLP__ENDPOINT", endpoint.as_str()), ("OTLP__ONE_IN", "3")];
    let mut app = TestApp::start(Database::Sqlite, &settings);
    let client = app.tenant().as_project();
    let parent = [0x17; 8];
    for (trace, flags) in [(RECORDED, "01"), (NOT_RECORDED, "00")] {
        let header = format!("00-{}-{}-{flags}", hexadecimal(&trace), hexadecimal(&parent));
        let _ = client.request("GET", PATH).header("traceparent", &header).send().ok();
    }
    drop(client);
    // What waits is sent at the end.
    app.server_mut().stop();
    assert_eq!((collector.count(&RECORDED), collector.count(&NOT_RECORDED)), (1, 0));
    assert_eq!((collector.count(&parent), collector.count(OPERATION.as_bytes())), (1, 1));
    assert!(collector.count(b"botyard.request_id") > 0);
}
