//! Which keys a rule means: a glob over the whole key.

use std::str::Chars;

use serde::Serialize;

use crate::keyval;
use crate::violation::ViolationCode;

/// How many bytes a pattern has at most.
pub(super) const PATTERN_MAX: usize = 1_024;

/// A glob: `*` stands for any run of characters, the empty one included, `?` for one character, and
/// `\` makes the next character stand for itself. A pattern has 1 to 1024 bytes and does not end with
/// a `\` that makes nothing stand for itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct KeyPattern(String);

impl KeyPattern {
    /// The pattern that means every key.
    pub(super) fn any() -> Self {
        Self("*".to_owned())
    }

    /// Takes over a text that is a pattern; `None` if it is not.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::violation_of(text).is_none().then(|| Self(text.to_owned()))
    }

    /// What is wrong with a text that is no pattern: a sentence that goes on after its name.
    pub(super) fn violation_of(text: &str) -> Option<(ViolationCode, String)> {
        keyval::violation_of(text, PATTERN_MAX).or_else(|| {
            let backslashes = text.len() - text.trim_end_matches('\\').len();
            let what = "ends with a `\\` that nothing follows; `\\\\` is the character itself";
            (backslashes % 2 == 1).then(|| (ViolationCode::BadFormat, what.to_owned()))
        })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it means this key. It takes no more steps than pattern and key have characters
    /// multiplied, and no room, whatever the two are.
    #[must_use]
    pub fn matches(&self, key: &str) -> bool {
        let (mut wanted, mut found) = (Tokens(self.0.chars()), key.chars());
        // What follows the last `*`, and where in the key it was tried: of several `*` only the last
        // one need ever take more, because whatever an earlier one takes, the later can take as well.
        let mut retry: Option<(Tokens<'_>, Chars<'_>)> = None;
        loop {
            let fits = match wanted.next() {
                Some(Token::Run) => {
                    retry = Some((wanted.clone(), found.clone()));
                    continue;
                }
                Some(Token::One) => found.next().is_some(),
                Some(Token::Literal(literal)) => found.next() == Some(literal),
                None if found.as_str().is_empty() => return true,
                None => false,
            };
            if !fits {
                let Some((after_run, tried)) = &mut retry else {
                    return false;
                };
                if tried.next().is_none() {
                    return false;
                }
                (wanted, found) = (after_run.clone(), tried.clone());
            }
        }
    }

    /// What every key begins with that it means.
    #[must_use]
    pub fn literal_prefix(&self) -> String {
        let literal = Tokens(self.0.chars()).map_while(|token| match token {
            Token::Literal(literal) => Some(literal),
            Token::Run | Token::One => None,
        });
        literal.collect()
    }
}

/// What a pattern is made of.
enum Token {
    /// Any run of characters.
    Run,
    /// One character.
    One,
    /// This character.
    Literal(char),
}

/// The tokens of a pattern, in their order.
#[derive(Clone)]
struct Tokens<'a>(Chars<'a>);

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        Some(match self.0.next()? {
            '*' => Token::Run,
            '?' => Token::One,
            '\\' => Token::Literal(self.0.next()?),
            literal => Token::Literal(literal),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> KeyPattern {
        KeyPattern::parse(text).unwrap_or_else(|| panic!("{text:?} is a pattern"))
    }

    /// The definition itself, tried in every way.
    fn means(pattern: &[char], key: &[char]) -> bool {
        match pattern {
            [] => key.is_empty(),
            ['*', rest @ ..] => (0..=key.len()).any(|taken| means(rest, &key[taken..])),
            ['?', rest @ ..] => !key.is_empty() && means(rest, &key[1..]),
            ['\\', literal, rest @ ..] | [literal, rest @ ..] => {
                key.first() == Some(literal) && means(rest, &key[1..])
            }
        }
    }

    #[test]
    fn a_pattern_means_whole_keys() {
        for (text, meant, others) in [
            ("session", &["session"][..], &["sessions", "a session", "Session", ""][..]),
            ("session:*", &["session:", "session:1", "session:*"], &["session", "my session:1"]),
            ("*:tmp", &[":tmp", "a:tmp", "a:tmp:tmp"], &["a:tmp:", "tmp"]),
            ("a*b*c", &["abc", "a b b c c", "abcbc"], &["abcb", "acb", "bc"]),
            ("*", &["", "a", "🤖"], &[]),
            ("***", &["", "a", "ab"], &[]),
            ("?", &["a", "ü", "🤖", "*", "\\"], &["", "ab", "e\u{301}"]),
            ("?*?", &["ab", "abc"], &["a", ""]),
            ("\\*", &["*"], &["a", "\\*", ""]),
            ("\\?\\\\\\a", &["?\\a"], &["x\\a", "?a"]),
            ("[a]", &["[a]"], &["a"]),
            ("a/*", &["a/", "a/b/c"], &["a"]),
        ] {
            let pattern = pattern(text);
            for key in meant {
                assert!(pattern.matches(key), "{text:?} means {key:?}");
            }
            for key in others {
                assert!(!pattern.matches(key), "{text:?} does not mean {key:?}");
            }
        }
    }

    #[test]
    fn the_literal_prefix_ends_at_the_first_wildcard() {
        for (text, prefix) in [
            ("session:*", "session:"),
            ("session", "session"),
            ("a\\*b?c", "a*b"),
            ("a\\\\*", "a\\"),
            ("*a", ""),
            ("ü?", "ü"),
        ] {
            assert_eq!(pattern(text).literal_prefix(), prefix, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_reported_with_its_violation() {
        let fits = "ü".repeat(PATTERN_MAX / 2);
        let longer = format!("{fits}a");
        for (text, violation) in [
            ("", Some(ViolationCode::TooShort)),
            (longer.as_str(), Some(ViolationCode::TooLong)),
            (&fits, None),
            ("a\0", Some(ViolationCode::BadCharacter)),
            ("\\", Some(ViolationCode::BadFormat)),
            ("a\\\\\\", Some(ViolationCode::BadFormat)),
            ("a\\\\", None),
            ("a\\b", None),
        ] {
            assert_eq!(KeyPattern::violation_of(text).map(|(code, _)| code), violation, "{text:?}");
            assert_eq!(KeyPattern::parse(text).is_none(), violation.is_some(), "{text:?}");
        }
    }

    /// A matcher that tries every way takes longer than the universe lasts.
    #[test]
    fn a_pattern_that_almost_means_a_key_is_soon_through() {
        let (runs, key) = ("a*".repeat(400), "a".repeat(1_024));
        assert!(!pattern(&format!("{runs}b")).matches(&key));
        assert!(pattern(&runs).matches(&key));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn it_means_what_the_definition_says(
            text in "([ab*?]|\\\\[ab*?\\\\]|🤖){1,8}",
            key in "[ab*?\\\\🤖]{0,8}",
        ) {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            let pattern = pattern(&text);
            let is_meant = pattern.matches(&key);
            prop_assert_eq!(is_meant, means(&chars(&text), &chars(&key)));
            prop_assert!(!is_meant || key.starts_with(&pattern.literal_prefix()));
        }

        #[test]
        fn an_escaped_key_means_itself_alone(key in "\\PC{1,20}", other in "\\PC{0,20}") {
            let escaped: String = key.chars().flat_map(|letter| ['\\', letter]).collect();
            let pattern = pattern(&escaped);
            prop_assert_eq!(pattern.literal_prefix(), key.as_str());
            prop_assert!(pattern.matches(&key));
            prop_assert_eq!(pattern.matches(&other), key == other);
        }
    }
}
