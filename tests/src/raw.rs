//! Bytes on a socket, for what no decent HTTP client sends.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::client::Client;
use crate::response::Response;

/// A server that is silent for longer hangs.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A connection to the server, on behalf of a client.
pub struct Connection<'a> {
    client: &'a Client<'a>,
    stream: TcpStream,
    input: BufReader<TcpStream>,
}

impl<'a> Connection<'a> {
    #[track_caller]
    #[expect(clippy::disallowed_methods, reason = "it is the server under test that is dialled")]
    pub(crate) fn open(client: &'a Client<'a>) -> Self {
        let stream = TcpStream::connect(client.app().server().address());
        let stream = stream.expect("a connection to the server");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a time limit");
        stream.set_write_timeout(Some(TIMEOUT)).expect("a time limit");
        stream.set_nodelay(true).expect("no delay");
        let input = BufReader::new(stream.try_clone().expect("the same socket"));
        Self { client, stream, input }
    }

    /// The head of a request by this client: request line, `Host`, the token, and these lines.
    #[must_use]
    pub fn head(&self, method: &str, path: &str, lines: &[&str]) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n");
        if let Some((name, value)) = self.client.caller().header() {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        for line in lines {
            head.push_str(line);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        head
    }

    /// Sends bytes.
    ///
    /// # Errors
    /// If the server does not take them any more.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())
    }

    /// Says that nothing more will be sent.
    ///
    /// # Errors
    /// If the connection is gone.
    pub fn finish(&mut self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)
    }

    /// Sends a head and what follows it, and reads the answer.
    ///
    /// # Panics
    /// If there is no answer, or one that breaks a rule.
    #[track_caller]
    pub fn exchange(&mut self, method: &str, path: &str, lines: &[&str], rest: &[u8]) -> Response {
        let head = self.head(method, path, lines);
        self.send(head).expect("the head goes out");
        self.send(rest).expect("the body goes out");
        self.read(method, path)
    }

    /// Sends a head and a body in chunks of so many bytes, as far as the server takes them, and reads the
    /// answer.
    ///
    /// # Panics
    /// If there is no answer, or one that breaks a rule.
    #[track_caller]
    pub fn exchange_in_chunks(
        &mut self,
        (method, path): (&str, &str),
        lines: &[&str],
        (body, size): (&[u8], usize),
    ) -> Response {
        let lines = [lines, &["Transfer-Encoding: chunked"]].concat();
        let head = self.head(method, path, &lines);
        // A server that has answered already need not take the rest.
        let _ = self.send(head).and_then(|()| self.send_chunks(body, size));
        self.read(method, path)
    }

    fn send_chunks(&mut self, body: &[u8], size: usize) -> io::Result<()> {
        for chunk in body.chunks(size) {
            self.send(format!("{:x}\r\n", chunk.len()))?;
            self.send(chunk)?;
            self.send("\r\n")?;
        }
        self.send("0\r\n\r\n")
    }

    /// Waits until an answer has begun to come.
    ///
    /// # Panics
    /// If none comes.
    #[track_caller]
    pub fn expect_answer(&mut self) {
        let begun = self.input.fill_buf().expect("an answer begins");
        assert!(!begun.is_empty(), "the connection is closed without an answer");
    }

    /// Whether something of an answer has come already.
    ///
    /// # Panics
    /// If the socket can't be asked.
    #[must_use]
    pub fn has_answer(&self) -> bool {
        if !self.input.buffer().is_empty() {
            return true;
        }
        self.stream.set_nonblocking(true).expect("a socket that does not block");
        let seen = self.stream.peek(&mut [0]);
        self.stream.set_nonblocking(false).expect("a socket that blocks");
        seen.is_ok_and(|count| count > 0)
    }

    /// Reads an answer and checks what holds for all of them. `method` and `path`
    /// are those of the request.
    ///
    /// # Panics
    /// If there is no answer, or one that breaks a rule.
    #[track_caller]
    pub fn read(&mut self, method: &str, path: &str) -> Response {
        let response = self.try_read(method, path);
        response.unwrap_or_else(|error| panic!("no answer to {method} {path}: {error}"))
    }

    /// Reads an answer, if there is one, and checks it as well.
    ///
    /// # Errors
    /// If there is no whole answer.
    ///
    /// # Panics
    /// If the answer breaks a rule.
    #[track_caller]
    pub fn try_read(&mut self, method: &str, path: &str) -> io::Result<Response> {
        let response = read_response(&mut self.input, method, path)?;
        self.client.audit(&response);
        Ok(response)
    }

    /// Reads one more piece of an answer without an end; nothing if that has ended after all.
    ///
    /// # Panics
    /// If the answer breaks off.
    #[track_caller]
    pub fn read_piece(&mut self) -> String {
        let mut piece = Vec::new();
        read_chunk(&mut self.input, &mut piece).expect("a piece of the answer");
        String::from_utf8(piece).expect("text")
    }

    /// Waits until the server has closed the connection, or sends more than it was asked for.
    ///
    /// # Panics
    /// If it does neither, or sends more.
    #[track_caller]
    pub fn expect_closed(&mut self) {
        let mut more = [0];
        match self.input.read(&mut more) {
            Ok(0) => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
            Ok(_) => panic!("the server sent more than an answer"),
            Err(error) => panic!("the connection stays open: {error}"),
        }
    }
}

fn odd(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    input.read_line(&mut line)?;
    line.strip_suffix("\r\n").map(ToOwned::to_owned).ok_or_else(|| odd("a line that does not end"))
}

/// Reads one response (RFC 9112), and checks nothing but that it is whole.
///
/// # Errors
/// If it breaks off, or is no response.
pub fn read_response(input: &mut impl BufRead, method: &str, path: &str) -> io::Result<Response> {
    let status = line(input)?;
    let status = status
        .strip_prefix("HTTP/1.1 ")
        .or_else(|| status.strip_prefix("HTTP/1.0 "))
        .and_then(|rest| rest.split(' ').next()?.parse().ok())
        .ok_or_else(|| odd("an odd status line"))?;
    let mut headers = Vec::new();
    loop {
        let line = line(input)?;
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').ok_or_else(|| odd("an odd header"))?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    if status == 100 {
        return read_response(input, method, path);
    }
    let value = |wanted: &str| {
        let found = headers.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str())
    };
    let mut body = Vec::new();
    if method != "HEAD" && status != 204 && status != 304 {
        if Response::is_endless(&headers) {
            read_chunk(input, &mut body)?;
        } else if value("transfer-encoding") == Some("chunked") {
            read_chunks(input, &mut body)?;
        } else if let Some(length) = value("content-length") {
            let length = length.parse().map_err(|_| odd("an odd Content-Length"))?;
            body.resize(length, 0);
            input.read_exact(&mut body)?;
        } else {
            input.read_to_end(&mut body)?;
        }
    }
    let (method, path) = (method.to_owned(), path.to_owned());
    Ok(Response::new(method, path, status, headers, body))
}

fn read_chunks(input: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    while read_chunk(input, body)? > 0 {}
    Ok(())
}

/// Reads one chunk, and returns how many bytes it has.
pub(crate) fn read_chunk(input: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<usize> {
    let size = line(input)?;
    let size = usize::from_str_radix(&size, 16).map_err(|_| odd("an odd chunk"))?;
    let start = body.len();
    body.resize(start + size, 0);
    input.read_exact(body.get_mut(start..).unwrap_or_default())?;
    if !line(input)?.is_empty() {
        return Err(odd("a chunk longer than it says"));
    }
    Ok(size)
}
