//! Command lines that are printed, to be copied into a shell.

/// How this program is called again, on the same data.
pub struct CommandLine {
    program: String,
    data_flags: Vec<String>,
}

impl CommandLine {
    /// As this process was called. `data_flags` are those that lead to its data.
    pub fn of_this_process(data_flags: Vec<String>) -> Self {
        let program = std::env::args_os().next().map(|name| name.to_string_lossy().into_owned());
        Self { program: program.unwrap_or_else(|| "botyard".to_owned()), data_flags }
    }

    /// The line that runs a command.
    pub fn of(&self, command: &[&str]) -> String {
        let flags = self.data_flags.iter().map(String::as_str);
        let words = std::iter::once(self.program.as_str()).chain(command.iter().copied());
        words.chain(flags).map(quoted).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_the_words_as_they_were() {
        for word in ["", "a", "a b", "it's", "'", "$HOME `x` \"\\", "--flag=x", "é", "a\nb", "*"] {
            let mut shell = Command::new("sh");
            let printed = shell.args(["-c", &format!("printf %s {}", quoted(word))]).output();
            assert_eq!(printed.unwrap().stdout, word.as_bytes(), "{word}");
        }
        assert_eq!(quoted("postgres://a@b:1/c"), "postgres://a@b:1/c");
    }

    #[test]
    fn a_command_line_leads_to_the_same_data() {
        let data_flags = ["--data-dir", "a b"].map(ToOwned::to_owned).to_vec();
        let line = CommandLine { program: "target/release/botyard".to_owned(), data_flags };
        let mint = line.of(&["token", "mint", "--name", "Ada's"]);
        assert_eq!(mint, r"target/release/botyard token mint --name 'Ada'\''s' --data-dir 'a b'");
    }
}
