//! `If-Match` and `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2): which operations take them, and what they
//! ask for.

use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderName, IF_MATCH, IF_NONE_MATCH};
use domain::entity_tag::EntityTag;
use domain::precondition::Precondition;

use crate::problem::{Problem, ProblemKind};

/// What an operation can be made to depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preconditions {
    /// Nothing, because there is nothing with an entity tag.
    None,
    /// The tag of what is read.
    Read,
    /// The tag of what is changed.
    Update,
    /// The same, or that there is nothing yet.
    Upsert,
}

impl Preconditions {
    /// The headers that the operation takes.
    #[must_use]
    pub const fn headers(self) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::Update => &["If-Match"],
            Self::Read | Self::Upsert => &["If-Match", "If-None-Match"],
        }
    }

    /// The precondition under which a request asks for a change; that of an answer is left to
    /// [`evaluate_read`].
    ///
    /// # Errors
    /// 422 for a header that is malformed, or that the operation can't evaluate.
    pub(crate) fn read(
        self,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Option<Precondition>, Problem> {
        if !headers.contains_key(IF_MATCH) && !headers.contains_key(IF_NONE_MATCH) {
            return Ok(None);
        }
        let matching = TagList::read(headers, &IF_MATCH)?;
        // An answer is complete whatever the client has, so what can't be evaluated there does no harm.
        let others = if self == Self::None && reads(method) {
            None
        } else {
            TagList::read(headers, &IF_NONE_MATCH)?
        };
        match (self, matching, others) {
            (Self::Read, ..) | (_, None, None) => Ok(None),
            (Self::Update | Self::Upsert, Some(list), None) => Ok(Some(list.precondition())),
            (Self::Upsert, None, Some(TagList::Any)) => Ok(Some(Precondition::Absent)),
            (Self::Upsert, ..) => {
                Err(bad("Here `If-None-Match` can only be `*`, and only without `If-Match`."))
            }
            (Self::Update, _, Some(_)) => Err(bad("A change takes `If-Match` only.")),
            (Self::None, ..) => Err(bad("Nothing that this operation works on has an entity tag.")),
        }
    }
}

/// Whether a request asks for something and changes nothing.
pub fn reads(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// What the preconditions of a request make of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadDecision {
    /// It is sent.
    Send,
    /// The client has it already.
    NotModified,
}

/// Evaluates an answer with this tag, as it is written in a header, or one that shows nothing.
///
/// # Errors
/// 412 if the client wants another state of it; 422 for a malformed header.
pub fn evaluate_read(headers: &HeaderMap, tag: Option<&str>) -> Result<ReadDecision, Problem> {
    let has_strong = |list: TagList<'_>| tag.is_some_and(|tag| list.has_strong(tag));
    if TagList::read(headers, &IF_MATCH)?.is_some_and(|list| !has_strong(list)) {
        return Err(Problem::precondition_failed(tag.map(str::to_owned)));
    }
    let has = |list: TagList<'_>| tag.is_some_and(|tag| list.has(tag));
    let is_known = TagList::read(headers, &IF_NONE_MATCH)?.is_some_and(has);
    Ok(if is_known { ReadDecision::NotModified } else { ReadDecision::Send })
}

/// A tag in its quotes, and whether it is weak.
type ListedTag<'a> = (bool, &'a [u8]);

/// What such a header holds.
#[derive(Debug, PartialEq, Eq)]
enum TagList<'a> {
    Any,
    These(Vec<ListedTag<'a>>),
}

impl<'a> TagList<'a> {
    /// All lines of a header together; `None` if there are none.
    fn read(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<Self>, Problem> {
        let mut lines = headers.get_all(name).peekable();
        if lines.peek().is_none() {
            return Ok(None);
        }
        let shown = if *name == IF_MATCH { "If-Match" } else { "If-None-Match" };
        let malformed = || bad(&format!("`{shown}` must be `*` or a list of entity tags."));
        let (mut is_any, mut tags) = (false, Vec::new());
        for line in lines {
            let line = line.as_bytes().trim_ascii();
            if line == b"*" && !is_any {
                is_any = true;
            } else {
                tags_of(line, &mut tags).ok_or_else(malformed)?;
            }
        }
        match (is_any, tags.is_empty()) {
            (true, true) => Ok(Some(Self::Any)),
            (false, false) => Ok(Some(Self::These(tags))),
            _ => Err(malformed()),
        }
    }

    /// The weak comparison (RFC 9110, section 8.8.3.2).
    fn has(&self, tag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::These(tags) => tags.iter().any(|(_, listed)| *listed == tag.as_bytes()),
        }
    }

