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
    OfAnswer,
    /// The tag of what is changed.
    OfChange,
    /// The same, or that there is nothing yet.
    OfStore,
}

impl Preconditions {
    /// The headers that the operation takes.
    #[must_use]
    pub const fn headers(self) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::OfChange => &["If-Match"],
            Self::OfAnswer | Self::OfStore => &["If-Match", "If-None-Match"],
        }
    }

    /// The precondition under which a request asks for a change; that of an answer is left to
    /// [`judge_answer`].
    ///
    /// # Errors
    /// 422 for a header that is malformed, or that the operation can't judge.
    pub(crate) fn read(
        self,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Option<Precondition>, Problem> {
        if !headers.contains_key(IF_MATCH) && !headers.contains_key(IF_NONE_MATCH) {
            return Ok(None);
        }
        let matching = TagList::read(headers, &IF_MATCH)?;
        // An answer is complete whatever the client has, so what can't be judged there does no harm.
        let others = if self == Self::None && method == Method::GET {
            None
        } else {
            TagList::read(headers, &IF_NONE_MATCH)?
        };
        match (self, matching, others) {
            (Self::OfAnswer, ..) | (_, None, None) => Ok(None),
            (Self::OfChange | Self::OfStore, Some(list), None) => Ok(Some(list.precondition())),
            (Self::OfStore, None, Some(TagList::Any)) => Ok(Some(Precondition::Absent)),
            (Self::OfStore, ..) => {
                Err(bad("Here `If-None-Match` can only be `*`, and only without `If-Match`."))
            }
            (Self::OfChange, _, Some(_)) => Err(bad("A change takes `If-Match` only.")),
            (Self::None, ..) => Err(bad("Nothing that this operation works on has an entity tag.")),
        }
    }
}

/// What the preconditions of a request make of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnAnswer {
    /// It is sent.
    Send,
    /// The client has it already.
    NotModified,
}

/// Judges an answer with this tag, as it is written in a header.
///
/// # Errors
/// 412 if the client wants another state of it; 422 for a malformed header.
pub fn judge_answer(headers: &HeaderMap, tag: &str) -> Result<OnAnswer, Problem> {
    if TagList::read(headers, &IF_MATCH)?.is_some_and(|list| !list.has_strong(tag)) {
        return Err(Problem::precondition_failed(Some(tag.to_owned())));
    }
    let is_known = TagList::read(headers, &IF_NONE_MATCH)?.is_some_and(|list| list.has(tag));
    Ok(if is_known { OnAnswer::NotModified } else { OnAnswer::Send })
}

/// What such a header holds: each tag in its quotes, and whether it is weak.
#[derive(Debug, PartialEq, Eq)]
enum TagList<'a> {
    Any,
    These(Vec<(bool, &'a str)>),
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
            // Other bytes than those of ASCII stand in tags of other services only.
            let line = line.to_str().map_err(|_| malformed())?;
            if line.trim() == "*" && !is_any {
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
            Self::These(tags) => tags.iter().any(|(_, listed)| *listed == tag),
        }
    }

    /// The strong comparison.
    fn has_strong(&self, tag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::These(tags) => tags.contains(&(false, tag)),
        }
    }

    /// That of `If-Match`. Weak tags and those of other services match nothing.
    fn precondition(self) -> Precondition {
        match self {
            Self::Any => Precondition::Exists,
            Self::These(tags) => {
                let strong = tags.into_iter().filter(|(is_weak, _)| !is_weak);
                Precondition::Matches(strong.filter_map(|(_, tag)| EntityTag::parse(tag)).collect())
            }
        }
    }
}

/// Reads a list of tags (RFC 9110, sections 5.6.1 and 8.8.3). A comma may stand in a tag.
fn tags_of<'a>(line: &'a str, tags: &mut Vec<(bool, &'a str)>) -> Option<()> {
    let is_blank = |letter| matches!(letter, ' ' | '\t');
    let mut rest = line.trim_matches(is_blank);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(',') {
            rest = after.trim_start_matches(is_blank);
            continue;
        }
        let (is_weak, quoted) = match rest.strip_prefix("W/") {
            Some(quoted) => (true, quoted),
            None => (false, rest),
        };
        let length = quoted.strip_prefix('"')?.find('"')?.checked_add(2)?;
        let (tag, after) = quoted.split_at_checked(length)?;
        let is_plain = |letter: char| letter.is_ascii_graphic();
        rest = after.trim_start_matches(is_blank);
        if !tag.chars().all(is_plain) || !(rest.is_empty() || rest.starts_with(',')) {
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
        ] {
            let headers = headers(&[(IF_MATCH, line)]);
            assert_eq!(list(&headers), Some(TagList::These(tags)), "{line}");
        }
        assert_eq!(list(&headers(&[(IF_MATCH, " * ")])), Some(TagList::Any));
        let both = headers(&[(IF_MATCH, "\"a\""), (IF_MATCH, "\"b\"")]);
        let tags = vec![(false, "\"a\""), (false, "\"b\"")];
        assert_eq!(list(&both), Some(TagList::These(tags)));
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
            "\"é\"",
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
    fn a_change_takes_what_can_be_judged_and_nothing_else() {
        use Preconditions::{OfChange, OfStore};
        let weak = format!("W/{OWN}");
        let own = EntityTag::parse(OWN).unwrap();
        let matches = |tags: &[EntityTag]| Some(Precondition::Matches(tags.to_vec()));
        for (of, lines, wanted) in [
            (Preconditions::None, vec![], Ok(None)),
            (OfChange, vec![], Ok(None)),
            (OfChange, vec![(IF_MATCH, "*")], Ok(Some(Precondition::Exists))),
            (OfChange, vec![(IF_MATCH, OWN)], Ok(matches(&[own]))),
            (OfChange, vec![(IF_MATCH, &*weak)], Ok(matches(&[]))),
            (OfChange, vec![(IF_MATCH, "\"of another service\"")], Err(())),
            (OfChange, vec![(IF_MATCH, "\"of-another\"")], Ok(matches(&[]))),
            (OfChange, vec![(IF_NONE_MATCH, "*")], Err(())),
            (OfChange, vec![(IF_MATCH, OWN), (IF_NONE_MATCH, OWN)], Err(())),
            (OfStore, vec![(IF_NONE_MATCH, "*")], Ok(Some(Precondition::Absent))),
            (OfStore, vec![(IF_MATCH, OWN)], Ok(matches(&[own]))),
            (OfStore, vec![(IF_NONE_MATCH, OWN)], Err(())),
            (OfStore, vec![(IF_MATCH, "*"), (IF_NONE_MATCH, "*")], Err(())),
            (Preconditions::None, vec![(IF_MATCH, "*")], Err(())),
            (Preconditions::None, vec![(IF_NONE_MATCH, "*")], Err(())),
        ] {
            let read = of.read(&Method::PUT, &headers(&lines)).map_err(|_| ());
            assert_eq!(read, wanted, "{of:?} {lines:?}");
        }
    }

    #[test]
    fn a_list_is_sent_whatever_the_client_has_and_only_on_no_condition() {
        let read = |name| Preconditions::None.read(&Method::GET, &headers(&[(name, OWN)]));
        assert_eq!(read(IF_NONE_MATCH).ok(), Some(None));
        assert!(read(IF_MATCH).is_err());
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
            let judged = match judge_answer(&headers(&lines), OWN) {
                Ok(OnAnswer::Send) => 200,
                Ok(OnAnswer::NotModified) => 304,
                Err(problem) => problem.status().as_u16(),
            };
            assert_eq!(judged, status, "{lines:?}");
        }
    }
}
