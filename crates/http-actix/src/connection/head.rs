//! Heads of requests: where they end, whether they keep strictly to HTTP/1.1 (RFC 9112), and how the
//! body behind them is framed.

use std::net::Ipv6Addr;
use std::ops::Range;
use std::str::FromStr;

use actix_web::http::Uri;
use memchr::memchr;

use super::exchange::Refusal;
use super::framing::Framing;

/// Most bytes of the lines of a head after the first. Many clients without a token may each have an
/// unfinished head in memory.
const HEADER_BYTES: usize = 24 << 10;
/// Most lines of a head after the first. The framework takes no more.
const LINES: usize = 96;
/// Most bytes of a target that [`Uri`] takes.
const TARGET_BYTES: usize = u16::MAX as usize - 1;
/// Bytes of the first line beside its target: method, version and white space.
const BESIDE_TARGET: usize = 64;

/// A whole head.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Its length in bytes.
    pub(super) length: usize,
    /// What follows it.
    pub(super) body: Framing,
    /// Where it asks for another protocol: the names of `Upgrade` lines, and the option `upgrade` of
    /// `Connection` lines.
    pub(super) upgrades: Vec<Range<usize>>,
}

/// The search for the end of a head, while its bytes come in.
#[derive(Debug)]
pub(super) struct HeadSearch {
    /// Most bytes of the target.
    target_bytes: usize,
    /// Bytes that were looked at.
    seen: usize,
    /// Where the line begins that has not ended yet.
    line: usize,
}

impl HeadSearch {
    /// A search for a head whose target has at most `target_bytes` bytes.
    pub(super) fn new(target_bytes: usize) -> Self {
        Self { target_bytes: target_bytes.min(TARGET_BYTES), seen: 0, line: 0 }
    }

    /// Looks for a head at the beginning of these bytes, which are those of the last call and more.
    /// `None` if it has not ended yet.
    ///
    /// # Errors
    /// If it is none, or too large.
    pub(super) fn find(&mut self, bytes: &[u8]) -> Result<Option<Head>, Refusal> {
        if !bytes.first().is_none_or(|first| is_token(*first)) {
            return Err(Refusal::Malformed("it does not begin with a method"));
        }
        while let Some(at) = bytes.get(self.seen..).and_then(|rest| memchr(b'\n', rest)) {
            let line = bytes.get(self.line..self.seen + at).unwrap_or_default();
            self.seen += at + 1;
            self.line = self.seen;
            match line {
                [b'\r'] => return self.read(bytes).map(Some),
                [.., b'\r'] => {}
                [..] => return Err(Refusal::Malformed("a line ends with LF instead of CRLF")),
            }
            self.check_size()?;
        }
        self.seen = bytes.len();
        self.check_size()?;
        Ok(None)
    }

    /// Checks the size of what was looked at.
    const fn check_size(&self) -> Result<(), Refusal> {
        let first_line = self.target_bytes + BESIDE_TARGET;
        if self.line == 0 && self.seen > first_line {
            return Err(Refusal::TargetTooLong);
        }
        if self.seen > first_line + HEADER_BYTES {
            return Err(Refusal::TooLarge);
        }
        Ok(())
    }

    /// Reads the head that ends where the search ended.
    fn read(&self, bytes: &[u8]) -> Result<Head, Refusal> {
        self.check_size()?;
        let mut lines = [httparse::EMPTY_HEADER; LINES];
        let mut request = httparse::Request::new(&mut lines);
        let head = bytes.get(..self.seen).unwrap_or_default();
        match request.parse(head) {
            Ok(httparse::Status::Complete(length)) if length == self.seen => {}
            Ok(_) => return Err(Refusal::Malformed("it ends in the middle of a line")),
            Err(httparse::Error::TooManyHeaders) => return Err(Refusal::TooLarge),
            Err(error) => return Err(Refusal::Malformed(complaint(error))),
        }
        let target = request.path.unwrap_or_default();
        if target.len() > self.target_bytes {
            return Err(Refusal::TargetTooLong);
        }
        if Uri::from_str(target).is_err() {
            return Err(Refusal::Malformed("the target is malformed"));
        }
        let is_1_0 = request.version == Some(0);
        let body = body(request.headers, is_1_0)?;
        if is_1_0 && request.method == Some("POST") && body.is_none() {
            return Err(Refusal::Malformed("a POST of HTTP/1.0 needs a Content-Length"));
        }
        let upgrades = upgrades(request.headers, head);
        Ok(Head { length: self.seen, body: body.unwrap_or(Framing::Length(0)), upgrades })
    }
}

