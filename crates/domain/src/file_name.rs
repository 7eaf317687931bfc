//! Names of uploaded files: data that is stored and shown, never part of a path.

use unicode_normalization::UnicodeNormalization;

/// The longest name in bytes.
const MAX: usize = 255;
/// The longest ending, with its dot, that a name keeps when it is cut.
const ENDING_MAX: usize = 16;

/// A file's name as it is kept: in normal form C (Unicode, annex 15), without control characters and
/// separators, at most 255 bytes and then with its ending; `fallback` if nothing is left of it.
pub(crate) fn cleaned(given: Option<&str>, fallback: &str) -> String {
    let given = given.unwrap_or_default();
    // Some clients send the whole path of the file.
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_kept = |letter: &char| !letter.is_control() && !is_invisible(*letter);
    let normal: String = last.chars().filter(is_kept).nfc().collect();
    let name = normal.trim();
    if name.chars().all(|letter| letter == '.') { fallback.to_owned() } else { cut(name) }
}

/// The name, or so much of it as may be kept.
fn cut(name: &str) -> String {
    if name.len() <= MAX {
        return name.to_owned();
    }
    let ending = name.rfind('.').and_then(|at| name.get(at..)).unwrap_or_default();
    let ending = if ending.len() <= ENDING_MAX { ending } else { "" };
    let stem = name.get(..name.floor_char_boundary(MAX - ending.len())).unwrap_or_default();
    format!("{}{ending}", stem.trim_end())
}

/// Characters that only serve to make a name look like another: marks of direction and the like. The
/// joiners U+200C and U+200D are not among them, because some scripts need them.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_only_a_name() {
        for (given, kept) in [
            ("course.zip", "course.zip"),
            ("C:\\Users\\ada\\course.zip", "course.zip"),
            ("../../etc/passwd", "passwd"),
            ("a\0b\r\n\"c\".zip", "ab\"c\".zip"),
            ("u\u{308}bung.zip", "übung.zip"),
            ("u\u{200b}\u{308}.zip", "ü.zip"),
            ("gpj.\u{202e}piz", "gpj.piz"),
            ("  ", "file.zip"),
            ("..", "file.zip"),
            ("a/", "file.zip"),
            ("", "file.zip"),
        ] {
            assert_eq!(cleaned(Some(given), "file.zip"), kept, "{given:?}");
        }
        assert_eq!(cleaned(None, "file.zip"), "file.zip");
        let long = cleaned(Some(&"ü".repeat(200)), "file.zip");
        assert_eq!(long.len(), 254);
        let long = cleaned(Some(&format!("{}.md", "ü".repeat(200))), "file.zip");
        assert_eq!(long, format!("{}.md", "ü".repeat(126)));
        let long = cleaned(Some(&format!("a.{}", "b".repeat(300))), "file.zip");
        assert_eq!(long, format!("a.{}", "b".repeat(253)));
    }
}
