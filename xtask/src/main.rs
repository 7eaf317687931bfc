//! What developers run: `cargo xtask test`, `lint`, `migrate`, `seed`, `openapi`, `clients`,
//! `bench`, `profile`, `package`.
//!
//! One file or folder per command, named after it. What several commands share lies beside them: where the workspace is
//! and how cargo is called (`workspace`), the rules that `lint` holds (`layers`, `modules`, `boundaries`, `supply`,
//! `documents`, `migrations`, `packages`), and what `test` and `bench` need (`features`, `programs`, `debian`,
//! `secrets`). `profile` lies in `bench`, whose servers and loads it uses; `clients` and `openapi --examples` use its
//! servers. The PostgreSQL that `test` and `bench` start is in the package `test-postgres`.
#![expect(clippy::print_stdout, reason = "a developer's tool talks to its terminal")]
#![expect(clippy::print_stderr, reason = "a developer's tool talks to its terminal")]

mod bench;
mod boundaries;
mod client;
mod clients;
mod debian;
mod documents;
mod examples;
mod features;
mod file_length;
mod layers;
mod lint;
mod migrate;
mod migrations;
mod modules;
mod openapi;
mod package;
mod packages;
mod programs;
mod secrets;
mod seed;
mod supply;
mod test;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Builds, checks and runs botyard while it is being worked on.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Test(test::Test),
    Lint(lint::Lint),
    Migrate(migrate::Migrate),
    Seed(seed::Seed),
    Openapi(openapi::Openapi),
    Clients(clients::Clients),
    Bench(bench::Bench),
    Profile(bench::Profile),
    Package(package::Package),
}

fn run(command: &Command) -> Result<()> {
    let workspace = Workspace::find()?;
    match command {
        Command::Test(test) => test.run(&workspace),
        Command::Lint(lint) => lint.run(&workspace),
        Command::Migrate(migrate) => migrate.run(&workspace),
        Command::Seed(seed) => seed.run(&workspace),
        Command::Openapi(openapi) => openapi.run(&workspace),
        Command::Clients(clients) => clients.run(&workspace),
        Command::Bench(bench) => bench.run(&workspace),
        Command::Profile(profile) => profile.run(&workspace),
        Command::Package(package) => package.run(&workspace),
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn every_command_explains_itself() {
        let cli = super::Arguments::command();
        cli.clone().debug_assert();
        for command in cli.get_subcommands() {
            assert!(command.get_about().is_some(), "{} has no help", command.get_name());
            for argument in command.get_arguments() {
                let known = argument.get_help().is_some();
                assert!(known, "{} {} has no help", command.get_name(), argument.get_id());
            }
        }
    }
}
