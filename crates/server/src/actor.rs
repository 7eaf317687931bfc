//! For whom this process acts, as the audit log names them.

use std::env;

use clap::ArgMatches;
use domain::audit::AuditActor;
use nix::unistd::{Uid, User, gethostname};

/// Characters of a name; Linux allows 32.
const LONGEST_NAME: usize = 64;

/// The system's user of this process, with the command that was typed.
pub fn of_this_process(matches: &ArgMatches) -> AuditActor {
    let uid = Uid::effective();
    let user = User::from_uid(uid).ok().flatten();
    let host = gethostname().ok().map(|host| host.to_string_lossy().into_owned());
    AuditActor {
        command: words(matches),
        uid: uid.as_raw(),
        user_name: user.map_or_else(|| uid.to_string(), |user| user.name),
        // A person can set it to anything, but then the log of `sudo` says otherwise.
        sudo_user: env::var("SUDO_USER")
            .ok()
            .map(|user| shown(&user))
            .filter(|user| !user.is_empty()),
        host: host.unwrap_or_default(),
    }
}

/// The beginning of a name that comes from outside, without what would forge or garble a line on a terminal.
fn shown(name: &str) -> String {
    name.chars().filter(|letter| !letter.is_control()).take(LONGEST_NAME).collect()
}

/// The words of a command, such as `token mint`, without its arguments.
fn words(matches: &ArgMatches) -> String {
    let mut words = Vec::new();
    let mut next = matches.subcommand();
    while let Some((word, matches)) = next {
        words.push(word);
        next = matches.subcommand();
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help;

    #[test]
    fn a_name_from_outside_is_one_short_line() {
        assert_eq!(shown("zoë"), "zoë");
        assert_eq!(shown("ada\n2026-11-25  token mint\u{1b}[2J"), "ada2026-11-25  token mint[2J");
        assert_eq!(shown(&"x".repeat(1000)).len(), LONGEST_NAME);
    }

    #[test]
    fn a_command_is_named_without_its_arguments() {
        for (line, expected) in [
            (
                "botyard token mint --name n --scopes all --bot 01a20b5b-3e17-73d5-b911-44c802067491",
                "token mint",
            ),
            ("botyard --json migrate --status", "migrate"),
        ] {
            let matches = help::command().try_get_matches_from(line.split(' ')).unwrap();
            assert_eq!(words(&matches), expected);
        }
    }
}
