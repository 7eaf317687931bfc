//! One request, as it is tried out before the load, and the answer to it.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

/// Where in a body stands what is different in each request: a number with three decimals.
pub const VARIES: &str = "%.3f";

/// The longest that a server may take over its answer.
const PATIENCE: Duration = Duration::from_secs(120);
/// How many bytes are sent at once.
const BLOCK: usize = 256 << 10;

/// A request with a token.
#[derive(Clone)]
pub struct Request {
    pub method: &'static str,
    /// One, or several that a load goes to in turn.
    pub paths: Vec<String>,
    pub token: Token,
    /// May hold [`VARIES`].
    pub body: Option<String>,
}

/// A token, and the header that it goes into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub header: &'static str,
    pub secret: String,
}

/// What a request brings along.
pub struct Content<R> {
    pub media_type: String,
    pub length: u64,
    pub bytes: R,
}

/// An answer as it went over the wire, but for the frames of its parts.
pub struct Response {
    pub head: String,
    pub body: String,
}

impl Request {
    /// The first path.
    pub fn path(&self) -> &str {
        self.paths.first().map_or("", String::as_str)
    }

    /// Asks a server, and insists on a 200.
    pub fn ask(&self, server: SocketAddr) -> Result<Response> {
        let body = self.body.as_ref().map(|body| body.replace(VARIES, "1.999"));
        let content = body.as_ref().map(|body| Content {
            media_type: "application/json".to_owned(),
            length: body.len() as u64,
            bytes: body.as_bytes(),
        });
        self.ask_with(server, content)
    }

    /// The same with content of any kind in place of the body.
    pub fn ask_with<R: Read>(
        &self,
        server: SocketAddr,
        content: Option<Content<R>>,
    ) -> Result<Response> {
        let name = format!("{} {}", self.method, self.path());
        let response = self.exchange(server, content).with_context(|| name.clone())?;
        if !response.head.starts_with("HTTP/1.1 200 ") {
            let status = response.head.lines().next().unwrap_or_default();
            bail!("{name} is answered with `{status}` {}", response.body);
        }
        Ok(response)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "that rule is for the server; a benchmark asks servers"
    )]
    fn exchange<R: Read>(
        &self,
        server: SocketAddr,
        content: Option<Content<R>>,
    ) -> Result<Response> {
        let stream = TcpStream::connect(server)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut output = BufWriter::with_capacity(BLOCK, &stream);
        let (method, path, Token { header, secret }) = (self.method, self.path(), &self.token);
        write!(output, "{method} {path} HTTP/1.1\r\nHost: {server}\r\n{header}: {secret}\r\n")?;
        if let Some(Content { media_type, length, mut bytes }) = content {
            write!(output, "Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n")?;
            io::copy(&mut bytes, &mut output)?;
        } else {
            write!(output, "\r\n")?;
        }
        output.flush()?;
        Response::read(&mut BufReader::new(&stream))
    }
}

impl Response {
    fn read(stream: &mut impl BufRead) -> Result<Self> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head)? == 0 {
                bail!("the answer ends early");
            }
        }
        let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name));
        let mut body = Vec::new();
        if let Some(length) = header("content-length: ") {
            body.resize(length.parse()?, 0);
            stream.read_exact(&mut body)?;
        } else if header("transfer-encoding: ") == Some("chunked") {
            read_chunks(stream, &mut body)?;
        } else {
            bail!("the answer does not tell its length");
        }
        Ok(Self { head, body: String::from_utf8(body)? })
    }

    /// The answer as a file holds it.
    pub fn text(&self) -> String {
        format!("{}{}", self.head, self.body)
    }

    /// Whether two answers are the same, but for the order of the headers, the date, and whether the
    /// length is told at the beginning or part by part.
    pub fn is_same(&self, other: &Self) -> bool {
        self.lines() == other.lines() && self.body == other.body
    }

    fn lines(&self) -> Vec<&str> {
        const APART: [&str; 3] = ["date: ", "content-length: ", "transfer-encoding: "];
        let is_compared = |line: &&str| !APART.iter().any(|name| line.starts_with(name));
        let mut lines: Vec<_> = self.head.lines().filter(is_compared).collect();
        lines.sort_unstable();
        lines
    }
}

/// Reads the parts of a body whose length nobody knew in advance.
fn read_chunks(stream: &mut impl BufRead, body: &mut Vec<u8>) -> Result<()> {
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim_end(), 16).context("the answer ends early")?;
        stream.by_ref().take(size).read_to_end(body)?;
        // Each part ends its line, and the last one is empty.
        stream.read_line(&mut line)?;
        if size == 0 {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_without_date_order_and_framing() {
        let answer = |head: &str, body: &str| Response { head: head.into(), body: body.into() };
        let one = answer("HTTP/1.1 200 OK\r\na: 1\r\ndate: x\r\nb: 2\r\n\r\n", "{}");
        assert!(one.is_same(&answer("HTTP/1.1 200 OK\r\nb: 2\r\na: 1\r\ndate: y\r\n\r\n", "{}")));
        assert!(!one.is_same(&answer("HTTP/1.1 200 OK\r\nb: 2\r\na: 2\r\ndate: x\r\n\r\n", "{}")));
        assert!(!one.is_same(&answer("HTTP/1.1 200 OK\r\na: 1\r\nb: 2\r\n\r\n", "[]")));
        let sized = answer("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", "{}");
        let parts = answer("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "{}");
        assert!(sized.is_same(&parts));
    }

    #[test]
    fn a_body_in_parts_is_put_together_and_must_be_whole() {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let read = |parts: &str| Response::read(&mut format!("{head}{parts}").as_bytes());
        assert_eq!(read("3\r\n[1,\r\na\r\n2345678901\r\n0\r\n\r\n").unwrap().body, "[1,2345678901");
        for part in ["", "3\r\n[1", "3\r\n[1,\r\n"] {
            assert!(read(part).is_err(), "{part:?}");
        }
    }
}
