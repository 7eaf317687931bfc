//! The programming language of code, as highlighters write it into classes.

use super::tag::{Attribute, Tag};

/// How long the name of a language is at most.
const NAME_MAX: usize = 24;
/// What comes before the name of a language; longer ones first.
const PREFIXES: [&str; 5] = ["highlight-source-", "language-", "highlight-", "lang-", "brush:"];

/// The language that a tag names.
pub(super) fn of(tag: &Tag) -> Option<&str> {
    if let Some(name) = tag.get(Attribute::DataLang).and_then(name) {
        return Some(name);
    }
    let class = tag.get(Attribute::Class)?;
    let mut words = class.split_ascii_whitespace();
    while let Some(word) = words.next() {
        // Two highlighters write the language as a word of its own.
        let named = match word {
            "brush:" | "sourceCode" => words.next(),
            _ => PREFIXES.iter().find_map(|prefix| word.strip_prefix(prefix)),
        };
        if let Some(name) = named.and_then(name) {
            return Some(name);
        }
    }
    None
}

fn name(text: &str) -> Option<&str> {
    let name = text.trim_end_matches(';');
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"+#-_.".contains(&byte);
    let is_one = !name.is_empty() && name.len() <= NAME_MAX && name.bytes().all(is_name);
    let says_nothing =
        ["none", "default", "text", "plain", "plaintext", "txt", "notranslate"].contains(&name);
    (is_one && !says_nothing).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_found_where_highlighters_write_them() {
        for (class, expected) in [
            ("language-rust", Some("rust")),
            ("hljs lang-c++", Some("c++")),
            ("highlight highlight-source-python", Some("python")),
            ("highlight-python notranslate", Some("python")),
            ("brush: js; toolbar: false", Some("js")),
            ("brush:php", Some("php")),
            ("sourceCode haskell", Some("haskell")),
            ("highlight", None),
            ("language-none", None),
            ("language-\u{e4}", None),
            ("", None),
        ] {
            let mut tag = Tag::default();
            tag.attribute_name(b"class");
            tag.attribute_value(class.as_bytes());
            assert_eq!(of(&tag), expected, "{class}");
        }
    }
}
