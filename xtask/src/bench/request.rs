//! One request, as it is tried out before the load, and the answer to it.

use std::fmt;
use std::io::{self, BufRead, BufReader, BufWriter, Cursor, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

/// Where in a body stands what is different in each request: a number with three decimals.
pub const VARIES: &str = "%.3f";

/// The longest that a server may take over its answer.
pub const TIMEOUT: Duration = Duration::from_secs(120);
/// How many bytes are sent at once.
const BLOCK: usize = 256 << 10;
/// How many bytes are read at once from a connection that stays open.
const PIECE: usize = 64 << 10;
/// The media type of a body.
pub const JSON: &str = "application/json";

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

/// An answer that goes on, behind its head. The frames of its parts are lines of it, too.
pub type Streamed = BufReader<TcpStream>;

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
        self.ask_with(server, self.content())
    }

    /// The body as content.
    pub fn content(&self) -> Option<Content<Cursor<Vec<u8>>>> {
        let body = self.body.as_ref()?.replace(VARIES, "1.999");
        Some(Content {
            media_type: JSON.to_owned(),
            length: body.len() as u64,
            bytes: Cursor::new(body.into_bytes()),
        })
    }

    /// The same with content of any kind in place of the body.
    pub fn ask_with<R: Read>(
        &self,
        server: SocketAddr,
        content: Option<Content<R>>,
    ) -> Result<Response> {
        let response = self.ask_for_any(server, content)?;
        self.require_200(&response.head, &response.body)?;
        Ok(response)
    }

    /// The same, whatever the status of the answer is.
    pub fn ask_for_any<R: Read>(
        &self,
        server: SocketAddr,
        content: Option<Content<R>>,
    ) -> Result<Response> {
        let mut body = Vec::new();
        let (head, _) = self.exchange(server, content, &mut body)?;
        Ok(Response { head, body: String::from_utf8(body)? })
    }

    /// Asks without a body, insists on a 200, and keeps nothing of the answer but how long its body
    /// is.
    pub fn drain(&self, server: SocketAddr) -> Result<u64> {
        let (head, length) = self.exchange(server, None::<Content<&[u8]>>, &mut io::sink())?;
        self.require_200(&head, "")?;
        Ok(length)
    }

    fn require_200(&self, head: &str, body: &str) -> Result<()> {
        if !head.starts_with("HTTP/1.1 200 ") {
            let status = head.lines().next().unwrap_or_default();
            bail!("{self} is answered with `{status}` {body}");
        }
        Ok(())
    }

    /// Asks without a body, and insists on a 200 with an answer that goes on.
    pub fn open(&self, server: SocketAddr) -> Result<Streamed> {
        let mut stream = BufReader::new(self.send(server, None::<Content<&[u8]>>)?);
        let head = read_head(&mut stream).with_context(|| self.to_string())?;
        self.require_200(&head, "")?;
        Ok(stream)
    }

    /// The head of the answer, and the length of its body, which goes to `answer`.
    fn exchange<R: Read>(
        &self,
        server: SocketAddr,
        content: Option<Content<R>>,
        answer: &mut impl Write,
    ) -> Result<(String, u64)> {
        self.send(server, content)
            .and_then(|stream| read_answer(&mut BufReader::with_capacity(BLOCK, stream), answer))
            .with_context(|| self.to_string())
    }

    fn send<R: Read>(&self, server: SocketAddr, content: Option<Content<R>>) -> Result<TcpStream> {
        let stream = connect(server, TIMEOUT)?;
        let mut output = BufWriter::with_capacity(BLOCK, &stream);
        self.write(server, content, &mut output)?;
        output.flush()?;
        drop(output);
        Ok(stream)
    }

    /// Writes the request, whose content may end before its length.
    pub fn write<R: Read>(
        &self,
        server: SocketAddr,
        content: Option<Content<R>>,
        output: &mut impl Write,
    ) -> Result<()> {
        let (method, path, Token { header, secret }) = (self.method, self.path(), &self.token);
        write!(output, "{method} {path} HTTP/1.1\r\nHost: {server}\r\n{header}: {secret}\r\n")?;
        if let Some(Content { media_type, length, mut bytes }) = content {
            write!(output, "Content-Type: {media_type}\r\nContent-Length: {length}\r\n\r\n")?;
            io::copy(&mut bytes, output)?;
        } else {
            write!(output, "\r\n")?;
        }
        Ok(())
    }
}

