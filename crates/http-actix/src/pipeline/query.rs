//! The collecting check of a query string. A misspelt filter must not widen what a request does, so
//! unknown, repeated and malformed parameters are all refused.

use domain::clock::{TimeRange, Timestamp};
use domain::id::Identifier;
use domain::list::{SEARCH_MAX, Search};
use domain::usage::Day;
use domain::violation::Violations;
use percent_encoding::percent_decode;

/// What the API document says of one parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamDoc {
    /// Its name.
    pub name: &'static str,
    /// What it may hold.
    pub form: ParamForm,
    /// What it does, in a sentence.
    pub description: &'static str,
}

/// The form of a parameter's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParamForm {
    /// A text.
    Text,
    /// A text of so many bytes at least and at most.
    Bytes(usize, usize),
    /// A text of so many characters at least and at most.
    Characters(usize, usize),
    /// A number in a range.
    Integer(u32, u32),
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// An identifier.
    Id,
    /// `true` or `false`.
    Boolean,
    /// A day, like `2026-01-31`.
    Day,
    /// A time, like `2026-01-31T12:00:00Z`, or a day.
    DayOrTime,
}

/// The parameters that an operation takes.
pub trait Query: Sized {
    /// Asks for every parameter that there is; what is wrong is added to `params`.
    fn read(params: &mut QueryParams) -> Self;

    /// The parameters, in the order in which they are asked for.
    #[must_use]
    fn describe() -> Vec<ParamDoc> {
        let mut params = QueryParams { docs: Some(Vec::new()), ..QueryParams::default() };
        Self::read(&mut params);
        params.docs.unwrap_or_default()
    }
}

/// An operation without parameters.
pub struct NoQuery;

impl Query for NoQuery {
    fn read(_: &mut QueryParams) -> Self {
        Self
    }
}

/// The text of the first parameter of this name, if it is well-formed.
pub(super) fn first_value(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(known, _)| decode(known).is_some_and(|known| known == name));
    values.next().and_then(|(_, value)| decode(value))
}

/// The parameters of one request while they are checked.
#[derive(Default)]
pub struct QueryParams {
    values: Vec<(String, String)>,
    violations: Violations,
    docs: Option<Vec<ParamDoc>>,
}

