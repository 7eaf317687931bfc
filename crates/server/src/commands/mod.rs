//! The commands, a file each.

mod audit;
mod backup;
mod bot;
mod check;
mod completions;
mod config;
mod copy;
mod docs;
mod import;
mod job;
mod man;
mod migrate;
mod organisation;
mod project;
mod remote;
mod secrets;
mod seed;
mod serve;
mod token;

use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use domain::audit::AuditActor;
use domain::blob::NoBlobs;
use domain::document::NoExtractor;
use domain::{Botyard, DomainError};

use crate::cli::{Command, PrintCommand};
use crate::composition;
use crate::help;
use crate::log_buffer::LogBuffer;
use crate::outgoing::Outgoing;
use crate::output::Output;
use crate::settings::{Loaded, Settings};

/// Does what was typed if that needs no settings, so that wrong ones are no obstacle; `None` if it does.
pub fn run_without_settings(output: Output, command: &Command) -> Option<Result<()>> {
    if let Command::Print(command) = command {
        return Some(print(output, command));
    }
    if let Command::Remote(arguments) = command {
        return Some(remote::run(output, arguments));
    }
    matches!(command, Command::Config { toml: true }).then(|| config::print_template(output))
}

fn print(output: Output, command: &PrintCommand) -> Result<()> {
    match command {
        PrintCommand::Completions { shell } => completions::run(output, *shell),
        PrintCommand::Settings => {
            Ok(output.line(help::settings().render_help().to_string().trim_end())?)
        }
        PrintCommand::Docs(command) => docs::run(output, command),
    }
}

/// Does what was typed, for whom the audit log is to name; returns the exit code.
///
/// # Errors
/// Why it could not be done, in one line.
pub async fn run(
    output: Output,
    command: Command,
    loaded: Loaded,
    (actor, log): (&AuditActor, &LogBuffer),
) -> Result<ExitCode> {
    let settings = &loaded.settings;
    let with_services = WithServices { settings, actor };
    let done = match command {
        Command::Check(arguments) => return check::run(output, settings, &arguments, actor).await,
        Command::Backup(arguments) => backup::run(output, settings, arguments).await,
        Command::Restore(arguments) => backup::restore(output, settings, &arguments, actor).await,
        Command::Remote(arguments) => remote::work(output, &arguments).await,
        Command::Config { toml: _ } => config::run(output, &loaded.rows),
        Command::Print(command) => print(output, &command),
        Command::Serve { seed } => serve::run(output, loaded, seed, (actor, log)).await,
        Command::Migrate { status } => migrate::run(output, settings, status, actor).await,
        Command::Copy(arguments) => copy::run(output, settings, &arguments),
        Command::Seed { env } => seed::run(output, &loaded, env, actor).await,
        Command::Organisation(command) => {
            with_services.run(|botyard| organisation::run(output, botyard, command)).await
        }
        Command::Project(command) => {
            with_services.run(|botyard| project::run(output, botyard, command)).await
        }
        Command::Token(command) => {
            with_services.run(|botyard| token::run(output, botyard, command)).await
        }
        Command::Bot(command) => {
            with_services.run(|botyard| bot::run(output, botyard, command)).await
        }
        Command::Job(command) => {
            with_services.run(|botyard| job::run(output, botyard, command)).await
        }
        Command::Secrets(command) => {
            with_services.run(|botyard| secrets::run(output, botyard, settings, command)).await
        }
        Command::Audit { since } => {
            with_services.run(|botyard| audit::run(output, botyard, since)).await
        }
        Command::Import(command) => {
            with_services.run(|botyard| import::run(output, botyard, command)).await
        }
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// The exit code of a command that could not be done.
pub const fn failure(command: &Command) -> u8 {
    if matches!(command, Command::Check(_)) { check::CHECK_FAILED } else { 1 }
}

/// Runs commands that have nothing to do with files or the web.
struct WithServices<'a> {
    settings: &'a Settings,
    actor: &'a AuditActor,
}

impl WithServices<'_> {
    /// Runs one on the services, and closes the database after it.
    async fn run<F>(self, command: impl FnOnce(Botyard) -> F) -> Result<()>
    where
        F: Future<Output = Result<()>>,
    {
        let (blobs, extractor) = (Arc::new(NoBlobs), Arc::new(NoExtractor));
        let composition = composition::open(self.settings, blobs, Outgoing::none(), extractor)?;
        let composition = composition.acting_for(self.actor);
        let done = command(composition.botyard.clone()).await;
        composition.store.close();
        done.map_err(with_violations)
    }
}

/// An error that says what is wrong with the input, flag by flag.
fn with_violations(error: anyhow::Error) -> anyhow::Error {
    let Some(DomainError::Invalid(violations)) = error.downcast_ref() else {
        return error;
    };
    let violations: Vec<_> = violations
        .iter()
        .map(|violation| {
            format!("--{}: {}", violation.pointer.trim_start_matches('/'), violation.message)
        })
        .collect();
    anyhow::Error::msg(violations.join(" "))
}
