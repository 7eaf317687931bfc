//! The floor of `cargo xtask bench`: a server that answers every request with one recorded response
//! and looks nothing up. A body is read whole first. What botyard costs beyond this is botyard's.
//!
//! `cargo run --release -p botyard-http-actix --example floor -- RESPONSE WORKERS`, where RESPONSE is a
//! file with a response as it went over the wire.

use std::fs;
use std::io::{self, Error, Write as _};
use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_LENGTH, DATE, HeaderName, HeaderValue};
use actix_web::web::{self, Bytes, Payload};
use actix_web::{App, HttpResponse, HttpServer};
use futures_util::StreamExt as _;

/// A response as it was recorded.
struct Recorded {
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

impl Recorded {
    fn read(file: &str) -> Option<Self> {
        let text = fs::read_to_string(file).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(": ")?;
            let name: HeaderName = name.parse().ok()?;
            // The framework writes these two by itself.
            if ![CONTENT_LENGTH, DATE].contains(&name) {
                headers.push((name, value.parse().ok()?));
            }
        }
        Some(Self { status, headers, body: Bytes::copy_from_slice(body.as_bytes()) })
    }

    async fn answer(self: Arc<Self>, mut payload: Payload) -> HttpResponse {
        while payload.next().await.is_some() {}
        let mut response = HttpResponse::build(self.status);
        for (name, value) in &self.headers {
            response.insert_header((name, value.clone()));
        }
        response.body(self.body.clone())
    }
}

#[actix_web::main]
async fn main() -> io::Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [file, workers] = arguments.as_slice() else {
        return Err(Error::other("usage: floor RESPONSE WORKERS"));
    };
    let workers = workers.parse().map_err(|_| Error::other("WORKERS is no number"))?;
    let recorded = Recorded::read(file).map(Arc::new);
    let recorded = recorded.ok_or_else(|| Error::other(format!("{file} holds no response")))?;
    let server = HttpServer::new(move || {
        let recorded = recorded.clone();
        let answer = move |payload: Payload| recorded.clone().answer(payload);
        App::new().default_service(web::to(answer))
    });
    let server = server.workers(workers).bind("127.0.0.1:0")?;
    for address in server.addrs() {
        writeln!(io::stdout(), "listening on http://{address}")?;
    }
    server.run().await
}
