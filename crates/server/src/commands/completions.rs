//! `botyard completions`

use anyhow::Result;
use clap::{Arg, Command};
use clap_complete::generate;

use crate::cli::Shell;
use crate::help;
use crate::output::Output;

/// The command whose completions offer every setting.
const SERVE: &str = "serve";

/// Prints the completions of a shell.
pub fn run(output: Output, shell: Shell) -> Result<()> {
    let generator = match shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Fish => clap_complete::Shell::Fish,
        Shell::Zsh => clap_complete::Shell::Zsh,
    };
    let mut command = completed();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    generate(generator, &mut command, name, &mut script);
    output.line(String::from_utf8(script)?.trim_end())?;
    Ok(())
}

/// The command line as it is completed: what the help shows, and the settings for one command, because for all of
/// them they would take most of a megabyte.
fn completed() -> Command {
    let command = help::command();
    let hidden = command.get_arguments().filter(|flag| flag.is_hide_set());
    let settings: Vec<_> = hidden.map(|flag| flag.clone().hide(false)).collect();
    shown(&command).mut_subcommand(SERVE, |serve| serve.args(settings))
}

/// The command without what is hidden, which the generators would include.
fn shown(command: &Command) -> Command {
    let is_shown = |argument: &&Arg| !argument.is_hide_set();
    let subcommands = command.get_subcommands().filter(|command| !command.is_hide_set());
    Command::new(command.get_name().to_owned())
        .about(command.get_about().cloned().unwrap_or_default())
        .args(command.get_arguments().filter(is_shown).cloned())
        .subcommands(subcommands.map(shown))
}
