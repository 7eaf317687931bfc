//! `--help` of every command, and what is said of one that is mistyped.

use std::collections::BTreeSet;

use botyard_tests::{Database, Installation};

use super::command::botyard;

/// Every command of the contract that is there.
pub(super) const COMMANDS: [&[&str]; 35] = [
    &["serve"],
    &["migrate"],
    &["copy"],
    &["seed"],
    &["organisation", "create"],
    &["organisation", "list"],
    &["project", "create"],
    &["project", "list"],
    &["token", "mint"],
    &["token", "list"],
    &["token", "revoke"],
    &["bot", "list"],
    &["bot", "restore"],
    &["job", "list"],
    &["job", "retry"],
    &["secrets", "rotate"],
    &["audit"],
    &["import", "history"],
    &["import", "usage"],
    &["import", "feedback"],
    &["import", "keyval"],
    &["import", "users"],
    &["import", "visual-blocks"],
    &["check"],
    &["backup", "verify"],
    &["backup", "list"],
    &["backup", "prune"],
    &["restore"],
    &["remote", "token"],
    &["remote", "bots"],
    &["remote", "documents"],
    &["remote", "upload"],
    &["remote", "download"],
    &["config"],
    &["completions"],
];

/// What the help of every command shows.
const SHOWN_EVERYWHERE: [&str; 5] =
    ["--json", "--config", "--listen", "--data-dir", "--database-url"];

fn help(path: &[&str], flag: &str) -> String {
    let installation = Installation::empty(Database::Sqlite);
    botyard(&installation, &[path, &[flag]].concat()).done().to_owned()
}

/// Name and description of each subcommand that a help text lists.
fn subcommands(help: &str) -> Vec<(String, String)> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    lines
        .map(|line| {
            let (name, description) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
            (name.to_owned(), description.trim().to_owned())
        })
        .filter(|(name, _)| name != "help")
        .collect()
}

/// Each flag and argument in a short help text, with its description.
fn options(help: &str) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    for line in help.lines() {
        let text = line.trim_start();
        let begins = line.starts_with(' ') && (text.starts_with('-') || text.starts_with('<'));
        match (begins, options.last_mut()) {
            (true, _) => {
                let (name, description) = text.split_once("  ").unwrap_or((text, ""));
                options.push((name.to_owned(), description.trim().to_owned()));
            }
            (false, Some((_, description))) if line.starts_with(' ') => description.push_str(text),
            (false, _) => {}
        }
    }
    options
}

/// The long name of a flag as a help text has it, such as `-h, --help` or `--listen <ADDRESS:PORT>`.
fn long(name: &str) -> Option<&str> {
    name.split(' ').find(|word| word.starts_with("--"))
}

/// Whether a flag or an argument is among these.
fn shows(options: &[(String, String)], flag: &str) -> bool {
    options.iter().any(|(name, _)| long(name) == Some(flag) || name == flag)
}

/// The commands that lead to no other, as the help texts tell them.
fn leaves(path: &[String], found: &mut Vec<Vec<String>>) {
    let words: Vec<_> = path.iter().map(String::as_str).collect();
    let below = subcommands(&help(&words, "-h"));
    for (name, description) in &below {
        assert!(description.len() > 15, "{path:?} {name} is not described");
        leaves(&[path, std::slice::from_ref(name)].concat(), found);
    }
    if below.is_empty() {
        found.push(path.to_vec());
    }
}

