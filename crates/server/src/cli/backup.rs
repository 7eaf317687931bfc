//! What the command line says of backups.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Where a backup goes, or what to do with those that are there.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct BackupArguments {
    /// The folder for backups, which is made if it is missing. Those that are in it share their files.
    #[arg(value_name = "TO", required = true)]
    pub to: Option<PathBuf>,
    /// What to do with backups that are there.
    #[command(subcommand)]
    pub command: Option<BackupCommand>,
}

/// What to do with backups that are there.
#[derive(Debug, Subcommand)]
pub enum BackupCommand {
    /// Read a backup again, and compare every byte with its manifest.
    Verify {
        /// The backup, such as `TO/2026-11-25T10-15-00Z`.
        #[arg(value_name = "BACKUP")]
        backup: PathBuf,
    },
    /// List backups, oldest first.
    List {
        /// The folder for backups.
        #[arg(value_name = "TO")]
        folder: PathBuf,
    },
    /// Remove old backups, and the files that no other backup has.
    Prune {
        /// The folder for backups.
        #[arg(value_name = "TO")]
        folder: PathBuf,
        /// How many backups stay.
        #[arg(long, value_name = "COUNT")]
        keep: NonZeroUsize,
    },
}

/// What to restore.
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// The backup, such as `TO/2026-11-25T10-15-00Z`.
    #[arg(value_name = "BACKUP")]
    pub backup: PathBuf,
}
