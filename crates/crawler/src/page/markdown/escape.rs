//! Keeping text from being read as Markdown, with as few backslashes as that takes.

use std::borrow::Cow;

/// Where a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TextPosition {
    #[default]
    Paragraph,
    Heading,
    /// A cell of a table.
    Cell,
}

/// Writes a word.
pub(super) fn word(out: &mut String, word: &str, place: TextPosition, is_in_link: bool) {
    if word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b",.:;'\"()/-?=%+".contains(&byte)) {
        return out.push_str(word);
    }
    let mut before = out.chars().next_back().filter(|char| !char.is_whitespace());
    let mut rest = word.chars();
    while let Some(char) = rest.next() {
        let after = rest.clone().next();
        let is_joint =
            before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric);
        let means_something = match char {
            '\\' => after.is_some_and(|after| after.is_ascii_punctuation()),
            '`' => true,
            '*' => before.is_some() || after.is_some(),
            '_' => !is_joint && (before.is_some() || after.is_some()),
            '~' => after == Some('~') || before == Some('~'),
            '[' => is_in_link,
            ']' => is_in_link || matches!(after, Some('(' | '[')),
            '<' => after.is_some_and(|after| after.is_ascii_alphabetic() || "/!?".contains(after)),
            '&' => is_reference(rest.as_str()),
            '|' => place == TextPosition::Cell,
            _ => false,
        };
        if means_something {
            out.push('\\');
        }
        out.push(char);
        before = Some(char);
    }
}

/// Whether what follows an ampersand makes a character reference of it.
fn is_reference(rest: &str) -> bool {
    // Names are no longer than this; looking further would make a word of ampersands expensive.
    let name = rest.bytes().take(33).position(|byte| byte == b';').and_then(|end| rest.get(..end));
    name.map(|name| name.strip_prefix('#').unwrap_or(name))
        .is_some_and(|name| name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// The line of a paragraph, so that it does not begin anything else.
pub(super) fn line_start(line: &str) -> Cow<'_, str> {
    let begins = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    let at = match line.as_bytes() {
        [b'#', ..] => begins(line.trim_start_matches('#')).then_some(0),
        [b'>', ..] => Some(0),
        [b'+', ..] => begins(line.get(1..).unwrap_or_default()).then_some(0),
        [b'-', ..] => {
            let rest = line.trim_start_matches('-');
            (begins(line.get(1..).unwrap_or_default()) || rest.is_empty()).then_some(0)
        }
        [b'*', ..] => begins(line.get(1..).unwrap_or_default()).then_some(0),
        [b'=', ..] => line.trim_start_matches('=').is_empty().then_some(0),
        [b'~', b'~', b'~', ..] => Some(0),
        [b'[', ..] => line.contains("]:").then_some(0),
        [b'0'..=b'9', ..] => {
            let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
            let digits = line.len() - rest.len();
            let is_number = rest.strip_prefix(['.', ')']).is_some_and(begins);
            (is_number && digits <= 9).then_some(digits)
        }
        _ => None,
    };
    match at.and_then(|at| line.split_at_checked(at)) {
        Some((before, after)) => Cow::Owned(format!("{before}\\{after}")),
        None => Cow::Borrowed(line),
    }
}

/// The text of a heading, so that no `#` at its end is taken for an ornament of the line.
pub(super) fn heading(text: &str) -> Cow<'_, str> {
    let before = text.trim_end_matches('#');
    let is_ornament = before.len() < text.len() && (before.is_empty() || before.ends_with(' '));
    match text.split_at_checked(before.len()).filter(|_| is_ornament) {
        Some((before, signs)) => Cow::Owned(format!("{before}\\{signs}")),
        None => Cow::Borrowed(text),
    }
}

/// Where a link leads, between its round brackets.
pub(super) fn address(address: &str) -> Cow<'_, str> {
    let mut depth = 0_i32;
    let mut is_balanced = true;
    for byte in address.bytes() {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        is_balanced &= depth >= 0;
    }
    if is_balanced && depth == 0 && !address.contains(['<', '>', '|', ' ']) {
        return Cow::Borrowed(address);
    }
    let mut safe = String::with_capacity(address.len() + 16);
    for char in address.chars() {
        match char {
            '(' => safe.push_str("%28"),
            ')' => safe.push_str("%29"),
            '<' => safe.push_str("%3C"),
            '>' => safe.push_str("%3E"),
            '|' => safe.push_str("%7C"),
            ' ' => safe.push_str("%20"),
            char => safe.push(char),
        }
    }
    Cow::Owned(safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_they_say() {
        for (plain, expected) in [
            ("snake_case", "snake_case"),
            ("__init__", "\\_\\_init\\_\\_"),
            ("a*b", "a\\*b"),
            ("*", "*"),
            ("`x`", "\\`x\\`"),
            ("<b>", "\\<b>"),
            ("1<2", "1<2"),
            ("&amp;", "\\&amp;"),
            ("&#39;", "\\&#39;"),
            ("R&D;", "R&D;"),
            ("AT&T", "AT&T"),
            ("[1]", "[1]"),
            ("[a](b)", "[a\\](b)"),
            ("c:\\dir", "c:\\dir"),
            ("\\*", "\\\\\\*"),
            ("a|b", "a|b"),
            ("~~", "\\~\\~"),
            ("~5", "~5"),
        ] {
            let mut out = String::new();
            word(&mut out, plain, TextPosition::Paragraph, false);
            assert_eq!(out, expected, "{plain}");
        }
        let mut out = String::new();
        word(&mut out, "a|[b]", TextPosition::Cell, true);
        assert_eq!(out, "a\\|\\[b\\]");
    }

    #[test]
    fn lines_begin_nothing_but_a_paragraph() {
        for (plain, expected) in [
            ("# a", "\\# a"),
            ("#a", "#a"),
            ("1. a", "1\\. a"),
            ("1999) a", "1999\\) a"),
            ("1.5 a", "1.5 a"),
            ("- a", "\\- a"),
            ("-a", "-a"),
            ("---", "\\---"),
            ("===", "\\==="),
            ("+ a", "\\+ a"),
            ("* a", "\\* a"),
            ("> a", "\\> a"),
            ("[a]: b", "\\[a]: b"),
            ("ä", "ä"),
        ] {
            assert_eq!(line_start(plain), expected);
        }
    }

    #[test]
    fn headings_keep_signs_at_their_end() {
        for (plain, expected) in [
            ("#", "\\#"),
            ("##", "\\##"),
            ("The key #", "The key \\#"),
            ("a # b ##", "a # b \\##"),
            ("C#", "C#"),
            ("# a", "# a"),
            ("a", "a"),
        ] {
            assert_eq!(heading(plain), expected);
        }
    }

    #[test]
    fn addresses_end_where_they_end() {
        assert_eq!(address("http://a/b_(c)"), "http://a/b_(c)");
        assert_eq!(address("http://a/b)(c"), "http://a/b%29%28c");
        assert_eq!(address("mailto:a b<c>"), "mailto:a%20b%3Cc%3E");
    }
}
