//! Problem bodies (RFC 9457): the one place where an error becomes a status and a text.

mod body;
mod domain_error;
mod kind;
mod refusal;

use actix_web::http::StatusCode;
use domain::access::ScopeSet;
use domain::id::DocumentId;
use domain::violation::{InputPart, ViolationCode, Violations};

pub use kind::ProblemKind;

/// How long a client should wait before it tries again what was refused for lack of room, in seconds.
const RETRY_SOON: u64 = 1;

/// A failed request on its way to the client. Boxed, so that results stay small on the way of those
/// that succeed.
#[derive(Debug, Clone)]
pub struct Problem(Box<Details>);

#[derive(Debug, Clone)]
struct Details {
    kind: ProblemKind,
    detail: String,
    violations: Violations,
    required_scopes: Option<ScopeSet>,
    allow: Option<String>,
    retry_after: Option<u64>,
    /// The rule of the archive policy that was broken.
    rule: Option<&'static str>,
    /// The document that could not be made into chunks.
    doc_id: Option<DocumentId>,
    /// How many bytes there are of what a part was asked for.
    size: Option<u64>,
    /// From which cursor on all events are kept.
    oldest_cursor: Option<u64>,
    /// The entity tag of what is there, as it is written in a header.
    tag: Option<String>,
    /// What the log shall know and the client must not.
    cause: Option<String>,
}

impl Problem {
    /// Whether there was too much to do, so that trying again helps.
    #[must_use]
    pub fn is_overload(&self) -> bool {
        self.0.kind == ProblemKind::Overloaded
    }

    /// The answer to a part of a body, such as a file, of more bytes than that.
    #[must_use]
    pub fn part_too_large(part: &str, limit: u64) -> Self {
        let detail = format!("{part} is larger than the {limit} bytes that it may have.");
        Self::new(ProblemKind::BodyTooLarge, detail)
    }

    /// A problem of a kind, explained in a sentence.
    #[must_use]
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        let retry_after = match kind.status() {
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => Some(RETRY_SOON),
            _ => None,
        };
        Self(Box::new(Details {
            kind,
            detail: detail.into(),
            violations: Violations::none(),
            required_scopes: None,
            allow: None,
            retry_after,
            rule: None,
            doc_id: None,
            size: None,
            oldest_cursor: None,
            tag: None,
            cause: None,
        }))
    }

    fn with(mut self, change: impl FnOnce(&mut Details)) -> Self {
        change(&mut self.0);
        self
    }

    /// The answer to a method that a known path does not have.
    #[must_use]
    pub fn method_not_allowed(allow: String) -> Self {
        let detail = format!("This path answers to {allow}.");
        Self::new(ProblemKind::MethodNotAllowed, detail).with(|parts| parts.allow = Some(allow))
    }

    /// The answer to one more request of somebody who has as many in progress as it may.
    #[must_use]
    pub fn too_many_at_once(who_has: &str, what: &str) -> Self {
        let detail = format!("{who_has} as many {what} in progress as it may; try again.");
        Self::new(ProblemKind::TooManyAtOnce, detail).with(|parts| parts.retry_after = Some(1))
    }

    /// The answer to one more stream of events.
    #[must_use]
    pub fn too_many_streams(who: &str) -> Self {
        let detail = format!("{who} has as many streams of events open as it may.");
        Self::new(ProblemKind::TooManyAtOnce, detail).with(|parts| parts.retry_after = Some(10))
    }

    /// The answer to a token or a project that calls too often.
    #[must_use]
    pub fn rate_limited(seconds: u64) -> Self {
        let detail = "This token or its project sends more requests than its rate allows.";
        Self::new(ProblemKind::RateLimited, detail).with(|parts| parts.retry_after = Some(seconds))
    }

    /// The answer to a request that took too long.
    #[must_use]
    pub fn timeout() -> Self {
        Self::new(ProblemKind::Timeout, "The request took longer than requests may take.")
    }

    /// The answer to a body for which not enough memory was free in time.
    #[must_use]
    pub fn no_memory() -> Self {
        let detail = "Too many bodies are in memory; try again.";
        Self::new(ProblemKind::Overloaded, detail).with(|parts| parts.retry_after = Some(1))
    }

    /// The answer to a client that sends its body too slowly.
    #[must_use]
    pub fn too_slow() -> Self {
        Self::new(ProblemKind::TooSlow, "The body of the request came too slowly.")
    }

    /// The answer to a request that asks for another state than that of what is there, which has this entity tag
    /// as a header writes it; `None` if nothing is there.
    #[must_use]
    pub fn precondition_failed(tag: Option<String>) -> Self {
        let detail = match tag {
            Some(_) => "What is there has another entity tag than the request asks for.",
            None => "There is nothing of which an entity tag could be the one that is asked for.",
        };
        Self::new(ProblemKind::PreconditionFailed, detail).with(|parts| parts.tag = tag)
    }

    /// The answer to a request for a part that lies beyond the end of a file of so many bytes.
    #[must_use]
    pub fn beyond(size: u64) -> Self {
        let detail = format!("The range lies beyond the {size} bytes of the file.");
        Self::new(ProblemKind::RangeNotSatisfiable, detail).with(|parts| parts.size = Some(size))
    }

    /// The answer to an extraction that failed, for this reason.
    #[must_use]
    pub fn extraction_failed(document: DocumentId, reason: &str) -> Self {
        Self::new(ProblemKind::ExtractionFailed, reason).with(|parts| parts.doc_id = Some(document))
    }

    /// A defect; the cause goes to the log only.
    #[must_use]
    pub fn internal(cause: impl Into<String>) -> Self {
        let detail = "Something went wrong inside the service.";
        Self::new(ProblemKind::Internal, detail).with(|parts| parts.cause = Some(cause.into()))
    }

    /// What is wrong, violation by violation.
    fn of_violations(kind: ProblemKind, violations: Violations) -> Self {
        let others = violations.total().saturating_sub(1);
        let detail = match (violations.iter().next(), others) {
            (Some(only), 0) => only.message.clone(),
            (Some(first), 1) => format!("{} There is one more fault.", first.message),
            (Some(first), _) => format!("{} There are {others} more faults.", first.message),
            (None, _) => "The input is invalid.".to_owned(),
        };
        Self::new(kind, detail).with(|parts| parts.violations = violations)
    }

    /// The status that the client sees.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.kind.status()
    }

    /// Whether the service itself failed, which its operator should look into. A document that can't be
    /// read is its owner's concern, regardless of the status.
    pub(crate) fn is_of_the_service(&self) -> bool {
        self.status().is_server_error() && self.0.kind != ProblemKind::ExtractionFailed
    }

    /// Whether something was changed although the client is answered with a problem.
    pub(crate) fn follows_effect(&self) -> bool {
        self.0.kind == ProblemKind::ExtractionFailed
    }

    /// What the log shall know.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// The word and the title that stand for all the violations together.
    fn headline(&self) -> (&'static str, &'static str) {
        if self.0.kind != ProblemKind::InvalidBody {
            return (self.0.kind.code(), self.0.kind.title());
        }
        if self.0.violations.iter().any(|violation| violation.part == InputPart::Query) {
            return (ViolationCode::BadQuery.as_str(), ViolationCode::BadQuery.title());
        }
        let mut codes = self.0.violations.iter().map(|violation| violation.code);
        match codes.next() {
            Some(first) if codes.all(|code| code == first) => (first.as_str(), first.title()),
            Some(_) | None => (self.0.kind.code(), self.0.kind.title()),
        }
    }
}

