//! JSON: text, whose lines say how deep it goes. What came in a single line gets some.

use domain::document::ExtractionError;

use super::error::ReadError;
use super::{Input, ReadOptions, text};
use crate::document::Document;

/// A text whose lines are longer than this on average has none that would help anybody.
const LINE_MAX: usize = 500;
/// Deeper lines are not indented any more.
const DEPTH_MAX: usize = 16;

pub(super) fn read(file: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    let json = text::decode(file, &options.limits)?;
    let lines = json.trim().lines().count();
    if json.len() <= lines.saturating_mul(LINE_MAX) {
        return Ok(Document { text: json, ..Document::default() });
    }
    let text = laid_out(&json, options.limits.text_bytes)?;
    Ok(Document { text, ..Document::default() })
}

/// The same with line breaks. Goes by the characters alone, so that nothing is built of them in memory,
/// and what is not quite JSON stays readable.
fn laid_out(json: &str, limit: u64) -> Result<String, ExtractionError> {
    let mut text = String::with_capacity(json.len());
    let mut depth: usize = 0;
    let (mut is_string, mut is_escaped) = (false, false);
    let mut chars = json.chars().peekable();
    while let Some(char) = chars.next() {
        if is_string {
            text.push(char);
            is_string = is_escaped || char != '"';
            is_escaped = !is_escaped && char == '\\';
            continue;
        }
        match char {
            '{' | '[' => {
                depth += 1;
                text.push(char);
                while chars.next_if(|next| next.is_whitespace()).is_some() {}
                if !chars.peek().is_some_and(|next| matches!(next, '}' | ']')) {
                    line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if !text.ends_with(['{', '[']) {
                    line(&mut text, depth);
                }
                text.push(char);
            }
            ',' => {
                text.push(char);
                line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            '\n' if depth == 0 => line(&mut text, 0),
            _ if char.is_whitespace() => {}
            _ => {
                is_string = char == '"';
                text.push(char);
            }
        }
        if text.len() as u64 > limit {
            return Err(ExtractionError::TooLarge);
        }
    }
    Ok(text)
}

fn line(text: &mut String, depth: usize) {
    text.push('\n');
    text.push_str(&"  ".repeat(depth.min(DEPTH_MAX)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn json_gets_lines() {
        let json = r#"{"a":[1,{"b":"x,\"{y\\"},[],{ }],"c":null}"#;
        let expected = "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x,\\\"{y\\\\\"\n    },\n    \
            [],\n    {}\n  ],\n  \"c\": null\n}";
        assert_eq!(laid_out(json, 1_000).unwrap(), expected);
        assert_eq!(laid_out(json, 20), Err(ExtractionError::TooLarge));
    }

    #[test]
    fn depth_costs_no_more_than_its_brackets() {
        let deep = "[".repeat(100_000);
        assert!(laid_out(&deep, 20 << 20).unwrap().len() < 40 * deep.len());
    }

    proptest! {
        #[test]
        fn what_it_says_stays(texts in proptest::collection::vec("\\PC{0,9}", 0..9)) {
            let value = serde_json::json!({"a": texts, "b": {"c": [[], {}, 1.5, true]}});
            let text = laid_out(&value.to_string(), 1 << 20).unwrap();
            prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        }

        #[test]
        fn nothing_makes_it_panic(json in "[\\[\\]{}\",:a \\\\\n]{0,40}") {
            let _ = laid_out(&json, 1 << 20);
        }
    }
}
