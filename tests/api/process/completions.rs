//! Completions of shells.

use std::process::Command;

use botyard_tests::{Database, Installation};

use super::command::{botyard, run_with_input};

fn script(shell: &str) -> String {
    let installation = Installation::empty(Database::Sqlite);
    botyard(&installation, &["completions", shell]).done().to_owned()
}

/// What bash offers behind these words, the last of which has only begun.
fn offered(words: &[&str]) -> Vec<String> {
    let completions = script("bash");
    let call = "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _botyard \"$1\" \"${@: -1}\" \"${@: -2:1}\"; \
                printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-s", "--"]).args(words);
    run_with_input(&mut bash, format!("{completions}\n{call}\n").as_bytes())
        .done()
        .lines()
        .map(ToOwned::to_owned)
        .collect()
}

#[test]
fn bash_completes_commands_and_flags() {
    for (words, expected) in [
        (&["botyard", "ser"][..], &["serve"][..]),
        (&["botyard", "token", "m"], &["mint"]),
        (&["botyard", "token", "mint", "--read"], &["--read-only"]),
        (&["botyard", "completions", "b"], &["bash"]),
        (&["botyard", "job", "list", "--da"], &["--data-dir", "--database-url"]),
        (
            &["botyard", "serve", "--limits-arc"],
            &[
                "--limits-archive",
                "--limits-archive-entries",
                "--limits-archive-entry",
                "--limits-archive-total",
                "--limits-archive-ratio",
                "--limits-archive-ratio-from",
                "--limits-archive-time",
            ],
        ),
    ] {
        assert_eq!(offered(words), expected, "{words:?}");
    }
}

#[test]
fn completions_offer_what_the_help_shows() {
    for (shell, begin) in
        [("bash", "_botyard()"), ("zsh", "#compdef botyard"), ("fish", "# Print an")]
    {
        let script = script(shell);
        assert!(script.starts_with(begin), "{shell}: {script}");
        for word in ["organisation", "visual-blocks", "read-only", "limits-queue"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        for hidden in ["openapi", "Print a document"] {
            assert!(!script.contains(hidden), "{shell}: {hidden}");
        }
        assert!(script.len() < 200_000, "{shell}: {} bytes", script.len());
    }
    let installation = Installation::empty(Database::Sqlite);
    let unknown = botyard(&installation, &["completions", "csh"]);
    assert!(unknown.misused().contains("[possible values: bash, zsh, fish]"), "{unknown:?}");
}
