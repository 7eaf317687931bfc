//! A connection to a server that may go away, and that tells how far it has come.

use std::fmt;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::Duration;

use botyard_tests::waiting::TIMEOUT;
use botyard_tests::{Response, raw};
use serde_json::Value;

/// A connection that is kept open from one request to the next.
pub struct Wire {
    input: BufReader<TcpStream>,
    token: Option<(&'static str, String)>,
}

/// Why there is no whole answer.
#[derive(Debug)]
pub enum Lost {
    /// The connection has ended before the first byte of an answer.
    Unanswered(io::Error),
    /// An answer has begun and broken off.
    Cut(io::Error),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unanswered(error) => write!(f, "no answer: {error}"),
            Self::Cut(error) => write!(f, "an answer that breaks off: {error}"),
        }
    }
}

impl Wire {
    /// Connects.
    ///
    /// # Errors
    /// If the server does not accept.
    #[expect(clippy::disallowed_methods, reason = "it is the server under test that is dialled")]
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        stream.set_nodelay(true)?;
        Ok(Self { input: BufReader::new(stream), token: None })
    }

    /// Sends a bot token with every request from here on.
    pub fn set_bot_token(&mut self, token: &str) {
        self.token = Some(("X-Api-Key", token.to_owned()));
    }

    /// Sends a project token with every request from here on.
    pub fn set_project_token(&mut self, token: &str) {
        self.token = Some(("X-Project-Api-Key", token.to_owned()));
    }

    /// Sends a request and reads its answer.
    ///
    /// # Errors
    /// How far it came.
    pub fn ask(
        &mut self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response, Lost> {
        let body = body.map(ToString::to_string);
        self.send(method, path, &[], body.as_deref()).map_err(Lost::Unanswered)?;
        self.read(method, path)
    }

    /// Sends a request with these lines in its head.
    ///
    /// # Errors
    /// If the server does not take it any more.
    pub fn send(
        &mut self,
        method: &str,
        path: &str,
        lines: &[String],
        body: Option<&str>,
    ) -> io::Result<()> {
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n");
        if let Some((header, token)) = &self.token {
            request.push_str(&format!("{header}: {token}\r\n"));
        }
        for line in lines {
            request.push_str(&format!("{line}\r\n"));
        }
        if let Some(body) = body {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        request.push_str("\r\n");
        request.push_str(body.unwrap_or_default());
        self.input.get_mut().write_all(request.as_bytes())
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// If the server does not take them any more.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.input.get_mut().write_all(bytes)
    }

    /// Reads the answer to a request that was sent.
    ///
    /// # Errors
    /// How far it came.
    pub fn read(&mut self, method: &str, path: &str) -> Result<Response, Lost> {
        match self.input.fill_buf() {
            Ok([]) => return Err(Lost::Unanswered(io::ErrorKind::UnexpectedEof.into())),
            Ok(_) => {}
            Err(error) => return Err(Lost::Unanswered(error)),
        }
        raw::read_response(&mut self.input, method, path).map_err(Lost::Cut)
    }

    /// Reads one line of whatever comes.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.input.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// Waits until an answer has begun to come in, and leaves all of it to be read.
    pub fn await_answer(&mut self) {
        assert!(self.input.fill_buf().is_ok_and(|bytes| !bytes.is_empty()), "no answer");
    }

    /// Reads the answer like a client at the end of a thin line.
    ///
    /// # Errors
    /// If it breaks off.
    pub fn read_slowly(&mut self, method: &str, path: &str) -> io::Result<Response> {
        let mut input = BufReader::new(Slow(&mut self.input));
        raw::read_response(&mut input, method, path)
    }

    /// Waits until the server has closed the connection.
    ///
    /// # Panics
    /// If it does not, or sends more.
    #[track_caller]
    pub fn expect_closed(&mut self) {
        let rest = self.input.fill_buf().map(<[u8]>::len);
        assert!(matches!(rest, Ok(0)), "the connection goes on: {rest:?}");
    }
}

/// Rests before each read.
struct Slow<'a>(&'a mut BufReader<TcpStream>);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        sleep(Duration::from_millis(5));
        let some = buffer.len().min(32 << 10);
        self.0.read(&mut buffer[..some])
    }
}

/// Whether the answer says that no more are to come on its connection.
pub fn says_close(answer: &Response) -> bool {
    answer.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
}
