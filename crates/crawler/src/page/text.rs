//! Plain text and Markdown, kept as they are but for what no reader wants to get.

use super::Read;

/// How many characters a title has at most.
const TITLE_MAX: usize = 300;

/// A plain text.
pub(super) fn plain(text: &str) -> Read {
    Read { markdown: clean(text), ..Read::default() }
}

/// A Markdown text. Its first heading of the first level is its title.
pub(super) fn markdown(text: &str) -> Read {
    let markdown = clean(text);
    let mut is_code = false;
    let heading = markdown.lines().find_map(|line| {
        is_code ^= line.starts_with("```") || line.starts_with("~~~");
        line.strip_prefix("# ").filter(|_| !is_code)
    });
    let title = heading.and_then(|heading| title(heading.trim_end_matches([' ', '#'])));
    Read { title, markdown, ..Read::default() }
}

/// The text with newlines alone between lines, without control characters, which a database may
/// refuse and a reader does not see.
fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_seen = |char: &char| !char.is_ascii_control() || matches!(char, '\n' | '\t');
    let text: String = text.chars().filter(is_seen).collect();
    text.trim_start_matches('\n').trim_end().to_owned()
}

/// The text on one line, with one blank where there was white space, and without what is not seen.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(4_096));
    for word in text.split(is_blank).filter(|word| !word.is_empty()) {
        let length = line.len();
        if length > 0 {
            line.push(' ');
        }
        line.extend(word.chars().filter(|char| !is_unseen(*char)));
        if length > 0 && line.len() == length + 1 {
            line.pop();
        }
    }
    line
}

/// A title: one line, not too long, or none.
pub(super) fn title(text: &str) -> Option<String> {
    let mut line = one_line(text);
    if let Some((end, _)) = line.char_indices().nth(TITLE_MAX) {
        line.truncate(end);
        line.truncate(line.trim_end().len());
        // A title is kept longer than its page, and so should not keep the room of a long one.
        line.shrink_to_fit();
    }
    Some(line).filter(|line| !line.is_empty())
}

/// Whether it only parts words. A blank that forbids to break the line parts them as well.
pub(super) const fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\n' | '\r' | '\x0c' | '\u{a0}')
}

/// Whether it takes no room: control characters, marks where a word may be broken, byte order marks.
pub(super) const fn is_unseen(char: char) -> bool {
    matches!(char, '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{ad}' | '\u{200b}' | '\u{feff}')
}

/// The same for code, in which tabs and newlines take room.
pub(super) const fn is_unseen_in_code(char: char) -> bool {
    is_unseen(char) && !matches!(char, '\t' | '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_as_they_are_without_what_is_not_seen() {
        let read = plain("\u{feff}one\r\ntwo\rthree\0\x07\n\n\n  four\t \n");
        assert_eq!(read.markdown, "\u{feff}one\ntwo\nthree\n\n\n  four");
        assert_eq!(read.title, None);
        assert_eq!(plain(" \n\0").markdown, "");
    }

    #[test]
    fn the_title_of_markdown_is_its_first_heading() {
        let read = markdown("intro\n\n```sh\n# no\n```\n\n## two\n\n# The  title #\n\n# Other\n");
        assert_eq!(read.title.as_deref(), Some("The title"));
        assert_eq!(markdown("#hashtag").title, None);
        assert_eq!(markdown(&format!("# {}", "ä".repeat(999))).title.unwrap(), "ä".repeat(300));
    }

    #[test]
    fn a_line_has_single_blanks() {
        assert_eq!(one_line(" a\n\u{a0}b\u{ad}c \u{200b} d\0 "), "a bc d");
        assert_eq!(one_line("\u{200b}"), "");
    }
}
