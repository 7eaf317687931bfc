//! Names and comments of Rust.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// How wide a comment is, its indentation not counted.
const WIDTH: usize = 96;

/// `createBot` and `Key-value entry` as `create_bot` and `key_value_entry`.
pub fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_alphanumeric() {
            if letter.is_uppercase() && before != '_' && !before.is_uppercase() {
                snake.push('_');
            }
            snake.extend(letter.to_lowercase());
            before = letter;
        } else if before != '_' {
            snake.push('_');
            before = '_';
        }
    }
    snake
}

/// `out_of_range` and `gpt-5.1` as `OutOfRange` and `Gpt51`.
pub fn pascal_case(name: &str) -> String {
    let mut pascal = String::new();
    for word in name.split(|letter: char| !letter.is_alphanumeric()) {
        let mut letters = word.chars();
        pascal.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        pascal.push_str(letters.as_str());
    }
    pascal
}

/// The name of a field or an argument: words of the language are written `r#type`.
pub fn identifier(name: &str) -> String {
    let name = snake_case(name);
    if matches!(name.as_str(), "type" | "in" | "for" | "ref" | "use") {
        format!("r#{name}")
    } else {
        name
    }
}

/// A comment that documents what comes next.
pub fn comment(text: &str) -> String {
    let mut lines = String::new();
    for paragraph in text.split("\n\n") {
        if !lines.is_empty() {
            lines.push_str("///\n");
        }
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.len() + word.len() + 1 > WIDTH {
                lines.push_str(&format!("/// {line}\n"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push_str(&format!("/// {line}\n"));
    }
    lines
}

/// The code as `cargo fmt` writes it.
pub fn formatted(code: String, root: &std::path::Path) -> Result<String> {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("rustfmt can't be started")?;
    let mut input = child.stdin.take().context("rustfmt")?;
    // Written beside the reading: rustfmt answers when it has everything, so neither waits for the other.
    let writer = std::thread::spawn(move || std::io::Write::write_all(&mut input, code.as_bytes()));
    let output = child.wait_with_output().context("rustfmt")?;
    writer.join().ok().context("rustfmt")??;
    if !output.status.success() {
        bail!("rustfmt can't read the code of the client");
    }
    String::from_utf8(output.stdout).context("rustfmt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_rust() {
        assert_eq!(snake_case("createBot"), "create_bot");
        assert_eq!(snake_case("Key-value entry"), "key_value_entry");
        assert_eq!(snake_case("_id"), "id");
        assert_eq!(snake_case("listUsersInOrganisation"), "list_users_in_organisation");
        assert_eq!(pascal_case("out_of_range"), "OutOfRange");
        assert_eq!(pascal_case("bot:read"), "BotRead");
        assert_eq!(identifier("type"), "r#type");
    }

    #[test]
    fn comments_are_broken_at_words() {
        let long = "word ".repeat(30);
        let comment = comment(&format!("First.\n\n{long}"));
        assert!(comment.starts_with("/// First.\n///\n/// word"), "{comment}");
        assert!(comment.lines().all(|line| line.len() <= WIDTH + 4), "{comment}");
        assert_eq!(comment.matches("word").count(), 30);
    }
}
