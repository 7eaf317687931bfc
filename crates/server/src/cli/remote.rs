//! What the command line says of a project on a server elsewhere.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use uuid::Uuid;

/// Where a project is, and what to do there.
#[derive(Debug, Args)]
pub struct RemoteArguments {
    /// Where the server is.
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "ADDRESS",
        hide_env_values = true,
        default_value = "http://127.0.0.1:8080"
    )]
    pub address: String,
    #[command(subcommand)]
    pub command: RemoteCommand,
}

/// What to do with a project elsewhere.
#[derive(Debug, Subcommand)]
pub enum RemoteCommand {
    /// Show what the token may do.
    Token,
    /// List the bots, oldest first.
    Bots,
    /// List the documents, oldest first.
    Documents,
    /// Upload files as documents, a line for each that is done.
    Upload {
        /// The files; of a folder all that are below it, but for hidden ones and links.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Also assign them to this bot.
        #[arg(long, value_name = "ID")]
        bot: Option<Uuid>,
        /// What becomes of a file if there is a document of its name already.
        #[arg(long, value_name = "WHAT", default_value = "keep")]
        on_duplicate: OnDuplicateArg,
    },
    /// Download the file of a document.
    Download {
        /// The document's `_id`.
        #[arg(value_name = "ID")]
        id: Uuid,
        /// Where to write it; in the working directory, under its own name, if this is left out.
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
    },
}

/// What becomes of a file if there is a document of its name already.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum OnDuplicateArg {
    Keep,
    Skip,
    Replace,
}

impl OnDuplicateArg {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Skip => "skip",
            Self::Replace => "replace",
        }
    }
}
