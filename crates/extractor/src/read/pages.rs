//! Pages of text as a person would type them off paper.

use domain::document::ExtractionError;
use unicode_normalization::UnicodeNormalization as _;

use crate::document::{Document, Page};
use crate::limits::Limits;

/// What stands between two pages.
const BREAK: &str = "\n\n";

/// Makes a document of pages that are tidy. Pages without text count, but leave no trace in it.
pub(super) fn join(
    pages: impl IntoIterator<Item = String>,
    limits: &Limits,
) -> Result<Document, ExtractionError> {
    let mut document = Document::default();
    let mut chars = 0;
    for (number, page) in (1..).zip(pages) {
        if page.is_empty() {
            continue;
        }
        if !document.text.is_empty() {
            document.text.push_str(BREAK);
            chars += BREAK.len() as u64;
        }
        document.pages.push(Page { start: chars, number });
        chars += page.chars().count() as u64;
        document.text.push_str(&page);
        if document.text.len() as u64 > limits.text_bytes {
            return Err(ExtractionError::TooLarge);
        }
    }
    if document.text.is_empty() { Err(ExtractionError::NoText) } else { Ok(document) }
}

/// The text of a page without what is there for the eye only: spaces in a row, ligatures, hyphens at the
/// ends of lines. Lines stay lines, because a paragraph can't be distinguished from a table here.
pub(super) fn tidy(page: &str) -> String {
    let mut tidy = String::with_capacity(page.len());
    let mut blank_lines = 0;
    for line in page.lines() {
        let start = tidy.len();
        push_line(&mut tidy, line);
        if tidy.len() == start {
            blank_lines += 1;
            continue;
        }
        if start == 0 {
            blank_lines = 0;
            continue;
        }
        let line = tidy.split_off(start);
        if blank_lines == 0 && is_parted(&tidy, &line) {
            tidy.pop();
        } else {
            tidy.push_str(if blank_lines == 0 { "\n" } else { "\n\n" });
        }
        tidy.push_str(&line);
        blank_lines = 0;
    }
    tidy
}

/// Adds a line without blanks at its ends.
fn push_line(to: &mut String, line: &str) {
    let line = line.trim_end();
    if line.is_ascii() {
        push(to, line.chars());
    } else {
        push(to, line.nfc());
    }
    // This hyphen shows only where a line ends.
    if line.ends_with('\u{ad}') {
        to.push('-');
    }
}

fn push(to: &mut String, line: impl Iterator<Item = char>) {
    let mut is_spaced = false;
    let start = to.len();
    for character in line {
        if character.is_whitespace() {
            is_spaced = to.len() > start;
        } else if let Some(letters) = letters(character) {
            if is_spaced {
                to.push(' ');
                is_spaced = false;
            }
            match letters {
                "" => to.push(character),
                letters => to.push_str(letters),
            }
        }
    }
}

/// The letters that a ligature stands for; "" for what stands for itself, `None` for what is invisible.
fn letters(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => return None,
        character if character.is_control() => return None,
        _ => "",
    })
}

/// Whether a word was parted by the end of a line. Not if only its first half was left away, as in "day-
/// and night-time".
fn is_parted(before: &str, line: &str) -> bool {
    const NO_SECOND_HALVES: [&str; 9] =
        ["and", "or", "to", "und", "oder", "bis", "bzw.", "sowie", "et"];
    let mut backwards = before.chars().rev();
    let is_hyphened = backwards.next().is_some_and(|end| matches!(end, '-' | '\u{2010}'))
        && backwards.next().is_some_and(char::is_lowercase);
    let first = line.split(' ').next().unwrap_or_default();
    is_hyphened
        && first.chars().next().is_some_and(char::is_lowercase)
        && !NO_SECOND_HALVES.contains(&first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_page_is_tidied() {
        let cases = [
            ("", ""),
            ("\n \n\t\n", ""),
            ("\n\n  a   b\u{a0} c \n", "a b c"),
            ("a\nb", "a\nb"),
            ("a\n\n\n\nb\r\nc\n", "a\n\nb\nc"),
            ("e\u{fb03}cient \u{fb02}ower", "efficient flower"),
            ("u\u{308}ber", "\u{fc}ber"),
            ("a\u{0}b\u{200b}c", "abc"),
            ("manip-\nulation of", "manipulation of"),
            ("manip\u{ad}\nulation", "manipulation"),
            ("ma\u{ad}nip\u{ad} \nUlation", "manip-\nUlation"),
            ("manip-\n\nulation", "manip-\n\nulation"),
            ("Baden-\nBaden", "Baden-\nBaden"),
            ("Gro\u{df}-\nund Kleinschreibung", "Gro\u{df}-\nund Kleinschreibung"),
            ("pages 3-\n4", "pages 3-\n4"),
            ("-\na", "-\na"),
        ];
        for (page, tidied) in cases {
            assert_eq!(tidy(page), tidied, "{page:?}");
        }
    }

    #[test]
    fn pages_know_where_they_begin() {
        let pages = ["\u{e4}b", "", "c"].map(str::to_owned);
        let document = join(pages, &Limits::default()).unwrap();
        assert_eq!(document.text, "\u{e4}b\n\nc");
        let starts: Vec<_> = document.pages.iter().map(|page| (page.start, page.number)).collect();
        assert_eq!(starts, [(0, 1), (4, 3)]);
    }

    #[test]
    fn text_is_bounded_and_there_must_be_some() {
        let limits = Limits { text_bytes: 3, ..Limits::default() };
        let join = |page: &str| join([page.to_owned()], &limits).map(|document| document.text);
        assert_eq!(join("abc"), Ok("abc".to_owned()));
        assert_eq!(join("abcd"), Err(ExtractionError::TooLarge));
        assert_eq!(join(""), Err(ExtractionError::NoText));
    }

    proptest! {
        #[test]
        fn what_is_tidy_has_no_blanks_that_are_not_visible(page in "[a-c \\-\n\u{ad}\u{0}\t]{0,40}|\\PC{0,40}") {
            let tidied = tidy(&page);
            prop_assert_eq!(tidied.trim(), &tidied);
            prop_assert!(!tidied.contains("\n\n\n") && !tidied.contains("  ") && !tidied.contains('\0'));
        }
    }
}
