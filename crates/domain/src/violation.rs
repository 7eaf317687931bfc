//! What is wrong with an input, field by field.
//!
//! A check collects every [`Violation`] it finds into [`Violations`] and fails once, at the end, so that a
//! caller repairs a body in one go.

use std::fmt;

/// Declares every code: its word and its title. The comment says what is wrong, also in the API document.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $code:ident $word:literal $title:literal,)+) => {
        /// The stable word for what is wrong with one field or parameter.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ViolationCode {
            $($(#[doc = $doc])+ $code,)+
        }

        impl ViolationCode {
            /// Every code there is; `docs/errors.md` lists the same.
            pub const ALL: &'static [Self] = &[$(Self::$code,)+];

            /// The word as it stands in a problem body.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$code => $word,)+ }
            }

            /// A short human title, in sentence case.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$code => $title,)+ }
            }

            /// What is wrong, as a sentence.
            #[must_use]
            pub const fn description(self) -> &'static str {
                match self { $(Self::$code => concat!($($doc),+).trim_ascii_start(),)+ }
            }
        }
    };
}

codes! {
    /// The text is not JSON (RFC 8259).
    MalformedJson "malformed_json" "Malformed JSON",
    /// The body is JSON, but not an object.
    NotAnObject "not_an_object" "Body is not an object",
    /// Nested deeper than 128 levels.
    TooDeep "too_deep" "Nested too deep",
    /// An object names the same member twice.
    DuplicateField "duplicate_field" "Duplicate field",
    /// A string holds U+0000 or half a surrogate pair.
    BadCharacter "bad_character" "Character not allowed",
    /// A member that this operation does not know, or does not let anybody set.
    UnknownField "unknown_field" "Unknown field",
    /// A required member is missing, or `null` in what creates something.
    MissingField "missing_field" "Missing field",
    /// The value has another JSON type than the field.
    WrongType "wrong_type" "Wrong type",
    /// A required field can't be unset.
    Null "null" "Field can't be null",
    /// A text or a list is shorter than it may be.
    TooShort "too_short" "Too short",
    /// A text is longer than it may be.
    TooLong "too_long" "Too long",
    /// A list has more items than it may have.
    TooManyItems "too_many_items" "Too many items",
    /// A number lies outside its range.
    OutOfRange "out_of_range" "Out of range",
    /// The value is none of those that the field allows.
    NotAllowed "not_allowed" "Value not allowed",
    /// A list holds an item twice that it may hold once.
    DuplicateItem "duplicate_item" "Duplicate item",
    /// A text is not of the form that the field asks for.
    BadFormat "bad_format" "Wrong form",
    /// A text is no address that can be crawled.
    BadUrl "bad_url" "Not an address to crawl",
    /// A member among free ones that only the service sets.
    ReservedField "reserved_field" "Reserved field",
    /// Another one of the same bot has this name.
    NameTaken "name_taken" "Name taken",
    /// Another skill of the bot has this `skillId`.
    SkillIdTaken "skill_id_taken" "skillId taken",
    /// A partial update without any field.
    NoFields "no_fields" "No fields",
    /// A delete by filter without any filter.
    NoFilter "no_filter" "No filter",
    /// A query parameter is unknown, repeated or malformed.
    BadQuery "bad_query" "Bad query",
    /// Two parts of one request say different things.
    Contradiction "contradiction" "Contradiction",
}

impl fmt::Display for ViolationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where in a request a violation lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputPart {
    /// The JSON body.
    Body,
    /// The query string.
    Query,
    /// A parameter of the path.
    Path,
}

/// One thing that is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Body, query or path.
    pub part: InputPart,
    /// JSON Pointer (RFC 6901) to the value; empty for the whole body.
    pub pointer: String,
    /// What is wrong, for programs.
    pub code: ViolationCode,
    /// What is wrong, as a sentence. It never repeats the value that came in.
    pub message: String,
}

/// Every violation of one input, in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Violations {
    listed: Vec<Violation>,
    in_body: usize,
    in_query: usize,
    in_path: usize,
}

impl fmt::Display for Violations {
    /// The sentences of those that are listed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentences: Vec<_> = self.iter().map(|violation| violation.message.as_str()).collect();
        f.write_str(&sentences.join(" "))
    }
}

impl std::error::Error for Violations {}

impl Violations {
    /// How many violations of the body, and how many of the query, are listed; beyond that they are
    /// only counted.
    pub const MAX: usize = 1_000;

