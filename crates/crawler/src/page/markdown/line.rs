//! The text of one block: words, the marks on them, links and pictures.

use super::escape::{self, TextPosition};
use crate::page::content::Style;
use crate::page::text::{is_blank, is_unseen};

/// A text that is being written.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    pub place: TextPosition,
    /// The marks that are open at the end of the text.
    open: Style,
    /// The code in it that is being written.
    code: String,
    /// Where the link that is open leads, and where its text begins.
    address: String,
    link_start: usize,
    /// Whether a blank comes before the next word.
    has_blank: bool,
    /// Whether a line ends before the next word.
    has_break: bool,
}

impl Line {
    /// How long it is so far.
    pub(super) const fn len(&self) -> usize {
        self.text.len() + self.code.len()
    }

    /// Whether there is nothing in it.
    pub(super) const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether nothing came after the end of a line.
    pub(super) const fn is_at_break(&self) -> bool {
        self.has_break
    }

    /// Some text. If it is in a link, that leads to the address.
    pub(super) fn text(&mut self, text: &str, style: Style, address: &str) {
        // Two codes with a blank between them are two.
        if self.open.code && !style.code && !text.is_empty() {
            self.end_code();
            self.open.code = false;
        }
        let moved = moved(text, style);
        let mut words = moved.as_deref().unwrap_or(text).split(is_blank);
        if let Some(first) = words.next() {
            self.word(first, style, address);
        }
        for word in words {
            self.has_blank = true;
            self.word(word, style, address);
        }
    }

    /// The end of a line.
    pub(super) fn line_break(&mut self) {
        match self.place {
            TextPosition::Heading => self.has_blank = true,
            TextPosition::Paragraph | TextPosition::Cell => self.has_break = !self.is_empty(),
        }
    }

    /// A picture that is not in a link.
    pub(super) fn image(&mut self, alt: &str, source: &str) {
        self.set(Style::default(), "");
        self.text.push_str("![");
        let mut words = alt.split(is_blank);
        if let Some(first) = words.next() {
            escape::word(&mut self.text, first, self.place, true);
        }
        for word in words {
            self.text.push(' ');
            escape::word(&mut self.text, word, self.place, true);
        }
        self.text.push_str("](");
        self.text.push_str(&escape::address(source));
        self.text.push(')');
    }

    /// The text, complete. The next one begins.
    pub(super) fn finish(&mut self) -> String {
        self.has_blank = false;
        self.has_break = false;
        self.set(Style::default(), "");
        std::mem::take(&mut self.text)
    }

    fn word(&mut self, word: &str, style: Style, address: &str) {
        let seen: String;
        let word = if word.contains(is_unseen) {
            seen = word.replace(is_unseen, "");
            &seen
        } else {
            word
        };
        if word.is_empty() {
            return;
        }
        self.set(style, address);
        if style.code {
            self.code.push_str(word);
        } else {
            escape::word(&mut self.text, word, self.place, style.link > 0);
        }
    }

    /// Closes the marks that the next word does not have, parts it from the one before, and opens
    /// those that it has. Marks that stay are those outside of the first that does not.
    fn set(&mut self, style: Style, address: &str) {
        let (old, new) = (self.open, style);
        let same_link = old.link == new.link;
        let same_bold = same_link && old.bold == new.bold;
        let same_italic = same_bold && old.italic == new.italic;
        let same_struck = same_italic && old.struck == new.struck;
        let goes_on_in_code = same_struck && old.code && new.code;
        if goes_on_in_code {
            if std::mem::take(&mut self.has_blank) | std::mem::take(&mut self.has_break) {
                self.code.push(' ');
            }
            return;
        }
        self.end_code();
        let mut close = |is_open: bool, mark: &str| {
            if is_open {
                self.text.push_str(mark);
            }
        };
        close(old.struck && !same_struck, "~~");
        close(old.italic && !same_italic, "*");
        close(old.bold && !same_bold, "**");
        if old.link > 0 && !same_link {
            self.end_link();
        }
        self.part();
        if new.link > 0 && !same_link {
            if self.text.ends_with('!') {
                self.text.insert(self.text.len() - 1, '\\');
            }
            self.link_start = self.text.len();
            address.clone_into(&mut self.address);
            self.text.push('[');
        }
        let mut begin = |is_open: bool, mark: &str| {
            if is_open {
                self.text.push_str(mark);
            }
        };
        begin(new.bold && !same_bold, "**");
        begin(new.italic && !same_italic, "*");
        begin(new.struck && !same_struck, "~~");
        self.open = Style { raised: false, lowered: false, ..new };
    }

    /// Parts the next word from the one before.
    fn part(&mut self) {
        let has_blank = std::mem::take(&mut self.has_blank);
        if std::mem::take(&mut self.has_break) {
            self.text.push_str(if self.place == TextPosition::Cell { "<br>" } else { "\\\n" });
        } else if has_blank && !self.text.is_empty() {
            self.text.push(' ');
        }
    }

    fn end_code(&mut self) {
        if self.code.is_empty() {
            return;
        }
        let longest = self.code.split(|char| char != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest + 1);
        let room = if self.code.starts_with('`') || self.code.ends_with('`') { " " } else { "" };
        let code = match self.place {
            TextPosition::Cell => self.code.replace('|', "\\|"),
            TextPosition::Paragraph | TextPosition::Heading => std::mem::take(&mut self.code),
        };
        self.code.clear();
        for part in [&fence, room, &code, room, &fence] {
            self.text.push_str(part);
        }
    }

    /// A link whose text is its address is written as that alone.
    fn end_link(&mut self) {
        let shown = self.text.get(self.link_start + 1..).unwrap_or_default().replace('\\', "");
        let bare = |address: &str| address.strip_prefix("mailto:").unwrap_or(address) == shown;
        if bare(&self.address) || bare(self.address.trim_end_matches('/')) {
            self.text.truncate(self.link_start);
            self.text.push('<');
            self.text.push_str(self.address.strip_prefix("mailto:").unwrap_or(&self.address));
            self.text.push('>');
        } else {
            self.text.push_str("](");
            self.text.push_str(&escape::address(&self.address));
            self.text.push(')');
        }
    }
}

/// Digits and signs that are raised or lowered, where there are characters for all of them: `m²`, `H₂O`.
fn moved(text: &str, style: Style) -> Option<String> {
    const PLAIN: &str = "0123456789+-−=()n";
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ";
    const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙ";
    let places = if style.raised {
        RAISED
    } else if style.lowered {
        LOWERED
    } else {
        return None;
    };
    let move_one = |char: char| {
        let at = PLAIN.chars().position(|plain| plain == char)?;
        places.chars().nth(at)
    };
    text.chars().map(move_one).collect()
}