    /// The strong comparison.
    fn has_strong(&self, tag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::These(tags) => tags.contains(&(false, tag.as_bytes())),
        }
    }

    /// That of `If-Match`. Weak tags and those of other services match nothing.
    fn precondition(self) -> Precondition {
        match self {
            Self::Any => Precondition::Exists,
            Self::These(tags) => {
                let strong = tags.into_iter().filter(|(is_weak, _)| !is_weak);
                let own = strong.filter_map(|(_, tag)| EntityTag::parse(str::from_utf8(tag).ok()?));
                Precondition::Matches(own.collect())
            }
        }
    }
}

/// Reads a list of tags (RFC 9110, sections 5.6.1 and 8.8.3). A comma may stand in a tag, and so may bytes beyond
/// ASCII.
fn tags_of<'a>(line: &'a [u8], tags: &mut Vec<ListedTag<'a>>) -> Option<()> {
    let mut rest = line;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after.trim_ascii_start();
            continue;
        }
        let (is_weak, quoted) = match rest.strip_prefix(b"W/") {
            Some(quoted) => (true, quoted),
            None => (false, rest),
        };
        let end = quoted.strip_prefix(b"\"")?.iter().position(|byte| *byte == b'"')?;
        let (tag, after) = quoted.split_at_checked(end.checked_add(2)?)?;
        let is_plain = |byte: &u8| byte.is_ascii_graphic() || !byte.is_ascii();
        rest = after.trim_ascii_start();
        if !tag.iter().all(is_plain) || !(rest.is_empty() || rest.starts_with(b",")) {
            return None;
        }
        tags.push((is_weak, tag));
    }
    Some(())
}