impl QueryParams {
    /// Splits and decodes a query string (`application/x-www-form-urlencoded`).
    #[must_use]
    pub fn of(query: &str) -> Self {
        let mut params = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match (decode(name), decode(value)) {
                (Some(name), _) if params.values.iter().any(|(known, _)| *known == name) => {
                    params.violation(&name, "is given twice");
                }
                (Some(name), Some(value)) if !name.contains('\0') && !value.contains('\0') => {
                    params.values.push((name, value));
                }
                (Some(name), _) => params.violation(&name, "is malformed"),
                (None, _) => params.violations.query("", "A parameter's name is malformed."),
            }
        }
        params
    }

    /// The text of a parameter.
    pub fn text(&mut self, name: &'static str, description: &'static str) -> Option<String> {
        self.take(ParamDoc { name, form: ParamForm::Text, description })
    }

    /// A text of so many bytes at least and at most; the caller checks that.
    pub fn bytes(
        &mut self,
        name: &'static str,
        (min, max): (usize, usize),
        description: &'static str,
    ) -> Option<String> {
        self.take(ParamDoc { name, form: ParamForm::Bytes(min, max), description })
    }

    /// A text of so many characters at least and at most.
    pub fn characters(
        &mut self,
        name: &'static str,
        (min, max): (usize, usize),
        description: &'static str,
    ) -> Option<String> {
        let form = ParamForm::Characters(min, max);
        let text = self.take(ParamDoc { name, form, description })?;
        if !(min..=max).contains(&text.chars().count()) {
            self.violation(name, &format!("must have {min} to {max} characters"));
            return None;
        }
        Some(text)
    }

    /// A text to look for without regard to case.
    pub fn search(&mut self, name: &'static str, description: &'static str) -> Option<Search> {
        let text = self.characters(name, (1, SEARCH_MAX), description)?;
        Search::of(&text)
    }

    /// The identifier of something.
    pub fn id<I: Identifier>(
        &mut self,
        name: &'static str,
        description: &'static str,
    ) -> Option<I> {
        let text = self.take(ParamDoc { name, form: ParamForm::Id, description })?;
        let value = I::parse(&text);
        if value.is_none() {
            self.violation(name, "must be an `_id`");
        }
        value
    }

    /// A number in a range, written in digits.
    pub fn integer(
        &mut self,
        name: &'static str,
        (min, max): (u32, u32),
        description: &'static str,
    ) -> Option<u32> {
        let text = self.take(ParamDoc { name, form: ParamForm::Integer(min, max), description })?;
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let value = text.parse().ok().filter(|value| digits && (min..=max).contains(value));
        if value.is_none() {
            self.violation(name, &format!("must be a number from {min} to {max}"));
        }
        value
    }

    /// One of a few words, read by `parse`.
    pub fn word<T>(
        &mut self,
        name: &'static str,
        words: &'static [&'static str],
        parse: impl FnOnce(&str) -> Option<T>,
        description: &'static str,
    ) -> Option<T> {
        let text = self.take(ParamDoc { name, form: ParamForm::OneOf(words), description })?;
        let value = parse(&text);
        if value.is_none() {
            self.violation(name, &format!("must be one of {}", words.join(", ")));
        }
        value
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, name: &'static str, description: &'static str) -> Option<bool> {
        let text = self.take(ParamDoc { name, form: ParamForm::Boolean, description })?;
        let value = text.parse().ok();
        if value.is_none() {
            self.violation(name, "must be true or false");
        }
        value
    }

    /// The order of the list, one of these words.
    pub fn sort<T>(
        &mut self,
        words: &'static [&'static str],
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let description = "The order; descending with `-`, and by `_id` where that is the same.";
        self.word("sort", words, parse, description)
    }

    /// Whether the items of the list are to be counted.
    pub fn counts(&mut self) -> bool {
        let description = "Answers in `X-Total-Count` how many items there are on all pages.";
        self.boolean("count", description).unwrap_or_default()
    }

    /// A day.
    pub fn day(&mut self, name: &'static str, description: &'static str) -> Option<Day> {
        let text = self.take(ParamDoc { name, form: ParamForm::Day, description })?;
        let value = Day::parse(&text);
        if value.is_none() {
            self.violation(name, "must be a day like 2026-01-31");
        }
        value
    }

    /// The times from one parameter to another, each of them a time, or a day, which counts from its beginning to its
    /// end.
    pub fn times(&mut self) -> TimeRange {
        let from = "Only from this time (RFC 3339) or day (UTC) on.";
        let to = "Only until this time (RFC 3339) or day (UTC).";
        let from = self.day_or_time("from", from).map(|(first, _)| first);
        let to = self.day_or_time("to", to).map(|(_, last)| last);
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            self.violation("to", "must not lie before `from`");
        }
        TimeRange { from, to }
    }

    /// A time, or the beginning of a day.
    pub fn since(&mut self, name: &'static str, description: &'static str) -> Option<Timestamp> {
        self.day_or_time(name, description).map(|(first, _)| first)
    }

    /// The first and the last time of a parameter.
    fn day_or_time(
        &mut self,
        name: &'static str,
        description: &'static str,
    ) -> Option<(Timestamp, Timestamp)> {
        let text = self.take(ParamDoc { name, form: ParamForm::DayOrTime, description })?;
        let at = || Timestamp::parse(&text).map(|at| (at, at));
        let value = Day::parse(&text).map(Day::ends).or_else(at);
        if value.is_none() {
            self.violation(
                name,
                "must be a time like 2026-01-31T12:00:00Z, or a day like 2026-01-31",
            );
        }
        value
    }

    /// What a parameter says, without asking for it.
    #[must_use]
    pub fn peek(&self, name: &str) -> Option<&str> {
        let found = self.values.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Adds a violation of a parameter; the sentence goes on after its name.
    pub fn violation(&mut self, name: &str, what: &str) {
        let shown = domain::text::beginning(name, 100);
        self.violations.query(name, format!("The parameter `{shown}` {what}."));
    }

    /// All violations, including those of parameters that the operation does not take.
    #[must_use]
    pub fn finish(mut self) -> Violations {
        for (name, _) in std::mem::take(&mut self.values) {
            self.violation(&name, "is not known here");
        }
        self.violations
    }

    fn take(&mut self, doc: ParamDoc) -> Option<String> {
        let at = self.values.iter().position(|(name, _)| name == doc.name);
        if let Some(docs) = &mut self.docs {
            docs.push(doc);
        }
        at.map(|at| self.values.swap_remove(at).1)
    }
}

