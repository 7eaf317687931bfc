//! The key of a request (the IETF draft "The Idempotency-Key HTTP Header Field").

/// How many characters a key has at most.
const LENGTH_MAX: usize = 255;

/// What a client calls a request by which it wants one effect, however often it sends it: 1 to 255 visible ASCII
/// characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Reads a key as clients write it: as a string of RFC 8941, in quotes and without parameters, or bare, which is
    /// the same key. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_prefix('"') {
            Some(rest) => unescaped(rest.strip_suffix('"')?),
            None => Some(text.to_owned()),
        }
        .and_then(Self::new)
    }

    /// The key that consists of these characters; `None` if it can't be one.
    #[must_use]
    pub fn new(text: String) -> Option<Self> {
        let is_key = (1..=LENGTH_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_key.then_some(Self(text))
    }

    /// Its characters, without quotes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What stands between the quotes of a string, where a backslash makes a quote or a backslash stand for itself.
fn unescaped(text: &str) -> Option<String> {
    let mut characters = text.chars();
    let mut whole = String::with_capacity(text.len());
    while let Some(character) = characters.next() {
        whole.push(match character {
            '\\' => characters.next().filter(|next| matches!(next, '"' | '\\'))?,
            '"' => return None,
            other => other,
        });
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Option<String> {
        IdempotencyKey::parse(text).map(|key| key.0)
    }

    #[test]
    fn a_key_in_quotes_is_the_same_as_a_bare_one() {
        for (text, wanted) in [
            ("\"8e03978e-40d5\"", "8e03978e-40d5"),
            ("8e03978e-40d5", "8e03978e-40d5"),
            (r#""a\"b\\c""#, r#"a"b\c"#),
            (r#"a"b\c"#, r#"a"b\c"#),
            ("~", "~"),
            ("a;b=c", "a;b=c"),
        ] {
            assert_eq!(key(text).as_deref(), Some(wanted), "{text}");
        }
        let longest = "k".repeat(255);
        assert_eq!(key(&format!("\"{longest}\"")), Some(longest.clone()));
        assert_eq!(key(&longest), Some(longest));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let too_long = "k".repeat(256);
        let quoted = format!("\"{too_long}\"");
        for text in [
            "",
            "\"\"",
            "\"",
            "\"a",
            "\"a\"b",
            "\"a\";b=1",
            "\"a\", \"b\"",
            r#""a\b""#,
            r#""a\""#,
            "a b",
            "\"a b\"",
            "\ta",
            "é",
            "\u{7f}",
            &too_long,
            &quoted,
        ] {
            assert_eq!(key(text), None, "{text:?}");
        }
    }
}
