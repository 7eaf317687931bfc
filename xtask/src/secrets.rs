//! Looks for secrets in what the servers of the tests wrote to their logs.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use anyhow::{Context as _, Result};

/// Every bot password in the tests begins with this.
const PASSWORD_MARKER: &[u8] = b"botpw-";
/// A token is one of these and so many letters and digits.
const TOKEN_PREFIXES: [&[u8]; 3] = [b"byb_", b"byp_", b"byt_"];
const TOKEN_LENGTH: usize = 49;

/// What a search went through and what it found.
#[derive(Debug, Default)]
pub struct Search {
    pub files: usize,
    /// File, line and kind of each secret; never the secret itself.
    pub findings: Vec<String>,
}

/// Searches every file in and below `folder`.
pub fn search(folder: &Path) -> Result<Search> {
    let mut search = Search::default();
    search.folder(folder)?;
    Ok(search)
}

impl Search {
    fn folder(&mut self, folder: &Path) -> Result<()> {
        let context = || format!("{} can't be read", folder.display());
        for entry in fs::read_dir(folder).with_context(context)? {
            let path = entry.with_context(context)?.path();
            if path.is_dir() {
                self.folder(&path)?;
            } else {
                self.file(&path).with_context(|| format!("{} can't be read", path.display()))?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<()> {
        self.files += 1;
        let mut reader = BufReader::new(File::open(path)?);
        let mut line = Vec::new();
        let mut number = 0_usize;
        while reader.read_until(b'\n', &mut line)? > 0 {
            number += 1;
            if let Some(kind) = secret(&line) {
                self.findings.push(format!("{}:{number}: {kind}", path.display()));
            }
            line.clear();
        }
        Ok(())
    }
}

/// The kind of secret that stands in a line, if there is one.
fn secret(line: &[u8]) -> Option<&'static str> {
    let mut rest = line;
    while !rest.is_empty() {
        if begins_with_token(rest) {
            return Some("a token");
        }
        if rest.starts_with(PASSWORD_MARKER) {
            return Some("a bot password");
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    None
}

fn begins_with_token(text: &[u8]) -> bool {
    TOKEN_PREFIXES.iter().any(|prefix| {
        text.strip_prefix(*prefix)
            .and_then(|rest| rest.get(..TOKEN_LENGTH))
            .is_some_and(|body| body.iter().all(u8::is_ascii_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(prefix: &str, length: usize) -> String {
        format!("{prefix}{}", "aZ9".chars().cycle().take(length).collect::<String>())
    }

    #[test]
    fn tokens_of_both_schemes_are_found_wherever_they_stand() {
        for prefix in ["byb_", "byp_"] {
            let token = token(prefix, TOKEN_LENGTH);
            for line in [
                token.clone(),
                format!("{{\"key\":\"{token}\"}}\n"),
                format!("byb_byb_{token} and more"),
                format!("{token}tail"),
            ] {
                assert_eq!(secret(line.as_bytes()), Some("a token"), "{line}");
            }
        }
    }

    #[test]
    fn what_only_looks_like_a_token_is_none() {
        for line in [
            token("byb_", TOKEN_LENGTH - 1),
            token("byc_", TOKEN_LENGTH),
            format!("{}-{}", token("byp_", 20), token("", 40)),
            "byb_****3f9a".to_owned(),
            String::new(),
        ] {
            assert_eq!(secret(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn the_password_marker_is_found() {
        assert_eq!(secret(b"set to botpw-1\xff"), Some("a bot password"));
    }

    #[test]
    fn file_and_line_are_named_but_not_the_secret() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        let token = token("byp_", TOKEN_LENGTH);
        fs::write(folder.path().join("clean.log"), "nothing\n").unwrap();
        let leaky = folder.path().join("sub/leaky.log");
        fs::write(&leaky, format!("fine\n{token}\nbotpw-x")).unwrap();

        let found = search(folder.path()).unwrap();

        let leaky = leaky.display();
        assert_eq!(found.files, 2);
        assert_eq!(
            found.findings,
            [format!("{leaky}:2: a token"), format!("{leaky}:3: a bot password")]
        );
    }
}