/// Decodes `+` and percent-encoding; `None` for a `%` without two digits after it, or no UTF-8.
fn decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let escapes_are_whole =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%').all(|(at, _)| {
            let digits = bytes.get(at + 1..at + 3);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        });
    let spaced = text.replace('+', " ");
    let decoded = percent_decode(spaced.as_bytes()).decode_utf8().ok()?;
    escapes_are_whole.then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sample {
        limit: Option<u32>,
        text: Option<String>,
        flag: Option<bool>,
    }

    impl Query for Sample {
        fn read(params: &mut QueryParams) -> Self {
            Self {
                limit: params.integer("limit", (1, 1000), "How many."),
                text: params.text("text", "A text."),
                flag: params.boolean("flag", "Whether."),
            }
        }
    }

    fn violations(query: &str) -> Vec<String> {
        let mut params = QueryParams::of(query);
        Sample::read(&mut params);
        params.finish().iter().map(|violation| violation.message.clone()).collect()
    }

    #[test]
    fn parameters_are_decoded() {
        let mut params = QueryParams::of("text=a+b%2B%C3%A4%26&limit=1000");
        let sample = Sample::read(&mut params);
        assert_eq!((sample.text.as_deref(), sample.limit), (Some("a b+ä&"), Some(1000)));
        assert!(params.finish().is_empty());
        let mut params = QueryParams::of("limit=0001");
        assert_eq!(Sample::read(&mut params).limit, Some(1));
        assert!(params.finish().is_empty());
        for (query, flag) in [("flag=true", Some(true)), ("flag=false", Some(false)), ("", None)] {
            let mut params = QueryParams::of(query);
            assert_eq!(params.peek("flag"), query.strip_prefix("flag="));
            assert_eq!(Sample::read(&mut params).flag, flag);
            assert_eq!(params.peek("flag"), None);
        }
        assert!(violations("").is_empty() && violations("&&").is_empty());
    }

    #[test]
    fn whatever_is_odd_is_refused() {
        for query in [
            "limit=0",
            "limit=1001",
            "limit=",
            "limit",
            "limit=+1",
            "limit=1.0",
            "limit=-1",
            "limit=99999999999",
            "flag",
            "flag=",
            "flag=1",
            "flag=True",
            "flag=true%20",
            "flag=true&flag=false",
            "text=%",
            "text=%f",
            "text=%zz",
            "text=%ff",
            "text=%00",
            "Text=a",
            "text=a&text=a",
            "text=a&%74ext=b",
            "limit=1&nope=1",
            "%ff=1",
            "=1",
        ] {
            assert_eq!(violations(query).len(), 1, "{query}");
        }
        assert_eq!(violations("a=1&b=2&limit=0").len(), 3);
    }

    #[test]
    fn a_query_describes_itself() {
        let names: Vec<_> = Sample::describe().iter().map(|doc| doc.name).collect();
        assert_eq!(names, ["limit", "text", "flag"]);
    }
}
