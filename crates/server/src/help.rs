//! The command line as a whole: the commands of [`Cli`] with the flags of the settings, and what their help shows.

use clap::{Command, CommandFactory as _};

use crate::cli::Cli;
use crate::settings;

/// The command that lists the settings. It is called as `botyard help settings`.
const SETTINGS: &str = "settings";
const FOOTNOTE: &str = "Every setting is a flag; `botyard help settings` shows all of them.";
const FOOTNOTE_OF_SETTINGS: &str = "\
Each is a variable as well, as --limits-queue is BOTYARD_LIMITS__QUEUE, and a line of botyard.toml.
`botyard config --toml` prints such a file that has all of them, `botyard config` those in force.";

/// All commands. Each takes a flag for every setting, and its help shows the few that people need first.
pub fn command() -> Command {
    let command = with_footnote(Cli::command()).args(settings::flags());
    command.mut_subcommand(SETTINGS, |page| {
        page.args(settings::listed_flags())
            .override_usage("botyard <COMMAND> [--<SETTING> <VALUE>]...")
            .after_help(FOOTNOTE_OF_SETTINGS)
    })
}

fn with_footnote(command: Command) -> Command {
    command.after_help(FOOTNOTE).mut_subcommands(with_footnote)
}

/// The command that lists the settings.
pub fn settings() -> Command {
    let mut command = command();
    command.build();
    command.find_subcommand(SETTINGS).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn the_page_of_settings_shows_each_of_them() {
        let page = super::settings().render_help().to_string();
        for flag in settings::listed_flags() {
            let long = flag.get_long().unwrap();
            assert!(page.contains(&format!("      --{long} <")), "--{long} in {page}");
        }
    }
}