impl From<Violations> for Problem {
    fn from(violations: Violations) -> Self {
        Self::of_violations(ProblemKind::InvalidBody, violations)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.0.kind.code(), self.0.detail)
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes in the first column of the tables of `docs/errors.md`, with their status if the
    /// table has one.
    fn documented() -> Vec<(String, Option<u16>)> {
        let text = include_str!("../../../../docs/errors.md");
        let rows = text.lines().filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
            let code = cells.next()?.strip_suffix('`')?;
            Some((code.to_owned(), cells.next()?.parse().ok()))
        });
        rows.collect()
    }

    #[test]
    fn the_document_lists_every_code_with_its_status_and_no_other() {
        let kinds = ProblemKind::ALL.iter();
        let kinds = kinds.map(|kind| (kind.code().to_owned(), Some(kind.status().as_u16())));
        let violations = ViolationCode::ALL.iter().map(|code| (code.as_str().to_owned(), None));
        assert_eq!(documented(), kinds.chain(violations).collect::<Vec<_>>());
    }

    #[test]
    fn a_code_stands_for_one_thing() {
        let mut codes: Vec<_> = ProblemKind::ALL.iter().map(|kind| kind.code()).collect();
        codes.extend(ViolationCode::ALL.iter().map(|code| code.as_str()));
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
    }

    #[test]
    fn one_kind_of_violation_names_the_problem_and_several_do_not() {
        let headline = |violations: Violations| Problem::from(violations).headline().0;
        let mut violations = Violations::one("/a", ViolationCode::UnknownField, "a");
        violations.body("/b", ViolationCode::UnknownField, "b");
        assert_eq!(headline(violations.clone()), "unknown_field");
        violations.body("/c", ViolationCode::WrongType, "c");
        assert_eq!(headline(violations.clone()), "invalid_body");
        violations.query("limit", "d");
        assert_eq!(headline(violations), "bad_query");
    }
}
