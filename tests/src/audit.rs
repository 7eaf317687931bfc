//! What holds for every answer, whatever was asked.

use domain::violation::ViolationCode;
use http_actix::ProblemKind;
use memchr::memmem;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::response::Response;
use crate::typed;

/// How every bot password of the tests begins.
pub const PASSWORD: &str = "botpw-";
/// How every marker of a tenant begins; 16 hexadecimal digits follow.
pub const MARKER: &str = "mk_";

/// Checks an answer to the tenant with this marker, or to a caller who belongs to none. `relatives`
/// are the markers of the other projects of the organisation, which one operation may show.
///
/// # Panics
/// If a rule is broken; the text says which.
#[track_caller]
pub fn check(response: &Response, marker: Option<&str>, relatives: &[String]) {
    keeps_secrets(response, marker, relatives);
    has_headers(response);
    match response.status() {
        200..300 => is_success(response),
        300..400 => {}
        _ => is_problem(response),
    }
}

#[track_caller]
fn keeps_secrets(response: &Response, marker: Option<&str>, relatives: &[String]) {
    let relatives = if is_of_the_organisation(response) { relatives } else { &[] };
    shows_no_other_tenant(response, marker, relatives);
    shows_no_secret(response);
}

/// What an answer shows: the value of each header, and the body.
fn shown(response: &Response) -> impl Iterator<Item = &[u8]> {
    let headers = response.headers().iter().map(|(_, value)| value.as_bytes());
    headers.chain(std::iter::once(response.bytes()))
}

#[track_caller]
fn shows_no_other_tenant(response: &Response, own: Option<&str>, relatives: &[String]) {
    for marker in shown(response).flat_map(markers) {
        assert!(
            Some(marker) == own || relatives.iter().any(|relative| relative == marker),
            "the marker {marker} does not belong to {own:?}: {response}"
        );
    }
}

/// Whether this is the one answer that goes beyond a project.
fn is_of_the_organisation(response: &Response) -> bool {
    let path = "/api/external/useraccess/user/usersinorg";
    response.status() == 200 && decoded(response.path()) == path
}

/// The markers of tenants in a text.
fn markers(text: &[u8]) -> impl Iterator<Item = &str> {
    memmem::find_iter(text, MARKER).filter_map(|at| {
        let marker = str::from_utf8(text.get(at..at + MARKER.len() + 16)?).ok()?;
        let digits = marker.get(MARKER.len()..)?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(marker)
    })
}

#[track_caller]
fn shows_no_secret(response: &Response) {
    assert!(!shown(response).any(shows_token), "a token stands in {response}");
    let in_headers = response.headers().iter().any(|(_, value)| value.contains(PASSWORD));
    assert!(!in_headers, "a password stands in a header of {response}");
    if !(is_of_a_bot(response.path()) && response.status() == 200) {
        let in_body = memmem::find(response.bytes(), PASSWORD.as_bytes());
        assert_eq!(in_body, None, "a password stands in {response}");
    }
}

/// Whether a text holds a token: `byb_` or `byp_` with 49 letters and digits.
#[must_use]
pub fn has_token(text: &str) -> bool {
    shows_token(text.as_bytes())
}

fn shows_token(text: &[u8]) -> bool {
    ["byb_", "byp_"].iter().any(|prefix| {
        memmem::find_iter(text, prefix).any(|at| {
            let rest = text.get(at + 4..at + 53);
            rest.is_some_and(|rest| rest.iter().all(u8::is_ascii_alphanumeric))
        })
    })
}

/// Whether a success under this path is made of bots, which show their password.
fn is_of_a_bot(path: &str) -> bool {
    let path = decoded(path);
    let path = path.strip_suffix("/duplicate").unwrap_or(&path);
    let bots = "/api/external/projectapi/bots";
    path == "/api/external/bot"
        || path
            .strip_prefix(bots)
            .is_some_and(|rest| rest.is_empty() || !rest.trim_start_matches('/').contains('/'))
}