/// A connection over which one request goes after the other.
pub struct Connection {
    server: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub fn open(server: SocketAddr) -> Result<Self> {
        Self::with_timeout(server, TIMEOUT)
    }

    /// Opens one on which each answer, and the server itself, is waited for at most so long.
    pub fn with_timeout(server: SocketAddr, timeout: Duration) -> Result<Self> {
        let stream = connect(server, timeout)?;
        stream.set_nodelay(true)?;
        Ok(Self { server, stream: BufReader::with_capacity(PIECE, stream) })
    }

    pub fn stream(&self) -> &TcpStream {
        self.stream.get_ref()
    }

    /// Asks, and insists on a 200.
    pub fn ask(&mut self, request: &Request) -> Result<()> {
        let mut body = Vec::new();
        let head = self.exchange(request, &mut body)?;
        request.require_200(&head, &String::from_utf8_lossy(&body))
    }

    /// The head of the answer; its body goes to `answer`.
    fn exchange(&mut self, request: &Request, answer: &mut impl Write) -> Result<String> {
        let mut bytes = Vec::new();
        request.write(self.server, request.content(), &mut bytes)?;
        self.stream.get_ref().write_all(&bytes)?;
        let (head, _) = read_answer(&mut self.stream, answer)?;
        Ok(head)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "that rule is for the server; a benchmark asks servers"
)]
fn connect(server: SocketAddr, timeout: Duration) -> Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&server, timeout)?;
    stream.set_read_timeout(Some(timeout))?;
    Ok(stream)
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path())
    }
}

impl Response {
    /// The answer as a file holds it.
    pub fn text(&self) -> String {
        format!("{}{}", self.head, self.body)
    }

    /// Whether two answers are the same, but for the order of the headers, the date, and whether the
    /// length is sent at the beginning or part by part.
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

fn read_head(stream: &mut impl BufRead) -> Result<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            bail!("the answer ends early");
        }
    }
    Ok(head)
}

/// Returns the head of an answer, hands its body on, and returns the length of that.
fn read_answer(stream: &mut impl BufRead, body: &mut impl Write) -> Result<(String, u64)> {
    let head = read_head(stream)?;
    let header = |name| head.lines().find_map(|line| line.strip_prefix(name));
    let length = if let Some(length) = header("content-length: ") {
        let length = length.parse()?;
        if io::copy(&mut stream.take(length), body)? < length {
            bail!("the answer ends early");
        }
        length
    } else if header("transfer-encoding: ") == Some("chunked") {
        read_chunks(stream, body)?
    } else {
        bail!("the answer does not tell its length");
    };
    Ok((head, length))
}

/// Reads the chunks of a body whose length was not known in advance, and returns that length.
fn read_chunks(stream: &mut impl BufRead, body: &mut impl Write) -> Result<u64> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = u64::from_str_radix(line.trim_end(), 16).context("the answer ends early")?;
        length += io::copy(&mut stream.by_ref().take(size), body)?;
        // Each part ends its line, and the last one is empty.
        stream.read_line(&mut line)?;
        if size == 0 {
            return Ok(length);
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
        let read = |parts: &str| {
            let mut body = Vec::new();
            let (_, length) = read_answer(&mut format!("{head}{parts}").as_bytes(), &mut body)?;
            Ok::<_, anyhow::Error>((String::from_utf8(body)?, length))
        };
        let (body, length) = read("3\r\n[1,\r\na\r\n2345678901\r\n0\r\n\r\n").unwrap();
        assert_eq!((body.as_str(), length), ("[1,2345678901", 13));
        for part in ["", "3\r\n[1", "3\r\n[1,\r\n"] {
            assert!(read(part).is_err(), "{part:?}");
        }
    }
}