    /// No violation so far.
    #[must_use]
    pub const fn none() -> Self {
        Self { listed: Vec::new(), in_body: 0, in_query: 0, in_path: 0 }
    }

    /// One violation of a body.
    #[must_use]
    pub fn one(
        pointer: impl Into<String>,
        code: ViolationCode,
        message: impl Into<String>,
    ) -> Self {
        let mut violations = Self::none();
        violations.body(pointer, code, message);
        violations
    }

    /// Adds a violation of the body.
    pub fn body(
        &mut self,
        pointer: impl Into<String>,
        code: ViolationCode,
        message: impl Into<String>,
    ) {
        self.body_with(code, || (pointer.into(), message.into()));
    }

    /// Adds a violation of the body, whose pointer and message are only made if it is listed.
    pub fn body_with(&mut self, code: ViolationCode, texts: impl FnOnce() -> (String, String)) {
        self.record(InputPart::Body, || {
            let (pointer, message) = texts();
            Violation { part: InputPart::Body, pointer, code, message }
        });
    }

    /// Adds a violation of the query parameter `name`.
    pub fn query(&mut self, name: &str, message: impl Into<String>) {
        self.record(InputPart::Query, || Violation {
            part: InputPart::Query,
            pointer: pointer([name]),
            code: ViolationCode::BadQuery,
            message: message.into(),
        });
    }

    /// Adds a violation of the path's parameter `name`.
    pub fn path(&mut self, name: &str, code: ViolationCode, message: impl Into<String>) {
        self.record(InputPart::Path, || Violation {
            part: InputPart::Path,
            pointer: pointer([name]),
            code,
            message: message.into(),
        });
    }

    fn record(&mut self, part: InputPart, violation: impl FnOnce() -> Violation) {
        let found = self.found_mut(part);
        *found += 1;
        if *found <= Self::MAX {
            self.listed.push(violation());
        }
    }

    const fn found_mut(&mut self, part: InputPart) -> &mut usize {
        match part {
            InputPart::Body => &mut self.in_body,
            InputPart::Query => &mut self.in_query,
            InputPart::Path => &mut self.in_path,
        }
    }

    /// Takes over all violations of another check.
    pub fn extend(&mut self, other: Self) {
        let (in_body, in_query) = (self.in_body + other.in_body, self.in_query + other.in_query);
        let in_path = self.in_path + other.in_path;
        for violation in other.listed {
            self.record(violation.part, || violation);
        }
        (self.in_body, self.in_query, self.in_path) = (in_body, in_query, in_path);
    }

    /// The same violations of what stands inside of a member.
    #[must_use]
    pub(crate) fn inside(mut self, member: &str) -> Self {
        let above = pointer([member]);
        for violation in &mut self.listed {
            violation.pointer.insert_str(0, &above);
        }
        self
    }

    /// Whether the input is valid.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// How many violations were found, those included that are not listed.
    #[must_use]
    pub const fn total(&self) -> usize {
        self.in_body + self.in_query + self.in_path
    }

    /// The violations that are listed.
    pub fn iter(&self) -> impl Iterator<Item = &Violation> {
        self.listed.iter()
    }

    /// `Ok(value)` for a valid input, else all that is wrong.
    ///
    /// # Errors
    /// The violations themselves, if there are any.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// How many bytes a pointer has at most. Without a bound, one long name could come back a thousand
/// times in an answer.
pub(crate) const POINTER_MAX: usize = 1_024;

/// The JSON Pointer (RFC 6901) that leads through these names. One that would grow too long names
/// the innermost container around its target that has a short one.
pub(crate) fn pointer(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut pointer = String::new();
    for name in names {
        let name = name.as_ref();
        let room = POINTER_MAX - pointer.len();
        // Escaping makes no name shorter, and a long one is not worth it.
        if name.len() >= room {
            break;
        }
        let token = name.replace('~', "~0").replace('/', "~1");
        if token.len() >= room {
            break;
        }
        pointer.push('/');
        pointer.push_str(&token);
    }
    pointer
}

/// Where each violation is and its code, for tests.
#[cfg(test)]
pub(crate) fn codes(violations: &Violations) -> Vec<(&str, &str)> {
    violations.iter().map(|one| (one.pointer.as_str(), one.code.as_str())).collect()
}

#[cfg(test)]
mod tests;
