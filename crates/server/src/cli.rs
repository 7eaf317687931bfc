//! What can be typed on the command line.

mod backup;
mod remote;
mod values;

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use domain::id::{BotId, JobId, OrganisationId, ProjectId, TokenId};

pub use self::backup::{BackupArguments, BackupCommand, RestoreArguments};
pub use self::remote::{OnDuplicateArg, RemoteArguments, RemoteCommand};
pub use self::values::{Address, AllOrSome, Since};
use self::values::{
    bot_id, job_id, organisation_id, project_id, scopes, since, some_time, token_id,
};

/// A server for the External Bot Management API.
#[derive(Debug, Parser)]
#[command(name = "botyard", version, propagate_version = true)]
pub struct Cli {
    /// Print results and errors as JSON, for programs.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the API and the background workers; creates and migrates the database on its own.
    Serve {
        /// Fill an empty database with samples first, and print their tokens.
        #[arg(long)]
        seed: bool,
    },
    /// Apply the migrations that the database lacks.
    Migrate {
        /// Only show which are applied and which are not.
        #[arg(long)]
        status: bool,
    },
    /// Copy a whole database into an empty one, as from SQLite to PostgreSQL; uploaded files stay where they are.
    Copy(CopyArguments),
    /// Fill the database with a sample organisation, project, bots and tokens; prints new tokens.
    Seed {
        /// Print variables for a shell instead: eval "$(botyard seed --env)".
        #[arg(long, conflicts_with = "json")]
        env: bool,
    },
    /// Organisations, the owners of projects.
    #[command(subcommand)]
    Organisation(OrganisationCommand),
    /// Projects, which bots and project tokens belong to.
    #[command(subcommand)]
    Project(ProjectCommand),
    /// Tokens, the keys to the API.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Bots, also those that the API does not find.
    #[command(subcommand)]
    Bot(BotCommand),
    /// Jobs, the work that the server does later by itself.
    #[command(subcommand)]
    Job(JobCommand),
    /// Secrets in the database, which are encrypted.
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// List what was done on the command line, and by whom, oldest first.
    Audit {
        /// Only what was done since this time, such as 2026-11-25T08:00:00Z, or in the last 7d.
        #[arg(long, value_name = "TIME", value_parser = since)]
        since: Option<Since>,
    },
    /// Store the lines of a file (NDJSON) for which there is no endpoint: all of them or none.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Look whether the database and the files are consistent, also beside a running server.
    Check(CheckArguments),
    /// Make a backup of the database and the files, also beside a running server.
    Backup(BackupArguments),
    /// Make the database and the files of a backup, where there are none yet.
    Restore(RestoreArguments),
    /// Work with a project on a server elsewhere, through its API; the token is in the variable PROJECT_TOKEN.
    Remote(RemoteArguments),
    /// Show the settings in force and where each comes from.
    Config {
        /// Print instead a botyard.toml that has every setting, each explained and with its default.
        #[arg(long)]
        toml: bool,
    },
    #[command(flatten)]
    Print(PrintCommand),
}

/// Commands that print what is made of the code, and so need no settings.
#[derive(Debug, Subcommand)]
pub enum PrintCommand {
    /// Print completions for a shell, which complete commands and flags at the press of a key.
    Completions {
        /// The shell; its manual says where the completions belong.
        shell: Shell,
    },
    /// All settings, each of which is a flag of every command.
    #[command(hide = true)]
    Settings,
    /// Print a document that is made of the code.
    #[command(subcommand, hide = true)]
    Docs(DocsCommand),
}

/// What to copy, and where to.
#[derive(Debug, Args)]
pub struct CopyArguments {
    /// The database to copy; that of the settings if this is left out.
    #[arg(long, value_name = "URL")]
    pub from: Option<Address>,
    /// The database to fill, which must be empty. It is migrated first.
    #[arg(long, value_name = "URL")]
    pub to: Address,
    /// Copy also while a server uses the database: what changes meanwhile is not in the copy.
    #[arg(long)]
    pub live: bool,
}

/// How to look whether everything is consistent.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Also read every file and compare it with the hash that was stored with it.
    #[arg(long)]
    pub content: bool,
    /// Repair what can be repaired without losing anything: queue jobs that are missing, make those due again that
    /// have failed, and forget those that have nothing to work on.
    #[arg(long)]
    pub repair: bool,
}

/// What to do with organisations.
#[derive(Debug, Subcommand)]
pub enum OrganisationCommand {
    /// Create an organisation.
    Create {
        /// What it is called: 1 to 200 characters.
        #[arg(long)]
        name: String,
    },
    /// List all organisations, oldest first.
    List,
}

/// What to do with projects.
#[derive(Debug, Subcommand)]
pub enum ProjectCommand {
    /// Create a project.
    Create {
        /// What it is called: 1 to 200 characters.
        #[arg(long)]
        name: String,
        /// The organisation; may be left out where there is only one.
        #[arg(long, value_name = "ID", value_parser = organisation_id)]
        organisation: Option<OrganisationId>,
    },
    /// List projects, oldest first.
    List {
        /// Only those of this organisation.
        #[arg(long, value_name = "ID", value_parser = organisation_id)]
        organisation: Option<OrganisationId>,
    },
}

