//! A command that is run by another program, such as one that limits it.

use std::process::Command;

/// `wrapper`, which becomes the program of `command`: its name and its arguments stand behind those of the wrapper.
/// Environment and working directory are those of `command`.
#[must_use]
pub fn wrapped(mut wrapper: Command, command: &Command) -> Command {
    wrapper.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapper.env(name, value),
            None => wrapper.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        wrapper.current_dir(folder);
    }
    wrapper
}