/// Where these lines of a head ask for another protocol.
fn upgrades(lines: &[httparse::Header<'_>], head: &[u8]) -> Vec<Range<usize>> {
    let range = |part: &[u8]| {
        let start = part.as_ptr().addr() - head.as_ptr().addr();
        start..start + part.len()
    };
    let mut found = Vec::new();
    for line in lines {
        if line.name.eq_ignore_ascii_case("upgrade") {
            found.push(range(line.name.as_bytes()));
        } else if line.name.eq_ignore_ascii_case("connection") {
            let options = line.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
            let asking = options.filter(|option| option.eq_ignore_ascii_case(b"upgrade"));
            found.extend(asking.map(range));
        }
    }
    found
}

/// Checks the lines that say where a request goes and where it ends. `None` if it says nothing of a
/// body.
fn body(lines: &[httparse::Header<'_>], is_1_0: bool) -> Result<Option<Framing>, Refusal> {
    let (mut host, mut body) = (false, None);
    for line in lines {
        let is = |name: &str| line.name.eq_ignore_ascii_case(name);
        let framing = if is("content-length") {
            let length = content_length(line.value);
            Framing::Length(length.ok_or(Refusal::Malformed("Content-Length is malformed"))?)
        } else if is("transfer-encoding") {
            if is_1_0 || !line.value.eq_ignore_ascii_case(b"chunked") {
                return Err(Refusal::Malformed("no Transfer-Encoding but `chunked` is taken"));
            }
            Framing::chunked()
        } else {
            if is("host") {
                if std::mem::replace(&mut host, true) {
                    return Err(Refusal::Malformed("it has more than one Host"));
                }
                if !is_host(line.value) {
                    return Err(Refusal::Malformed("Host is malformed"));
                }
            }
            continue;
        };
        if body.replace(framing).is_some() {
            return Err(Refusal::Malformed("it says more than once how long its body is"));
        }
    }
    if host || is_1_0 { Ok(body) } else { Err(Refusal::Malformed("it has no Host")) }
}

fn content_length(value: &[u8]) -> Option<u64> {
    let digits = value.iter().all(u8::is_ascii_digit);
    digits.then(|| str::from_utf8(value).ok()?.parse().ok()).flatten()
}

/// Whether this is a host and perhaps a port (RFC 9110, section 7.2), or nothing at all.
fn is_host(value: &[u8]) -> bool {
    let port = match value {
        [b'[', inside @ ..] => {
            let end = memchr(b']', inside);
            let Some((address, port)) = end.and_then(|at| inside.split_at_checked(at)) else {
                return false;
            };
            let address = str::from_utf8(address).ok();
            if address.and_then(|text| text.parse::<Ipv6Addr>().ok()).is_none() {
                return false;
            }
            port.get(1..).unwrap_or_default()
        }
        name => {
            let end = memchr(b':', name).unwrap_or(name.len());
            let Some((name, port)) = name.split_at_checked(end) else { return false };
            if !is_name(name) {
                return false;
            }
            port
        }
    };
    match port {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        [..] => false,
    }
}

/// Whether this is a name of a host (RFC 3986, `reg-name`).
fn is_name(mut name: &[u8]) -> bool {
    while let [first, rest @ ..] = name {
        name = match (first, rest) {
            (b'%', [high, low, rest @ ..])
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                rest
            }
            (byte, rest) if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(byte) => {
                rest
            }
            _ => return false,
        };
    }
    true
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn complaint(error: httparse::Error) -> &'static str {
    match error {
        httparse::Error::HeaderName => "the name of a header is malformed",
        httparse::Error::HeaderValue => "the value of a header is malformed",
        httparse::Error::NewLine => "a line is malformed",
        httparse::Error::Status | httparse::Error::Token | httparse::Error::TooManyHeaders => {
            "its first line is malformed"
        }
        httparse::Error::Version => "its version is none of HTTP/1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: usize = 8 << 10;

    fn find(head: &str) -> Result<Option<Head>, Refusal> {
        HeadSearch::new(PATH).find(head.as_bytes())
    }

    /// A head with these lines and a `Host`.
    fn with(lines: &str) -> Result<Framing, Refusal> {
        Ok(find(&format!("PUT / HTTP/1.1\r\nHost: a\r\n{lines}\r\n"))?.unwrap().body)
    }

    #[test]
    fn a_head_is_found_however_it_comes() {
        let head = "GET /a?b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n";
        let upgrades = Vec::new();
        let found = Head { length: head.len(), body: Framing::Length(3), upgrades };
        assert_eq!(find(&format!("{head}abcGET")), Ok(Some(found)));
        let mut search = HeadSearch::new(PATH);
        for end in 0..head.len() {
            assert_eq!(search.find(&head.as_bytes()[..end]), Ok(None), "{end}");
        }
        assert!(search.find(head.as_bytes()).unwrap().is_some());
    }

    #[test]
    fn framings_are_read() {
        assert_eq!(with(""), Ok(Framing::Length(0)));
        assert_eq!(with("content-length: 18446744073709551615\r\n"), Ok(Framing::Length(u64::MAX)));
        assert_eq!(with("Transfer-Encoding: Chunked\r\n"), Ok(Framing::chunked()));
    }

    #[test]
    fn a_body_has_one_length() {
        for lines in [
            "Content-Length: 5\r\nContent-Length: 5\r\n",
            "Content-Length: 5, 5\r\n",
            "Content-Length: +5\r\n",
            "Content-Length: -5\r\n",
            "Content-Length:\r\n",
            "Content-Length: 18446744073709551616\r\n",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: identity\r\n",
        ] {
            assert!(matches!(with(lines), Err(Refusal::Malformed(_))), "{lines}");
        }
        for head in
            ["PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "POST / HTTP/1.0\r\n\r\n"]
        {
            assert!(matches!(find(head), Err(Refusal::Malformed(_))), "{head}");
        }
        assert!(find("GET / HTTP/1.0\r\n\r\n").unwrap().is_some());
    }

    #[test]
    fn lines_end_with_both_characters() {
        for head in [
            "GET / HTTP/1.1\nHost: a\n\n",
            "GET / HTTP/1.1\r\nHost: a\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
            "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
            "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
            "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
            "\u{16}\u{3}\u{1}",
            " GET",
        ] {
            assert!(matches!(find(head), Err(Refusal::Malformed(_))), "{head:?}");
        }
    }

    #[test]
    fn there_is_one_host_and_it_is_one() {
        for host in [
            "",
            "a",
            "a:",
            "a:80",
            "localhost:8080",
            "a-b.example",
            "127.0.0.1:1",
            "[::1]",
            "[::1]:8",
            "%41b",
            "a_b",
        ] {
            let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            assert!(find(&head).unwrap().is_some(), "{host}");
        }
        for host in [
            "a b", "a/b", "a@b", "a:b", "a:80:80", "[::1", "::1", "[a]", "[::1]a", "%4", "%zz",
            "a?b", "a#b", "a\\b", "\"a\"", "<a>", "ä",
        ] {
            let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
            assert_eq!(find(&head), Err(Refusal::Malformed("Host is malformed")), "{host}");
        }
        for lines in ["", "Host: a\r\nHost: a\r\n"] {
            let found = find(&format!("GET / HTTP/1.1\r\n{lines}\r\n"));
            assert!(matches!(found, Err(Refusal::Malformed(_))), "{lines}");
        }
    }

    #[test]
    fn heads_and_targets_are_bounded() {
        let long = "x".repeat(PATH + BESIDE_TARGET + HEADER_BYTES);
        for head in [
            format!("GET / HTTP/1.1\r\nHost: a\r\nX: {long}\r\n\r\n"),
            format!("GET / HTTP/1.1\r\nHost: a\r\n{long}"),
            format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(LINES)),
        ] {
            assert_eq!(find(&head), Err(Refusal::TooLarge));
        }
        let lines = "X: y\r\n".repeat(LINES - 1);
        assert!(find(&format!("GET / HTTP/1.1\r\nHost: a\r\n{lines}\r\n")).unwrap().is_some());
        let target = "x".repeat(PATH - 1);
        let head = format!("GET /{target} HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(find(&head).unwrap().is_some());
        for head in [head.replace("/x", "/xx"), format!("GET /{long}")] {
            assert_eq!(find(&head), Err(Refusal::TargetTooLong));
        }
        let head = format!("GET /{long} HTTP/1.1\r\nHost: a\r\n\r\n").replace("xx", "x");
        assert!(HeadSearch::new(usize::MAX).find(head.as_bytes()).unwrap().is_some());
    }

    #[test]
    fn where_another_protocol_is_asked_for_is_found() {
        let head = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\
                    Connection: keep-alive, Upgrade\r\nconnection:upgrade\r\nX-Upgrade: upgrade\r\n\r\n";
        let found = find(head).unwrap().unwrap().upgrades;
        let found: Vec<_> = found.into_iter().map(|at| (at.start, head.get(at).unwrap())).collect();
        let at = |text: &str| head.find(text).unwrap();
        let last = at("connection:") + "connection:".len();
        assert_eq!(
            found,
            [(at("Upgrade:"), "Upgrade"), (at(", Upgrade") + 2, "Upgrade"), (last, "upgrade")]
        );
    }
}
