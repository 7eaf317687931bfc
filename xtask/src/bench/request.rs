//! One request, as it is tried out before the load, and the answer to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};

/// Where in a body stands what is different in each request: a number with three decimals.
pub const VARIES: &str = "%.3f";

/// A request with a token for one bot.
#[derive(Clone)]
pub struct Request {
    pub method: &'static str,
    pub path: &'static str,
    pub token: String,
    /// May hold [`VARIES`].
    pub body: Option<String>,
}

/// An answer as it went over the wire.
pub struct Response {
    pub head: String,
    pub body: String,
}

impl Request {
    /// Asks a server, and insists on a 200.
    pub fn ask(&self, server: SocketAddr) -> Result<Response> {
        let name = format!("{} {}", self.method, self.path);
        let response = self.exchange(server).with_context(|| name.clone())?;
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
    fn exchange(&self, server: SocketAddr) -> Result<Response> {
        let mut stream = TcpStream::connect(server)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let Self { method, path, token, .. } = self;
        let mut text =
            format!("{method} {path} HTTP/1.1\r\nHost: {server}\r\nX-Api-Key: {token}\r\n");
        if let Some(body) = &self.body {
            let body = body.replace(VARIES, "1.999");
            let length = body.len();
            text += "Content-Type: application/json\r\n";
            text += &format!("Content-Length: {length}\r\n\r\n{body}");
        } else {
            text += "\r\n";
        }
        stream.write_all(text.as_bytes())?;

        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head)? == 0 {
                bail!("the answer ends early");
            }
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length = length.ok_or_else(|| anyhow!("the answer does not tell its length"))?;
        let mut body = vec![0; length.parse()?];
        stream.read_exact(&mut body)?;
        Ok(Response { head, body: String::from_utf8(body)? })
    }
}

impl Response {
    /// The answer as a file holds it.
    pub fn text(&self) -> String {
        format!("{}{}", self.head, self.body)
    }

    /// Whether two answers are the same, but for the order of the headers and the date.
    pub fn is_same(&self, other: &Self) -> bool {
        self.lines() == other.lines() && self.body == other.body
    }

    fn lines(&self) -> Vec<&str> {
        let mut lines: Vec<_> =
            self.head.lines().filter(|line| !line.starts_with("date: ")).collect();
        lines.sort_unstable();
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_without_date_and_order() {
        let answer = |head: &str, body: &str| Response { head: head.into(), body: body.into() };
        let one = answer("HTTP/1.1 200 OK\r\na: 1\r\ndate: x\r\nb: 2\r\n\r\n", "{}");
        assert!(one.is_same(&answer("HTTP/1.1 200 OK\r\nb: 2\r\na: 1\r\ndate: y\r\n\r\n", "{}")));
        assert!(!one.is_same(&answer("HTTP/1.1 200 OK\r\nb: 2\r\na: 2\r\ndate: x\r\n\r\n", "{}")));
        assert!(!one.is_same(&answer("HTTP/1.1 200 OK\r\na: 1\r\nb: 2\r\n\r\n", "[]")));
    }
}
