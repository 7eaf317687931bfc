//! The binary `botyard`: one program that serves the API, and the commands of the person who runs it.
//!
//! [`cli`] says what can be typed and [`help`] what of it the help shows, `commands/` has a file for each,
//! [`settings`] says where settings come from, and [`composition`] puts the parts together. Results go to standard
//! output, logs and errors to standard error; the exit code is 0 when done, 1 when failed, 2 for wrong usage. `check`
//! has exit codes of its own.
//!
//! Documents are read by this program, too: called as a worker (`extracting`), it is nothing else.

mod actor;
mod backup;
mod cli;
mod command_line;
mod commands;
mod composition;
mod counted_sender;
mod encryption;
mod extracting;
mod folder_lock;
mod help;
mod installation;
mod job_runner;
mod log_buffer;
mod log_line;
mod logging;
mod monitoring;
mod operator;
mod outgoing;
mod output;
mod pages;
mod priority;
#[cfg(feature = "otlp")]
mod request_spans;
mod seed;
mod settings;
mod terminal_bar;
mod upkeep;
mod webhooks;

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use domain::access::contains_token;

use crate::cli::Cli;
use crate::output::Output;

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // Ahead of everything: a worker must have nothing that a document could take over.
    if let Some(ended) = extracting::work() {
        return ended;
    }
    // Ahead of the command line, whose complaints repeat what was typed.
    if std::env::args_os().any(|argument| contains_token(argument.as_bytes())) {
        return output::refuse_token();
    }
    let matches = help::command().get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let output = Output::new(cli.json);
    if let Some(done) = commands::run_without_settings(output, &cli.command) {
        return done.map_or_else(
            |error| {
                output.fail(&error);
                ExitCode::FAILURE
            },
            |()| ExitCode::SUCCESS,
        );
    }
    let actor = actor::of_this_process(&matches);
    let failure = ExitCode::from(commands::failure(&cli.command));
    let fail = |error: &anyhow::Error| {
        output.fail(error);
        failure
    };
    let loaded = match settings::load(&matches, std::env::vars_os(), Path::new("")) {
        Ok(loaded) => loaded,
        Err(error) => return fail(&error.into()),
    };
    let log = match logging::start(&loaded.settings) {
        Ok(log) => log,
        Err(error) => return fail(&error),
    };
    let done = actix_web::rt::System::new().block_on(commands::run(
        output,
        cli.command,
        loaded,
        (&actor, &log.buffer),
    ));
    let is_read = log.end();
    match done {
        Ok(code) => code,
        Err(error) if is_read => fail(&error),
        // Writing to standard error would wait for ever.
        Err(_) => failure,
    }
}
