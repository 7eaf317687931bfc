//! Texts to look for in names.

use std::fmt;

/// How many characters one can look for at most.
pub const SEARCH_MAX: usize = 200;

/// A text that is looked for ignoring case: 1 to 200 characters. Case is ignored by mapping each character to lower,
/// upper and lower case again, by the full mappings of Unicode (section 5.18) that depend neither on a language nor on
/// what is around.
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

/// A text without differences of case. Upper case brings together what has several lower cases, such as σ and ς, or ß
/// and ss; but first ẞ, which is an upper case already, has to become ß.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = text.chars().flat_map(char::to_lowercase);
    lower.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
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
            ("straße", "STRAẞE"),
            ("STRAẞE", "Straße"),
            ("strasse", "STRAẞE"),
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
    fn each_character_is_found_in_either_case() {
        for character in ('\0'..=char::MAX).filter(|character| character.is_alphabetic()) {
            let search = Search::of(&character.to_string()).unwrap();
            let [upper, lower] =
                [character.to_uppercase().to_string(), character.to_lowercase().to_string()];
            assert!(search.is_in(&upper) && search.is_in(&lower), "{character}");
            assert!(Search::of(&upper).unwrap().is_in(&lower), "{character}");
        }
    }

    #[test]
    fn a_text_is_found_in_whatever_contains_it_in_either_case() {
        let texts = ["Grüße", "ΟΔΟΣ", "ﬁne", "ǅ", "plain", "ŉ"];
        for text in texts {
            for search in [text.to_uppercase(), text.to_lowercase(), text.to_owned()] {
                let around = format!("x{text}y");
                assert!(Search::of(&search).unwrap().is_in(&around), "{search} in {around}");
            }
        }
    }
}