/// A path without its query, as the server reads it: an encoded slash stays as it is.
fn decoded(path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let mut bytes = Vec::new();
    let mut rest = path.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = after.first_chunk::<2>().filter(|_| *first == b'%');
        let digits = escaped.and_then(|digits| str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if byte != b'/' => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            Some(_) | None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[track_caller]
fn has_headers(response: &Response) {
    let path = decoded(response.path());
    let id = response.header("x-request-id").unwrap_or_default();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    assert!((1..=64).contains(&id.len()) && id.bytes().all(fits), "no X-Request-Id: {response}");
    let has = |name: &str, value: &str| response.header(name) == Some(value);
    assert!(has("x-content-type-options", "nosniff"), "no nosniff: {response}");
    assert!(has("referrer-policy", "no-referrer"), "no Referrer-Policy: {response}");
    assert!(
        has("cross-origin-resource-policy", "same-origin"),
        "no Cross-Origin-Resource-Policy: {response}"
    );
    if path.starts_with("/docs") {
        assert!(response.header("content-security-policy").is_some());
    } else {
        let policy = "default-src 'none'; frame-ancestors 'none'; sandbox";
        assert!(has("content-security-policy", policy), "no Content-Security-Policy: {response}");
    }
    assert_eq!(response.header("server"), None, "{response}");
    if path.starts_with("/api/external") {
        assert!(has("cache-control", "no-store"), "no no-store: {response}");
    }
}

#[track_caller]
fn is_success(response: &Response) {
    let path = decoded(response.path());
    let is_api = path.starts_with("/api/external");
    if is_download(&path) && response.method() != "OPTIONS" {
        assert!(matches!(response.status(), 200 | 206), "{response}");
        let disposition = response.header("content-disposition").unwrap_or_default();
        assert!(disposition.starts_with("attachment; "), "{response}");
    } else if is_api && response.method() != "OPTIONS" {
        assert_eq!(response.status(), 200, "{response}");
        if response.header("content-type") == Some("text/event-stream") {
            assert!(path.ends_with("/events/stream"), "{response}");
            return;
        }
        let lists_with_tables = ["/changelog", "/feedback", "/usage"];
        let can_be_table = lists_with_tables.iter().any(|list| path.ends_with(list));
        let content_type = response.header("content-type");
        if can_be_table && content_type == Some("text/csv; charset=utf-8; header=present") {
            return;
        }
        assert_eq!(content_type, Some("application/json; charset=utf-8"), "{response}");
        if path.contains("/keyval") {
            // A value comes back as it came in, whatever escapes stand in its texts.
            let checked = serde_json::from_slice::<&RawValue>(response.bytes());
            assert!(response.method() == "HEAD" || checked.is_ok(), "{checked:?} in {response}");
        } else if response.method() != "HEAD" {
            // Stricter than serde_json: no member twice, no half surrogate pair.
            let checked = domain::json::check_value(response.bytes());
            assert!(checked.is_ok(), "{checked:?} in {response}");
        }
        typed::check_answer(response.method(), response.path(), response.bytes());
    }
}

/// Whether a success under this path is a file, of any type.
fn is_download(path: &str) -> bool {
    path.starts_with("/api/external/projectapi/doc/files/") && path.ends_with("/download")
}

#[track_caller]
fn is_problem(response: &Response) {
    let content_type = response.header("content-type");
    assert_eq!(content_type, Some("application/problem+json"), "{response}");
    if response.method() == "HEAD" {
        assert!(response.bytes().is_empty(), "{response}");
        return;
    }
    typed::check_problem(response.bytes());
    let body = response.json();
    let text = |name: &str| {
        let text = body.get(name).and_then(Value::as_str);
        let text = text.filter(|text| !text.is_empty());
        text.unwrap_or_else(|| panic!("no {name} in {response}"))
    };
    let code = text("code");
    assert_eq!(text("type"), format!("urn:botyard:problem:{code}"));
    assert_eq!(body.get("status"), Some(&Value::from(response.status())), "{response}");
    assert_eq!(Some(text("requestId")), response.header("x-request-id"), "{response}");
    let (kind, violation) = (kind_called(code), violation_called(code));
    match (kind, violation) {
        (Some(kind), _) => {
            let expected = (kind.status().as_u16(), kind.title());
            assert_eq!((response.status(), text("title")), expected, "{response}");
        }
        (None, Some(violation)) => {
            let expected = (422, violation.title());
            assert_eq!((response.status(), text("title")), expected, "{response}");
        }
        (None, None) => panic!("{code} is no known code: {response}"),
    }
    text("detail");
    let errors = body.get("errors").map(|errors| {
        let errors = errors.as_array().filter(|errors| !errors.is_empty());
        errors.unwrap_or_else(|| panic!("odd errors in {response}"))
    });
    // A form, an archive and a precondition are checked as a whole.
    let is_checked_by_parts = response.status() == 422
        && ![
            "bad_form",
            "bad_archive",
            "bad_precondition",
            "bad_idempotency_key",
            "idempotency_key_reused",
        ]
        .contains(&code);
    assert_eq!(
        errors.is_some(),
        is_checked_by_parts || code == "taken",
        "whatever is checked by its members lists errors, and nothing else does: {response}"
    );
    for error in errors.into_iter().flatten() {
        let text = |name: &str| {
            let text = error.get(name).and_then(Value::as_str);
            text.unwrap_or_else(|| panic!("no {name} in an error of {response}"))
        };
        let pointer = text("pointer");
        assert!(
            pointer.is_empty() || pointer.starts_with('/'),
            "{pointer} is no pointer: {response}"
        );
        assert!(!text("message").is_empty(), "{response}");
        assert!(violation_called(text("code")).is_some(), "{response}");
        assert!(matches!(text("in"), "body" | "query" | "path"), "{response}");
    }
    let known = [
        "type",
        "title",
        "status",
        "detail",
        "code",
        "requestId",
        "errors",
        "requiredScopes",
        "rule",
        "docId",
        "oldestCursor",
    ];
    assert_eq!(body.get("rule").is_some(), code == "bad_archive", "{response}");
    assert_eq!(body.get("docId").is_some(), code == "extraction_failed", "{response}");
    assert_eq!(body.get("oldestCursor").is_some(), code == "cursor_expired", "{response}");
    let members = body.as_object().into_iter().flat_map(|body| body.keys());
    for member in members {
        assert!(known.contains(&member.as_str()), "{member} is no member of a problem: {response}");
    }
    check_headers_of_status(response);
}

/// The headers that HTTP asks for with some statuses.
#[track_caller]
fn check_headers_of_status(response: &Response) {
    let status = response.status();
    let retry_after = response.header("retry-after");
    let is_number = retry_after.is_some_and(|value| value.parse::<u64>().is_ok_and(|n| n > 0));
    let is_in_progress = || response.json().get("code") == Some(&"idempotency_in_progress".into());
    let says_when = matches!(status, 429 | 503) || status == 409 && is_in_progress();
    assert_eq!(is_number, says_when, "Retry-After: {response}");
    assert_eq!(
        response.header("www-authenticate").is_some(),
        status == 401,
        "WWW-Authenticate: {response}"
    );
    assert_eq!(response.header("allow").is_some(), status == 405, "Allow: {response}");
}

fn kind_called(code: &str) -> Option<ProblemKind> {
    ProblemKind::ALL.iter().copied().find(|kind| kind.code() == code)
}

fn violation_called(code: &str) -> Option<ViolationCode> {
    ViolationCode::ALL.iter().copied().find(|violation| violation.as_str() == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELATIVE: &str = "mk_00000000000000ff";

    fn response(status: u16, path: &str, body: &str) -> Response {
        let headers = vec![("link".to_owned(), "<x>".to_owned())];
        Response::new("GET".into(), path.into(), status, headers, body.into())
    }

    fn is_refused(response: &Response, marker: Option<&str>) -> bool {
        let check = std::panic::AssertUnwindSafe(|| {
            keeps_secrets(response, marker, &[RELATIVE.to_owned()]);
        });
        std::panic::catch_unwind(check).is_err()
    }

    #[test]
    fn a_foreign_marker_is_found() {
        let (own, other) = ("mk_0123456789abcdef", "mk_fedcba9876543210");
        let both = format!("{own} {other}");
        assert!(!is_refused(&response(200, "/x", own), Some(own)));
        assert!(is_refused(&response(200, "/x", &both), Some(own)));
        assert!(is_refused(&response(404, "/x", own), None));
        assert!(!is_refused(&response(200, "/x", "mk_0123"), None));
    }

    #[test]
    fn a_relative_is_seen_in_one_place_alone() {
        let users = "/api/external/useraccess/user/usersinorg";
        for (status, path, refused) in [
            (200, users.to_owned(), false),
            (200, format!("{users}?limit=1"), false),
            (422, users.to_owned(), true),
            (200, "/api/external/useraccess/users".to_owned(), true),
        ] {
            let response = response(status, &path, RELATIVE);
            assert_eq!(is_refused(&response, None), refused, "{response}");
        }
        assert!(is_refused(&response(200, users, "mk_fedcba9876543210"), None));
    }

    #[test]
    fn a_token_is_found() {
        let token = format!("byb_{}", "a".repeat(49));
        assert!(is_refused(&response(200, "/x", &token), None));
        assert!(!is_refused(&response(200, "/x", "byb_****aaaa"), None));
    }

    #[test]
    fn a_password_is_found_where_no_bot_is() {
        let bots = "/api/external/projectapi/bots";
        for (status, path, refused) in [
            (200, "/%61pi/external/bot".to_owned(), false),
            (200, "/api/external/bot".to_owned(), false),
            (200, bots.to_owned(), false),
            (200, format!("{bots}?limit=1"), false),
            (200, format!("{bots}/id"), false),
            (200, format!("{bots}/id/duplicate"), false),
            (422, format!("{bots}/id"), true),
            (200, format!("{bots}/id/changelog"), true),
            (200, "/api/external/bot/changelog".to_owned(), true),
            (200, "/metrics".to_owned(), true),
        ] {
            let response = response(status, &path, "botpw-x");
            assert_eq!(is_refused(&response, None), refused, "{response}");
        }
    }
}