#[test]
fn the_help_leads_to_every_command() {
    let mut found = Vec::new();
    leaves(&[], &mut found);
    let expected: Vec<Vec<String>> =
        COMMANDS.iter().map(|path| path.iter().map(ToString::to_string).collect()).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_help_of_a_command_says_what_it_does_and_what_each_flag_means() {
    for path in COMMANDS {
        let short = help(path, "-h");
        let first = short.lines().next().unwrap_or_default();
        assert!(first.len() > 15 && !first.starts_with("Usage"), "{path:?}: {first}");
        let usage = format!("\nUsage: botyard {}", path.join(" "));
        assert!(short.contains(&usage), "{path:?}: {short}");
        let options = options(&short);
        for flag in SHOWN_EVERYWHERE {
            assert!(shows(&options, flag), "{path:?}: {flag}");
        }
        for (name, description) in options {
            assert!(description.len() > 5, "{path:?}: {name} is not described");
        }
        assert_eq!(help(path, "--help"), short, "{path:?}");
    }
}

#[test]
fn the_help_of_a_command_shows_its_own_flags_and_three_settings() {
    let shown = options(&help(&["job", "list"], "--help"));
    let shown: BTreeSet<_> = shown.iter().filter_map(|(name, _)| long(name)).collect();
    assert_eq!(shown, SHOWN_EVERYWHERE.into_iter().chain(["--help", "--version"]).collect());
}

#[test]
fn all_settings_are_on_a_page_of_their_own_and_are_flags_of_every_command() {
    let installation = Installation::empty(Database::Sqlite);
    let settings = botyard(&installation, &["config", "--json"]).json();
    let page = botyard(&installation, &["help", "settings"]);
    for other in [&["settings"][..], &["settings", "--help"]] {
        assert_eq!(botyard(&installation, other).done(), page.done());
    }
    let listed = options(page.done());
    for setting in settings.as_array().unwrap() {
        let flag = setting["name"].as_str().unwrap().replace(['.', '_'], "-");
        assert!(shows(&listed, &format!("--{flag}")), "{flag}");
    }
    let changed = botyard(&installation, &["config", "--limits-queue", "7", "--json"]).json();
    let queue = changed.as_array().unwrap().iter().find(|row| row["name"] == "limits.queue");
    assert_eq!(queue.unwrap()["origin"], "flag --limits-queue");
}

#[test]
fn flags_of_single_commands_are_shown() {
    for (path, flags) in [
        (&["serve"][..], &["--seed"][..]),
        (&["seed"], &["--env"]),
        (&["migrate"], &["--status"]),
        (&["copy"], &["--from", "--to", "--live"]),
        (&["check"], &["--content", "--repair"]),
        (&["backup", "prune"], &["<TO>", "--keep"]),
        (&["restore"], &["<BACKUP>"]),
        (&["organisation", "create"], &["--name"]),
        (&["project", "create"], &["--name", "--organisation"]),
        (
            &["token", "mint"],
            &["--project", "--bot", "--name", "--scopes", "--read-only", "--expires-in"],
        ),
        (&["token", "revoke"], &["<ID>"]),
        (&["bot", "list"], &["--project", "--all"]),
        (&["bot", "restore"], &["<ID>"]),
        (&["job", "retry"], &["<ID>"]),
        (&["secrets", "rotate"], &["--lost"]),
        (&["import", "keyval"], &["--bot", "--project", "<FILE>"]),
        (&["import", "history"], &["--bot", "<FILE>"]),
    ] {
        let options = options(&help(path, "-h"));
        for flag in flags {
            assert!(shows(&options, flag), "{flag} in {options:?}");
        }
    }
}

#[test]
fn what_is_typed_wrongly_is_wrong_usage() {
    let installation = Installation::empty(Database::Sqlite);
    for (arguments, word) in [
        (&[][..], "Usage"),
        (&["sreve"], "sreve"),
        (&["serve", "--listn", "127.0.0.1:0"], "--listen"),
        (&["serve", "now"], "now"),
        (&["migrate", "--status=maybe"], "maybe"),
        (&["organisation"], "Usage"),
        (&["organisation", "create"], "--name"),
        (&["organisation", "create", "--name"], "--name"),
        (&["organisation", "create", "--name", "a", "--name", "b"], "--name"),
        (&["project", "create", "--name", "P", "--organisation", "x"], "--organisation"),
        (&["config", "--json=yes"], "--json"),
    ] {
        let ran = botyard(&installation, arguments);
        assert!(ran.misused().contains(word), "{arguments:?}: {ran:?}");
    }
    let left: Vec<_> = installation.data_dir().read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_version_is_shown() {
    let installation = Installation::empty(Database::Sqlite);
    let ran = botyard(&installation, &["--version"]);
    assert_eq!(ran.done(), format!("botyard {}\n", env!("CARGO_PKG_VERSION")));
}