/// What a token is bound to.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("target").required(true).args(["project", "bot"])))]
pub struct TokenTargetArgs {
    /// The project, for a project token.
    #[arg(long, value_name = "ID", value_parser = project_id)]
    pub project: Option<ProjectId>,
    /// The bot, for a bot token.
    #[arg(long, value_name = "ID", value_parser = bot_id)]
    pub bot: Option<BotId>,
}

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Mint a token and print it, once and never again.
    Mint {
        #[command(flatten)]
        target: TokenTargetArgs,
        /// What it is called: 1 to 200 characters.
        #[arg(long)]
        name: String,
        /// What it allows: `all`, or scopes separated by commas.
        #[arg(long, value_parser = scopes)]
        scopes: AllOrSome,
        /// Refuse it for every method but GET and HEAD.
        #[arg(long)]
        read_only: bool,
        /// How long it is valid, such as 90d; for ever if left out.
        #[arg(long, value_name = "DURATION", value_parser = some_time)]
        expires_in: Option<Duration>,
    },
    /// List tokens, oldest first, without their texts.
    List {
        #[command(flatten)]
        target: TokenTargetArgs,
    },
    /// Revoke a token for good.
    Revoke {
        /// The token's `_id`.
        #[arg(value_name = "ID", value_parser = token_id)]
        id: TokenId,
    },
}

/// What to do with bots.
#[derive(Debug, Subcommand)]
pub enum BotCommand {
    /// List the bots of a project, oldest first.
    List {
        /// The project.
        #[arg(long, value_name = "ID", value_parser = project_id)]
        project: ProjectId,
        /// Also those in the archive and in the trash, demos and templates.
        #[arg(long)]
        all: bool,
    },
    /// Bring a bot back from the archive or the trash.
    Restore {
        /// The bot's `_id`.
        #[arg(value_name = "ID", value_parser = bot_id)]
        id: BotId,
    },
}

/// What to do with jobs.
#[derive(Debug, Subcommand)]
pub enum JobCommand {
    /// List all jobs that are not done, oldest first.
    List,
    /// Make a job due at once that failed or waits.
    Retry {
        /// The job's `_id`.
        #[arg(value_name = "ID", value_parser = job_id)]
        id: JobId,
    },
}

/// What to do with secrets in the database.
#[derive(Debug, Subcommand)]
pub enum SecretsCommand {
    /// Encrypt all secrets with a new key, also beside running servers, and remove the old keys from the file
    /// `secrets.key_file`. One that was broken off is finished by the next.
    Rotate {
        /// Begin with a new key although the present one is not in the file. Secrets that were encrypted with that one
        /// are lost with it, and are replaced by random ones.
        #[arg(long)]
        lost: bool,
    },
}

/// What to import. Each line of the file is a JSON object with the members that are named here; those
/// after the semicolon may be left out.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// What was said: userId, role, kind, text; supervisorEnabled, createdAt.
    History(ImportOfBot),
    /// What was used, added into the row of its day: day, kind, model; requests, inputTokens,
    /// outputTokens, characters, seconds, cost.
    Usage(ImportOfBot),
    /// Message feedback: messageId, rating; userId, comment, question, answer, createdAt.
    Feedback(ImportOfBot),
    /// Key-value entries, permanent ones included: userId, type, key, value.
    Keyval(ImportOfOwner),
    /// Users: guestId; stats, createdAt, free fields.
    Users(ImportOfBot),
    /// Visual blocks: name, content.
    VisualBlocks(ImportOfBot),
}

/// A file for a bot.
#[derive(Debug, Args)]
pub struct ImportOfBot {
    /// The bot.
    #[arg(long, value_name = "ID", value_parser = bot_id)]
    pub bot: BotId,
    #[command(flatten)]
    pub file: ImportFile,
}

/// A file for a bot or a project.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("owner").required(true).args(["bot", "project"])))]
pub struct ImportOfOwner {
    /// The bot, for its entries.
    #[arg(long, value_name = "ID", value_parser = bot_id)]
    pub bot: Option<BotId>,
    /// The project, for its own entries.
    #[arg(long, value_name = "ID", value_parser = project_id)]
    pub project: Option<ProjectId>,
    #[command(flatten)]
    pub file: ImportFile,
}

/// Which file to import, and how.
#[derive(Debug, Args)]
pub struct ImportFile {
    /// The file; `-` for standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Store the file once more, if all of it was stored before.
    #[arg(long)]
    pub again: bool,
}

/// Which document to print.
#[derive(Debug, Subcommand)]
pub enum DocsCommand {
    /// `docs/openapi.json`
    Openapi,
    /// `docs/settings.md`
    Settings,
    /// The manual pages, written into a folder.
    Man {
        /// The folder; it is made if it is missing.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// The shells that have completions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}
