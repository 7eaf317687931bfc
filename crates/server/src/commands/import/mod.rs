//! `botyard import`: a file of records, one JSON object a line, stored as a whole or not at all.
//!
//! [`lines`] reads the file, [`progress`] shows how far that is. What a line may say, and what becomes
//! of it, is the domain's business.

mod lines;
mod progress;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use domain::access::{BotClaim, ProjectClaim};
use domain::import::{
    INVALID_LINES_MAX, Import, ImportKind, ImportViolations, Imported, InvalidLine, LINE_MAX,
    LineNumbers,
};
use domain::input::InputSettings;
use domain::violation::Violations;
use domain::{Botyard, DomainError};
use serde::Serialize;

use self::lines::Lines;
use self::progress::Progress;
use crate::cli::{ImportCommand, ImportOfBot, ImportOfOwner};
use crate::operator::OPERATOR;
use crate::output::{Output, Reason, Reasons};

/// How much is read from the file at once.
const BLOCK: usize = 64 << 10;
/// How many violations of one line are shown; the others are only counted.
const SENTENCES: usize = 5;

#[derive(Serialize)]
struct ImportOutput {
    kind: ImportKind,
    stored: usize,
}

/// For whom a file is.
enum Owner {
    Bot(BotClaim),
    Project(ProjectClaim),
}

/// Imports a file.
pub async fn run(output: Output, botyard: Botyard, command: ImportCommand) -> Result<()> {
    let (kind, ImportOfOwner { bot, project, file }) = match command {
        ImportCommand::History(of_bot) => (ImportKind::History, of_bot.into()),
        ImportCommand::Usage(of_bot) => (ImportKind::Usage, of_bot.into()),
        ImportCommand::Feedback(of_bot) => (ImportKind::Feedback, of_bot.into()),
        ImportCommand::Keyval(of_owner) => (ImportKind::Keyval, of_owner),
        ImportCommand::Users(of_bot) => (ImportKind::Users, of_bot.into()),
        ImportCommand::VisualBlocks(of_bot) => (ImportKind::VisualBlocks, of_bot.into()),
    };
    // The owner is looked up first: the file need not be read if its owner does not exist.
    let owner = match (bot, project) {
        (Some(id), None) => Owner::Bot(botyard.bots.claim(OPERATOR, id).await?),
        (None, Some(id)) => {
            let project = botyard.projects.get(OPERATOR, id).await?;
            Owner::Project(OPERATOR.project(&project))
        }
        (Some(_), Some(_)) | (None, None) => bail!("name either --bot or --project"),
    };
    let progress = Progress::begin();
    let imported = read(&file, kind, botyard.input_settings(), &progress)?;
    let stored = imported.records.len();
    progress.storing(stored);
    store(&botyard, &owner, imported).await?;
    drop(progress);
    output.one(&ImportOutput { kind, stored }, |shown| match shown.stored {
        1 => "stored 1 line".to_owned(),
        stored => format!("stored {stored} lines"),
    })?;
    Ok(())
}

impl From<ImportOfBot> for ImportOfOwner {
    fn from(ImportOfBot { bot, file }: ImportOfBot) -> Self {
        Self { bot: Some(bot), project: None, file }
    }
}

/// Reads a file, or standard input, whose name is `-`.
fn read(
    file: &Path,
    kind: ImportKind,
    settings: &InputSettings,
    progress: &Progress,
) -> Result<Imported> {
    let named = || file.display().to_string();
    if file == Path::new("-") {
        progress.reading(None);
        return checked(io::stdin().lock(), kind, settings, progress).context("standard input")?;
    }
    let opened = File::open(file).with_context(named)?;
    progress.reading(opened.metadata().ok().map(|metadata| metadata.len()));
    let input = BufReader::with_capacity(BLOCK, opened);
    checked(input, kind, settings, progress).with_context(named)?
}

/// Checks line by line; the outer error is that of the file, the inner one that of its lines.
fn checked(
    input: impl BufRead,
    kind: ImportKind,
    settings: &InputSettings,
    progress: &Progress,
) -> io::Result<Result<Imported>> {
    let mut lines = Lines::new(input, LINE_MAX);
    let mut import = Import::new(kind, settings);
    let mut number = 0;
    while let Some(line) = lines.next()? {
        number += 1;
        import.line(number, line);
        progress.read(lines.bytes_read());
    }
    Ok(import.finish().map_err(|violations| refused(&violations)))
}

/// Stores all records in one unit of work.
async fn store(botyard: &Botyard, owner: &Owner, imported: Imported) -> Result<()> {
    let recorder = &botyard.recorder;
    let lines = imported.lines.clone();
    let stored = match owner {
        Owner::Bot(claim) => recorder.import(claim, imported.records).await,
        Owner::Project(claim) => {
            let entries = imported.into_entries().context("only entries are for a project")?;
            recorder.import_entries(claim, entries).await
        }
    };
    stored.map_err(|error| of_lines(error, &lines))
}

/// The error of a file with invalid lines, each in a line of its own.
fn refused(ImportViolations { lines, others }: &ImportViolations) -> anyhow::Error {
    let named =
        lines.iter().map(|InvalidLine { number, violations }| (*number, sentences(violations)));
    nothing_stored(named, others)
}

/// The error of records that could not be stored, by the numbers of their lines.
fn of_lines(error: DomainError, lines: &[u64]) -> anyhow::Error {
    let DomainError::RecordsRefused(refused) = &error else {
        return error.into();
    };
    let mut named =
        refused.iter().filter_map(|(index, error)| Some((*lines.get(*index)?, error.to_string())));
    let first: Vec<_> = named.by_ref().take(INVALID_LINES_MAX).collect();
    let mut others = LineNumbers::default();
    others.extend(named.map(|(number, _)| number));
    nothing_stored(first, &others)
}

/// Everything that is wrong with a line, in one line.
fn sentences(violations: &Violations) -> String {
    let mut sentences: Vec<_> =
        violations.iter().take(SENTENCES).map(|violation| violation.message.clone()).collect();
    let more = violations.total().saturating_sub(sentences.len());
    if more > 0 {
        sentences.push(format!("There are {more} more faults."));
    }
    sentences.join(" ")
}

fn nothing_stored(
    named: impl IntoIterator<Item = (u64, String)>,
    others: &LineNumbers,
) -> anyhow::Error {
    let of_file = |message| Reason { line: None, message };
    let named = named.into_iter();
    let mut reasons: Vec<_> =
        named.map(|(line, message)| Reason { line: Some(line), message }).collect();
    match others.len() {
        0 => {}
        1 => reasons.push(of_file(format!("line {others} is invalid as well"))),
        _ => reasons.push(of_file(format!("lines {others} are invalid as well"))),
    }
    reasons.push(of_file("nothing of the file was stored".to_owned()));
    Reasons(reasons).into()
}
