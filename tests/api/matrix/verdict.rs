//! What a cell expects of an answer, and how it says that it got another.

use std::collections::BTreeSet;

use botyard_tests::Response;
use http_actix::Operation;
use serde_json::Value;

/// `Err` says what was expected and what came instead.
pub type Verdict = Result<(), String>;

/// A violation of body or query: where it lies, its pointer, its code.
pub type Violation = (&'static str, String, &'static str);

/// That something holds of an answer; `expected` says what.
pub fn expect(holds: bool, expected: impl std::fmt::Display, answer: &Response) -> Verdict {
    if holds {
        return Ok(());
    }
    let (status, body) = (answer.status(), shortened(&answer.text()));
    Err(format!("expected {expected}, got {status} {body}"))
}

/// A text that fits on a line or two.
pub fn shortened(text: &str) -> String {
    const AT_MOST: usize = 400;
    let mut short: String = text.chars().take(AT_MOST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// That the operation says it answers with this status.
pub fn is_documented(operation: &Operation, answer: &Response) -> Verdict {
    let documented = operation.statuses();
    expect(
        documented.contains(&answer.status()),
        format!("a status of its document, {documented:?}"),
        answer,
    )
}

/// A success.
pub fn is_ok(answer: &Response) -> Verdict {
    expect(answer.status() == 200, 200, answer)
}

/// A refusal with this status and this code; one of `HEAD` has the status only.
pub fn is_problem(answer: &Response, status: u16, code: &str) -> Verdict {
    let has_code = || answer.json().get("code") == Some(&Value::from(code));
    let holds = answer.status() == status && (answer.method() == "HEAD" || has_code());
    expect(holds, format!("{status} {code}"), answer)
}

/// A 422 with exactly these violations, in any order.
pub fn has_violations(answer: &Response, expected: &[Violation]) -> Verdict {
    let expected: BTreeSet<_> = expected
        .iter()
        .map(|(place, pointer, code)| format!("{code} at {pointer:?} of the {place}"))
        .collect();
    if answer.method() == "HEAD" {
        return expect(answer.status() == 422, 422, answer);
    }
    let text = |error: &Value, name: &str| {
        error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let errors = if answer.status() == 422 { answer.json() } else { Value::Null };
    let errors = errors.get("errors").and_then(Value::as_array).cloned().unwrap_or_default();
    let got: BTreeSet<_> = errors
        .iter()
        .map(|error| {
            let (place, pointer, code) =
                (text(error, "in"), text(error, "pointer"), text(error, "code"));
            format!("{code} at {pointer:?} of the {place}")
        })
        .collect();
    let holds = got == expected && errors.len() == expected.len();
    expect(holds, format!("422 with {expected:?}"), answer)
}

/// What all refusals of a kind have in common: the body, byte for byte, but for the request's id.
#[derive(Default)]
pub struct OneBody(Option<String>);

impl OneBody {
    /// That the answer has the body of those before it.
    pub fn is_that_of(&mut self, answer: &Response) -> Verdict {
        if answer.method() == "HEAD" {
            return Ok(());
        }
        let id = answer.header("x-request-id").unwrap_or_default();
        let body = answer.text().replace(&format!("\"requestId\":\"{id}\""), "\"requestId\":\"\"");
        let known = self.0.get_or_insert_with(|| body.clone());
        expect(*known == body, format!("the body {}", shortened(known)), answer)
    }
}
