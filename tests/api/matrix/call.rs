//! A request to an operation, put together so that one thing in it can be spoilt.

use botyard_tests::{Client, Response};
use domain::id::BotId;
use http_actix::{BodySpec, Operation};
use serde_json::Value;

use super::form;

/// How a body is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// As an ordinary client does it.
    Ordinary,
    /// With its length in front, byte for byte as it is; no length if there is no body.
    Bare,
    /// In chunks, without its length.
    Chunked,
    /// Not at all, though this length was announced.
    Announced(usize),
}

/// A request to an operation: valid when it is new, and answered with 200 then.
#[derive(Clone)]
pub struct Call<'a> {
    operation: &'a Operation,
    client: Client<'a>,
    bot: BotId,
    method: String,
    path: String,
    query: Option<String>,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    framing: Framing,
}

impl<'a> Call<'a> {
    /// The operation as it wants to be called, with the example as its body. `bot` is what it works
    /// on, or the token's bot.
    pub fn new(operation: &'a Operation, client: Client<'a>, bot: BotId, path: String) -> Self {
        let (body, headers) = match &operation.body {
            None => (None, Vec::new()),
            Some(BodySpec::Json(json)) => {
                (Some((json.example)().to_string().into_bytes()), Vec::new())
            }
            Some(BodySpec::Form(form)) => {
                let form = form::of(&(form.example)());
                (Some(form.bytes()), vec![("Content-Type".to_owned(), form.content_type())])
            }
        };
        Self {
            operation,
            client,
            bot,
            method: operation.method.as_str().to_owned(),
            path,
            query: None,
            headers,
            body,
            framing: Framing::Ordinary,
        }
    }

    /// The operation that is called.
    pub const fn operation(&self) -> &'a Operation {
        self.operation
    }

    /// The bot that it works on.
    pub const fn bot(&self) -> BotId {
        self.bot
    }

    /// The path, without the query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The bytes of the body, none if there is no body.
    pub fn bytes(&self) -> &[u8] {
        self.body.as_deref().unwrap_or_default()
    }

    /// Whether it asks for the head of an answer only.
    pub fn is_head(&self) -> bool {
        self.method == "HEAD"
    }

    /// Header and text of the caller's token.
    ///
    /// # Panics
    /// If the caller has no token.
    pub fn token(&self) -> (&'static str, &str) {
        self.client.caller().header().expect("a caller with a token")
    }

    /// The same from another caller.
    pub fn by(mut self, client: Client<'a>) -> Self {
        self.client = client;
        self
    }

    /// The same with another method.
    pub fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    /// The same to another path.
    pub fn at(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// The same with a query.
    pub fn query(mut self, query: impl Into<String>) -> Self {
        self.query = Some(query.into());
        self
    }

    /// The same with one more header.
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The same with other bytes as its body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// The same with blanks in front of its body, this long in all.
    pub fn padded(&self, length: usize) -> Self {
        let valid = String::from_utf8_lossy(self.bytes());
        self.clone().body(format!("{valid:>length$}"))
    }

    /// The same with another body.
    pub fn json(self, body: &Value) -> Self {
        self.body(body.to_string())
    }

    /// The same without a body.
    pub fn without_body(mut self) -> Self {
        self.body = None;
        self
    }

    /// The same, sent in another way.
    pub const fn framed(mut self, framing: Framing) -> Self {
        self.framing = framing;
        self
    }

    /// The call, and the one of `HEAD` where there is one.
    pub fn and_head(self) -> Vec<Self> {
        let head = (self.method == "GET").then(|| self.clone().method("HEAD"));
        std::iter::once(self).chain(head).collect()
    }

    /// The same with violations that a caller who is refused for another reason must not learn of, each
    /// with its name. The first is without a violation.
    pub fn and_worse(self) -> Vec<(&'static str, Self)> {
        let mut calls = vec![
            ("", self.clone()),
            (", with an unknown query parameter", self.clone().query("nope=1")),
        ];
        if self.operation.body.is_some() {
            let compressed = self.clone().header("Content-Encoding", "gzip");
            let huge = self.clone().framed(Framing::Announced(1 << 40));
            calls.extend([
                (", with a malformed body", self.body("{")),
                (", with a compressed body", compressed),
                (", with a body too large", huge),
            ]);
        }
        calls
    }

    /// Sends it.
    ///
    /// # Panics
    /// If there is no answer, or one that breaks a rule for all answers.
    pub fn send(&self) -> Response {
        let query = self.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
        let target = format!("{}{query}", self.path);
        if self.client.app().is_in_process() {
            return self.send_in_process(&target);
        }
        let body = self.body.as_deref();
        let (length, bytes) = match self.framing {
            Framing::Ordinary => return self.send_ordinarily(&target),
            Framing::Bare => {
                let length = body.map(|body| format!("Content-Length: {}", body.len()));
                (length, body.unwrap_or_default().to_vec())
            }
            Framing::Chunked => {
                let chunked = "Transfer-Encoding: chunked".to_owned();
                (Some(chunked), in_chunks(body.unwrap_or_default()))
            }
            Framing::Announced(length) => (Some(format!("Content-Length: {length}")), Vec::new()),
        };
        let lines = self.headers.iter().map(|(name, value)| format!("{name}: {value}"));
        let lines: Vec<_> = lines.chain(length).collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        self.client.connect().exchange(&self.method, &target, &lines, &bytes)
    }

    /// Without a socket there is no framing but what the head says of it.
    fn send_in_process(&self, target: &str) -> Response {
        let body = self.body.as_deref();
        let (framing, body) = match self.framing {
            Framing::Ordinary | Framing::Bare => {
                (body.map(|body| ("Content-Length", body.len().to_string())), body)
            }
            Framing::Chunked => (Some(("Transfer-Encoding", "chunked".to_owned())), body),
            Framing::Announced(length) => (Some(("Content-Length", length.to_string())), None),
        };
        let request = self.client.request(&self.method, target);
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value));
        let headers = headers.chain(framing.iter().map(|(name, value)| (*name, value)));
        let request = headers.fold(request, |request, (name, value)| request.header(name, value));
        request.body(body.unwrap_or_default()).send()
    }

    fn send_ordinarily(&self, target: &str) -> Response {
        let mut request = self.client.request(&self.method, target);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        match &self.body {
            Some(body) => request.body(body.clone()).send(),
            None => request.send(),
        }
    }
}

/// A body as two chunks, or one, or none.
fn in_chunks(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for chunk in body.chunks(body.len().div_ceil(2).max(1)) {
        bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}
