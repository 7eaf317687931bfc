//! An answer, and what tests ask of it.

use std::fmt;

use serde_json::Value;

/// An answer that has come in whole.
#[derive(Clone)]
#[must_use]
pub struct Response {
    method: String,
    path: String,
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Response {
    pub(crate) const fn new(
        method: String,
        path: String,
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    ) -> Self {
        Self { method, path, status, headers, body }
    }

    /// Whether these headers begin an answer without an end, of which only the first piece is read.
    pub(crate) fn is_endless(headers: &[(String, String)]) -> bool {
        let stream = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("content-type") && value == "text/event-stream"
        };
        headers.iter().any(stream)
    }

    /// The method of the request.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The path of the request, as it went out, with its query.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The status.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The headers, their names in lower case.
    #[must_use]
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The value of a header, if it is there once.
    ///
    /// # Panics
    /// If it is there repeatedly.
    #[must_use]
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        let value = values.next();
        assert!(values.next().is_none(), "{name} twice in {self}");
        value.map(|(_, value)| value.as_str())
    }

    /// The body.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.body
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        let text = str::from_utf8(&self.body).unwrap_or_else(|error| panic!("{error} in {self}"));
        // Unlike `serde_json::from_str`, this is not compiled along with the tests, without optimisation.
        text.parse().unwrap_or_else(|error| panic!("{error} in {self}"))
    }

    /// The JSON of a success.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{self}");
        self.json()
    }

    /// The items of a list.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    #[track_caller]
    pub fn items(&self) -> Vec<Value> {
        let Value::Array(items) = self.ok() else {
            panic!("no array in {self}");
        };
        items
    }

    /// The body of a refusal with this status and this code.
    ///
    /// # Panics
    /// If it is another answer.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{self}");
        let body = self.json();
        assert_eq!(body.get("code"), Some(&Value::from(code)), "{self}");
        body
    }

    /// Pointer and code of each violation in a 422, sorted.
    ///
    /// # Panics
    /// If it is another answer.
    #[must_use]
    #[track_caller]
    pub fn violations(&self) -> Vec<(String, String)> {
        assert_eq!(self.status, 422, "{self}");
        self.errors()
    }

    #[track_caller]
    fn errors(&self) -> Vec<(String, String)> {
        let body = self.json();
        let errors = body.get("errors").and_then(Value::as_array);
        let errors = errors.unwrap_or_else(|| panic!("no errors in {self}"));
        let text = |error: &Value, name: &str| {
            let text = error.get(name).and_then(Value::as_str);
            text.unwrap_or_else(|| panic!("an error without {name} in {self}")).to_owned()
        };
        let mut violations: Vec<_> =
            errors.iter().map(|error| (text(error, "pointer"), text(error, "code"))).collect();
        violations.sort();
        violations
    }

    /// Asserts that the answer is a 422 with exactly these violations, regardless of their order.
    ///
    /// # Panics
    /// If it is another answer.
    #[track_caller]
    pub fn has_violations(&self, expected: &[(&str, &str)]) {
        assert_eq!(self.violations(), sorted(expected), "{self}");
    }

    /// Asserts that the answer is a 409 that names exactly these members, regardless of their order.
    ///
    /// # Panics
    /// If it is another answer.
    #[track_caller]
    pub fn has_conflicts(&self, expected: &[(&str, &str)]) {
        self.problem(409, "taken");
        assert_eq!(self.errors(), sorted(expected), "{self}");
    }

    /// The target of `Link: <…>; rel="next"`, if there is one.
    ///
    /// # Panics
    /// If the header has another form.
    #[must_use]
    #[track_caller]
    pub fn next_page(&self) -> Option<String> {
        let link = self.header("link")?;
        let target = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        let target = target.unwrap_or_else(|| panic!("an odd Link in {self}"));
        assert!(target.starts_with("/api/external/"), "{self}");
        Some(target.to_owned())
    }
}

fn sorted(violations: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned =
        violations.iter().map(|(pointer, code)| ((*pointer).to_owned(), (*code).to_owned()));
    let mut owned: Vec<_> = owned.collect();
    owned.sort();
    owned
}

impl fmt::Display for Response {
    /// The exchange in short: a test that fails shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body: String = self.text().chars().take(2_000).collect();
        let (method, path, status) = (&self.method, &self.path, self.status);
        let path: String = path.chars().take(300).collect();
        write!(f, "the answer {status} to {method} {path}: {body}")
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
