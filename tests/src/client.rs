//! A caller: requests with or without a token, whose answers are all checked.

use std::io::{BufRead as _, BufReader};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use ureq::http;

use crate::app::TestApp;
use crate::audit;
use crate::form::Form;
use crate::local::Asked;
use crate::raw::Connection;
use crate::response::Response;
use crate::token::TestToken;
use crate::typed;

/// Who calls.
#[derive(Debug, Clone)]
pub enum Caller {
    /// A caller without a token.
    Anonymous,
    /// The bearer of a bot token.
    Bot(TestToken),
    /// The bearer of a project token.
    Project(TestToken),
}

impl Caller {
    /// The header that shows who calls: its name and its value.
    #[must_use]
    pub fn header(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Anonymous => None,
            Self::Bot(token) => Some(("X-Api-Key", token.secret())),
            Self::Project(token) => Some(("X-Project-Api-Key", token.secret())),
        }
    }
}

/// The markers of all projects of an organisation, those included that come later.
pub(crate) type Relatives = Arc<Mutex<Vec<String>>>;

/// A caller of one server.
#[derive(Clone)]
pub struct Client<'a> {
    app: &'a TestApp,
    caller: Caller,
    marker: Option<String>,
    relatives: Relatives,
}

impl TestApp {
    /// A client without a token, who belongs to no tenant.
    #[must_use]
    pub fn anonymous(&self) -> Client<'_> {
        Client::new(self, Caller::Anonymous, None, Relatives::default())
    }
}

impl<'a> Client<'a> {
    /// `marker` is that of the tenant whose texts the caller may see.
    pub(crate) const fn new(
        app: &'a TestApp,
        caller: Caller,
        marker: Option<String>,
        relatives: Relatives,
    ) -> Self {
        Self { app, caller, marker, relatives }
    }

    /// Who calls.
    #[must_use]
    pub const fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The server that is called.
    #[must_use]
    pub const fn app(&self) -> &'a TestApp {
        self.app
    }

    /// Begins a request. The path goes out as it is, with its query.
    pub fn request(&self, method: &str, path: &str) -> Request<'_> {
        let headers = self.caller.header();
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Request {
            client: self,
            method: method.to_owned(),
            path: path.to_owned(),
            headers: headers.into_iter().collect(),
            body: None,
        }
    }

    /// `GET`
    #[track_caller]
    pub fn get(&self, path: &str) -> Response {
        self.request("GET", path).send()
    }

    /// The items of all pages of a list from this one on, and how many there are on each.
    ///
    /// # Panics
    /// If there is no end to it.
    #[must_use]
    #[track_caller]
    pub fn collect_pages(&self, first: &str) -> (Vec<Value>, Vec<usize>) {
        let (mut all, mut sizes, mut next) = (Vec::new(), Vec::new(), Some(first.to_owned()));
        while let Some(path) = next {
            let page = self.get(&path);
            let items = page.items();
            sizes.push(items.len());
            all.extend(items);
            assert!(sizes.len() < 100, "the list does not end");
            next = page.next_page();
        }
        (all, sizes)
    }

    /// `HEAD`
    #[track_caller]
    pub fn head(&self, path: &str) -> Response {
        self.request("HEAD", path).send()
    }

    /// `PUT` with a JSON body.
    #[track_caller]
    pub fn put(&self, path: &str, body: &Value) -> Response {
        self.request("PUT", path).json(body).send()
    }

    /// `POST` with a JSON body.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Response {
        self.request("POST", path).json(body).send()
    }

    /// `DELETE` without a body.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Response {
        self.request("DELETE", path).send()
    }

    /// `DELETE` with a JSON body.
    #[track_caller]
    pub fn delete_with(&self, path: &str, body: &Value) -> Response {
        self.request("DELETE", path).json(body).send()
    }

    /// A connection on which this caller sends what it likes.
    #[track_caller]
    #[must_use]
    pub fn connect(&self) -> Connection<'_> {
        Connection::open(self)
    }

    #[track_caller]
    pub(crate) fn audit(&self, response: &Response) {
        let relatives = self.relatives.lock().expect("the relatives").clone();
        audit::check(response, self.marker.as_deref(), &relatives);
    }
}

/// A request that is being put together.
#[must_use]
pub struct Request<'a> {
    client: &'a Client<'a>,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Request<'_> {
    /// Adds a header; one more if it is there already.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Leaves the caller's own token out.
    pub fn without_token(mut self) -> Self {
        self.headers.retain(|(name, _)| name != "X-Api-Key" && name != "X-Project-Api-Key");
        self
    }

    /// Sends this JSON.
    pub fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json").body(body.to_string())
    }

    /// Sends this form.
    pub fn form(self, form: &Form) -> Self {
        self.header("Content-Type", &form.content_type()).body(form.bytes())
    }

    /// Sends these bytes, without a `Content-Type`.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Sends the request and checks what holds for every answer.
    ///
    /// # Panics
    /// If there is no answer, or one that breaks a rule.
    #[track_caller]
    pub fn send(self) -> Response {
        let shown = format!("{} {}", self.method, self.path);
        self.try_send().unwrap_or_else(|error| panic!("{shown}: {error}"))
    }

    /// The same for a server that may be gone.
    ///
    /// # Errors
    /// Why there is no whole answer.
    ///
    /// # Panics
    /// If the answer breaks a rule.
    #[track_caller]
    pub fn try_send(self) -> Result<Response, ureq::Error> {
        if let Some(local) = self.client.app.local() {
            let Self { client, method, path, headers, body } = self;
            let body = body.unwrap_or_default();
            let sent = json_of(&body);
            let response = local.answer(Asked { method, path, headers, body });
            client.audit(&response);
            check_body(&response, sent.as_deref());
            return Ok(response);
        }
        let url = format!("{}{}", self.client.app.server().url(), self.path);
        let mut request = http::Request::builder().method(self.method.as_str()).uri(url);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let agent = self.client.app.agent();
        let sent = self.body.as_deref().and_then(json_of);
        let answer = match self.body {
            Some(body) => agent.run(request.body(body)?),
            // These methods announce even the length of nothing.
            None if matches!(self.method.as_str(), "POST" | "PUT" | "PATCH") => {
                agent.run(request.body(Vec::new())?)
            }
            None => agent.run(request.body(())?),
        };
        let (head, mut body) = answer?.into_parts();
        let headers = head.headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        });
        let headers: Vec<_> = headers.collect();
        let body = if Response::is_endless(&headers) && self.method != "HEAD" {
            // The connection is closed with the reader.
            let mut line = String::new();
            BufReader::new(body.into_reader()).read_line(&mut line)?;
            line.into_bytes()
        } else {
            body.with_config().limit(u64::MAX).read_to_vec()?
        };
        let (method, path) = (self.method, self.path);
        let response = Response::new(method, path, head.status.as_u16(), headers, body);
        self.client.audit(&response);
        check_body(&response, sent.as_deref());
        Ok(response)
    }
}

/// A copy of a body that may be a JSON object; files and forms are none.
fn json_of(body: &[u8]) -> Option<Vec<u8>> {
    body.starts_with(b"{").then(|| body.to_vec())
}

/// Checks that the Rust client has a body that was accepted.
#[track_caller]
fn check_body(response: &Response, sent: Option<&[u8]>) {
    if let Some(sent) = sent.filter(|_| response.status() == 200) {
        typed::check_body(response.method(), response.path(), sent);
    }
}
