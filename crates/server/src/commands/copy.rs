//! `botyard copy`

use std::time::Duration;

use anyhow::{Context, Result};
use clap::error::ErrorKind;
use storage_diesel::transfer::{Progress, TransferPhase, copy_database};

use crate::cli::{Address, CopyArguments};
use crate::folder_lock::{FolderLock, folder_of};
use crate::help;
use crate::output::Output;
use crate::settings::{DatabaseUrl, Settings};
use crate::terminal_bar::TerminalBar;

/// After how many rows the bar moves.
const ROWS: u64 = 256;

/// Copies a database into an empty one, and shows what each table has.
pub fn run(output: Output, settings: &Settings, arguments: &CopyArguments) -> Result<()> {
    let CopyArguments { from, to, live } = arguments;
    let from = match from {
        Some(from) => given("--from", from),
        None => settings.direct_url(),
    };
    let to = given("--to", to);
    let _locks = claim_folders(from, to, *live)?;
    let bar = TerminalBar::begin();
    bar.enable_steady_tick(Duration::from_millis(100));
    let copied = copy_database(from, to, *live, &mut |progress| show(&bar, progress))?;
    drop(bar);
    output.list(&copied, |table| format!("{:>12}  {}", table.rows, table.table))?;
    Ok(())
}

/// The address that was typed; ends the program as wrong usage if it is none.
fn given<'a>(flag: &str, address: &'a Address) -> &'a DatabaseUrl {
    match &address.0 {
        Ok(url) => url,
        Err(complaint) => {
            let message = format!("the value of '{flag} <URL>' {complaint}\n");
            help::command().error(ErrorKind::ValueValidation, message).exit()
        }
    }
}

/// Keeps servers away from files of SQLite while they are copied. A folder that both files are in is claimed once.
fn claim_folders(from: &DatabaseUrl, to: &DatabaseUrl, live: bool) -> Result<Vec<FolderLock>> {
    let source = match from {
        DatabaseUrl::Sqlite(file) if !live && file.exists() => Some(folder_of(file)),
        DatabaseUrl::Sqlite(_) | DatabaseUrl::Postgres(_) => None,
    };
    let target = match to {
        DatabaseUrl::Sqlite(file) => Some(folder_of(file)),
        DatabaseUrl::Postgres(_) => None,
    };
    let mut locks = Vec::new();
    if let Some(source) = source {
        let lock = FolderLock::claim(source);
        locks.push(lock.context("stop the server before its database is copied, or say --live")?);
    }
    if let Some(target) = target {
        let is_claimed = source.is_some_and(|source| {
            source.canonicalize().ok().is_some_and(|real| Some(real) == target.canonicalize().ok())
        });
        if !is_claimed {
            locks.push(FolderLock::claim(target)?);
        }
    }
    Ok(locks)
}

/// Shows how far a copy is.
fn show(bar: &TerminalBar, Progress { phase, table, done, total }: Progress) {
    if done % ROWS != 1 && done != total {
        return;
    }
    bar.show(match phase {
        TransferPhase::Copying => "copying {bar:40} {pos} of {len} rows, {msg}",
        TransferPhase::Indexing => "making indexes {spinner}",
        TransferPhase::Comparing => "comparing {bar:40} {pos} of {len} rows, {msg}",
    });
    bar.set_length(total);
    bar.set_position(done);
    bar.set_message(table);
}