fn bad(detail: &str) -> Problem {
    Problem::new(ProblemKind::BadPrecondition, detail)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    fn headers(lines: &[(HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(name.clone(), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    fn list<'a>(headers: &'a HeaderMap) -> Option<TagList<'a>> {
        TagList::read(headers, &IF_MATCH).ok().flatten()
    }

    fn these<'a>(tags: &[(bool, &'a str)]) -> TagList<'a> {
        TagList::These(tags.iter().map(|(is_weak, tag)| (*is_weak, tag.as_bytes())).collect())
    }

    #[test]
    fn lists_of_tags_are_read_as_the_standard_writes_them() {
        for (line, tags) in [
            ("\"a\"", vec![(false, "\"a\"")]),
            ("W/\"a\"", vec![(true, "\"a\"")]),
            ("\"\"", vec![(false, "\"\"")]),
            (" \"a\" ,\t\"b\"", vec![(false, "\"a\""), (false, "\"b\"")]),
            ("\"a,b\",W/\"c\"", vec![(false, "\"a,b\""), (true, "\"c\"")]),
            (",\"a\",,", vec![(false, "\"a\"")]),
            ("\"*\"", vec![(false, "\"*\"")]),
            ("\"é\"", vec![(false, "\"é\"")]),
        ] {
            let headers = headers(&[(IF_MATCH, line)]);
            assert_eq!(list(&headers), Some(these(&tags)), "{line}");
        }
        assert_eq!(list(&headers(&[(IF_MATCH, " * ")])), Some(TagList::Any));
        let both = headers(&[(IF_MATCH, "\"a\""), (IF_MATCH, "\"b\"")]);
        assert_eq!(list(&both), Some(these(&[(false, "\"a\""), (false, "\"b\"")])));
    }

    #[test]
    fn what_is_no_list_of_tags_is_refused() {
        for line in [
            "",
            " ",
            ",",
            "a",
            "\"a",
            "a\"",
            "\"a\" \"b\"",
            "\"a\"b",
            "w/\"a\"",
            "W/a",
            "*, \"a\"",
            "**",
            "\"a b\"",
            "W/ \"a\"",
        ] {
            let headers = headers(&[(IF_MATCH, line)]);
            assert!(TagList::read(&headers, &IF_MATCH).is_err(), "{line}");
        }
        for lines in [["*", "*"], ["*", "\"a\""], ["\"a\"", "*"]] {
            let headers = headers(&lines.map(|line| (IF_MATCH, line)));
            assert!(TagList::read(&headers, &IF_MATCH).is_err(), "{lines:?}");
        }
    }

    const OWN: &str = "\"0123456789abcdef0123456789abcdef\"";

    #[test]
    fn a_change_takes_what_can_be_evaluated_and_nothing_else() {
        use Preconditions::{Update, Upsert};
        let weak = format!("W/{OWN}");
        let own = EntityTag::parse(OWN).unwrap();
        let matches = |tags: &[EntityTag]| Some(Precondition::Matches(tags.to_vec()));
        for (of, lines, wanted) in [
            (Preconditions::None, vec![], Ok(None)),
            (Update, vec![], Ok(None)),
            (Update, vec![(IF_MATCH, "*")], Ok(Some(Precondition::Exists))),
            (Update, vec![(IF_MATCH, OWN)], Ok(matches(&[own]))),
            (Update, vec![(IF_MATCH, &*weak)], Ok(matches(&[]))),
            (Update, vec![(IF_MATCH, "\"of another service\"")], Err(())),
            (Update, vec![(IF_MATCH, "\"of-another\"")], Ok(matches(&[]))),
            (Update, vec![(IF_NONE_MATCH, "*")], Err(())),
            (Update, vec![(IF_MATCH, OWN), (IF_NONE_MATCH, OWN)], Err(())),
            (Upsert, vec![(IF_NONE_MATCH, "*")], Ok(Some(Precondition::Absent))),
            (Upsert, vec![(IF_MATCH, OWN)], Ok(matches(&[own]))),
            (Upsert, vec![(IF_NONE_MATCH, OWN)], Err(())),
            (Upsert, vec![(IF_MATCH, "*"), (IF_NONE_MATCH, "*")], Err(())),
            (Preconditions::None, vec![(IF_MATCH, "*")], Err(())),
            (Preconditions::None, vec![(IF_NONE_MATCH, "*")], Err(())),
        ] {
            let read = of.read(&Method::PUT, &headers(&lines)).map_err(|_| ());
            assert_eq!(read, wanted, "{of:?} {lines:?}");
        }
    }

    #[test]
    fn a_list_is_sent_whatever_the_client_has_and_only_on_no_condition() {
        for method in [Method::GET, Method::HEAD] {
            let read = |name| Preconditions::None.read(&method, &headers(&[(name, OWN)]));
            assert_eq!(read(IF_NONE_MATCH).ok(), Some(None));
            assert!(read(IF_MATCH).is_err());
        }
    }

    #[test]
    fn an_answer_is_sent_in_the_state_that_the_client_wants_and_has_not() {
        let (weak, both) = (format!("W/{OWN}"), format!("\"x\", {OWN}"));
        for (lines, status) in [
            (vec![], 200),
            (vec![(IF_MATCH, OWN)], 200),
            (vec![(IF_MATCH, "*")], 200),
            (vec![(IF_MATCH, &*both)], 200),
            (vec![(IF_MATCH, "\"x\"")], 412),
            (vec![(IF_MATCH, &*weak)], 412),
            (vec![(IF_MATCH, "x")], 422),
            (vec![(IF_NONE_MATCH, OWN)], 304),
            (vec![(IF_NONE_MATCH, &*weak)], 304),
            (vec![(IF_NONE_MATCH, &*both)], 304),
            (vec![(IF_NONE_MATCH, "*")], 304),
            (vec![(IF_NONE_MATCH, "\"x\"")], 200),
            (vec![(IF_NONE_MATCH, "x")], 422),
            (vec![(IF_MATCH, "\"x\""), (IF_NONE_MATCH, OWN)], 412),
        ] {
            assert_eq!(evaluated(&lines, Some(OWN)), status, "{lines:?}");
        }
    }

    #[test]
    fn where_nothing_is_no_state_is_there() {
        for (lines, status) in [
            (vec![], 200),
            (vec![(IF_MATCH, "*")], 412),
            (vec![(IF_MATCH, OWN)], 412),
            (vec![(IF_NONE_MATCH, "*")], 200),
            (vec![(IF_NONE_MATCH, OWN)], 200),
        ] {
            assert_eq!(evaluated(&lines, None), status, "{lines:?}");
        }
    }

    fn evaluated(lines: &[(HeaderName, &str)], tag: Option<&str>) -> u16 {
        match evaluate_read(&headers(lines), tag) {
            Ok(ReadDecision::Send) => 200,
            Ok(ReadDecision::NotModified) => 304,
            Err(problem) => problem.status().as_u16(),
        }
    }
}
