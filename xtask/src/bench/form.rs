//! A form with a file in it, as a browser sends one.

use std::io::{Cursor, Read};
use std::net::SocketAddr;

use anyhow::Result;

use crate::bench::request::{Content, Request, Response};

const BOUNDARY: &str = "0123456789abcdef-of-the-benchmark";

/// A file that is made while it is sent.
pub struct FormFile<R> {
    pub name: &'static str,
    pub media_type: &'static str,
    pub length: u64,
    pub bytes: R,
}

impl FormFile<Cursor<Vec<u8>>> {
    /// A file that is there.
    pub fn of(name: &'static str, media_type: &'static str, bytes: Vec<u8>) -> Self {
        Self { name, media_type, length: bytes.len() as u64, bytes: Cursor::new(bytes) }
    }
}

/// Sends these fields, and a file behind them, and insists on a 200.
pub fn send<R: Read>(
    request: &Request,
    server: SocketAddr,
    fields: &[(&str, &str)],
    file: FormFile<R>,
) -> Result<Response> {
    request.ask_with(server, Some(content(fields, file)))
}

/// A form with these fields, and a file behind them.
pub fn content<R: Read>(fields: &[(&str, &str)], file: FormFile<R>) -> Content<impl Read> {
    let FormFile { name, media_type, length, bytes } = file;
    let field = |(name, value): &(&str, &str)| {
        format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        )
    };
    let fields: String = fields.iter().map(field).collect();
    let begin = format!(
        "{fields}--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; \
         filename=\"{name}\"\r\nContent-Type: {media_type}\r\n\r\n"
    );
    let end = format!("\r\n--{BOUNDARY}--\r\n");
    Content {
        media_type: format!("multipart/form-data; boundary={BOUNDARY}"),
        length: begin.len() as u64 + length + end.len() as u64,
        bytes: Cursor::new(begin).chain(bytes).chain(Cursor::new(end)),
    }
}
