//! Texts to look for in names.

use std::fmt;

/// How many characters one can look for at most.
pub const SEARCH_MAX: usize = 200;

/// A text that is looked for without regard to case: 1 to 200 characters. Two texts are the same without regard to case if
/// they have the same simple upper and lower case mappings, character by character (Unicode, section 5.18); no language has
/// rules of its own.
#[derive(Clone, PartialEq, Eq)]
pub struct Search {
    folded: String,
}

impl Search {
    /// Looks for this text; `None` if it has no characters, or too many.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let characters = text.chars().take(SEARCH_MAX + 1).count();
        (1..=SEARCH_MAX).contains(&characters).then(|| Self { folded: folded(text) })
    }

    /// Whether it is found anywhere in a text.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        folded(text).contains(&self.folded)
    }
}

/// What is looked for may be personal.
impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Search(..)")
    }
}

/// A text whose case makes no difference any more. Upper case comes first, because it brings together what has several lower
/// cases, such as σ and ς, or ß and ss.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_makes_no_difference() {
        for (search, text) in [
            ("ada", "ADA Lovelace"),
            ("LOVE", "Ada Lovelace"),
            ("é", "CAFÉ"),
            ("straße", "STRASSE 7"),
            ("STRASSE", "Straße"),
            ("ΣΟΦΟΣ", "σοφος σοφός"),
            ("σοφος", "ΣΟΦΟΣ"),
            ("привет", "ПРИВЕТ"),
            ("%", "100 %"),
            ("_", "a_b"),
            ("\\", "a\\b"),
            (" ", "a b"),
            ("🤖", "Bot 🤖"),
        ] {
            assert!(Search::of(search).unwrap().is_in(text), "{search} in {text}");
        }
        for (search, text) in [("ada", "Ad a"), ("%", "100"), ("a_b", "axb"), ("é", "e"), ("a", "")]
        {
            assert!(!Search::of(search).unwrap().is_in(text), "{search} in {text}");
        }
    }

    #[test]
    fn a_search_is_neither_empty_nor_long() {
        assert!(Search::of("").is_none());
        assert!(Search::of(&"ä".repeat(200)).is_some());
        assert!(Search::of(&"ä".repeat(201)).is_none());
    }

    #[test]
    fn a_text_is_found_in_whatever_contains_it_in_either_case() {
        let texts = ["Grüße", "ΟΔΟΣ", "İstanbul", "ﬁne", "ǅ", "plain", "ŉ"];
        for text in texts {
            for search in [text.to_uppercase(), text.to_owned()] {
                let around = format!("x{text}y");
                assert!(Search::of(&search).unwrap().is_in(&around), "{search} in {around}");
            }
        }
    }
}
