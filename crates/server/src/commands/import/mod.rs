//! `botyard import`: a file of records, one JSON object a line.
//!
//! [`lines`] reads the file, [`progress`] shows how far that is. What a line may say, and what becomes
//! of it, is the domain's business.

mod lines;
mod progress;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use domain::access::OwnerClaim;
use domain::import::{
    INVALID_LINES_MAX, Import, ImportKind, ImportRun, ImportViolations, Imported, InvalidLine,
    LINE_MAX, LineNumbers,
};
use domain::input::InputSettings;
use domain::violation::Violations;
use domain::{Botyard, DomainError, StorageError};
use serde::Serialize;
use tokio::time::sleep;

use self::lines::Lines;
use self::progress::Progress;
use crate::cli::{ImportCommand, ImportFile, ImportOfBot, ImportOfOwner};
use crate::operator::OPERATOR;
use crate::output::{Output, Reason, Reasons};

/// How much is read from the file at once.
const BLOCK: usize = 64 << 10;
/// How many violations of one line are shown; the others are only counted.
const SENTENCES: usize = 5;
/// How often a unit of work is repeated that collided with others, and after which pause.
const RETRIES: u32 = 5;
const RETRY_DELAY: Duration = Duration::from_secs(1);
const NOTHING_STORED: &str = "nothing of the file was stored";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImportOutput {
    kind: ImportKind,
    stored: usize,
    stored_before: usize,
}

/// Imports a file.
pub async fn run(output: Output, botyard: Botyard, command: ImportCommand) -> Result<()> {
    let (kind, ImportOfOwner { bot, project, file: ImportFile { file, again } }) = match command {
        ImportCommand::History(of_bot) => (ImportKind::History, of_bot.into()),
        ImportCommand::Usage(of_bot) => (ImportKind::Usage, of_bot.into()),
        ImportCommand::Feedback(of_bot) => (ImportKind::Feedback, of_bot.into()),
        ImportCommand::Keyval(of_owner) => (ImportKind::Keyval, of_owner),
        ImportCommand::Users(of_bot) => (ImportKind::Users, of_bot.into()),
        ImportCommand::VisualBlocks(of_bot) => (ImportKind::VisualBlocks, of_bot.into()),
    };
    // The owner is looked up first: the file need not be read if its owner does not exist.
    let owner = match (bot, project) {
        (Some(id), None) => OwnerClaim::Bot(botyard.bots.claim(OPERATOR, id).await?),
        (None, Some(id)) => {
            let project = botyard.projects.get(OPERATOR, id).await?;
            OwnerClaim::Project(OPERATOR.project(&project))
        }
        (Some(_), Some(_)) | (None, None) => bail!("name either --bot or --project"),
    };
    let progress = Progress::begin();
    let imported = read(&file, kind, botyard.input_settings(), &progress)?;
    let lines: Vec<_> = imported.records.iter().map(|record| record.line).collect();
    let mut run = botyard.imports.begin(owner, imported).await?;
    if again {
        run.start_again();
    } else if let Some(at) = run.completed_at() {
        bail!("the same file was imported at {at}: with --again it is stored once more");
    }
    let stored_before = run.stored();
    progress.storing(lines.len() as u64, stored_before as u64);
    let ended = store(&mut run, &progress).await;
    ended.map_err(|error| of_lines(error, &lines, run.stored()))?;
    drop(progress);
    let stored = lines.len() - stored_before;
    output.one(&ImportOutput { kind, stored, stored_before }, |shown| {
        let stored = format!("stored {}", counted(shown.stored));
        match shown.stored_before {
            0 => stored,
            before => format!("{stored}, after {} of an earlier attempt", counted(before)),
        }
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

/// Stores all records. Other writers have half of the time: on SQLite only one process writes at once, and the one that
/// wrote last would mostly be the next as well.
async fn store(run: &mut ImportRun, progress: &Progress) -> Result<(), DomainError> {
    run.check().await?;
    let mut attempts = 0;
    while !run.is_complete() {
        let begun = Instant::now();
        let pause = match run.store_next().await {
            Ok(()) => {
                attempts = 0;
                begun.elapsed()
            }
            // Nothing was done.
            Err(DomainError::Storage(StorageError::Contended(_) | StorageError::Overloaded))
                if attempts < RETRIES =>
            {
                attempts += 1;
                RETRY_DELAY
            }
            Err(error) => return Err(error),
        };
        progress.stored(run.stored() as u64);
        if !run.is_complete() {
            sleep(pause).await;
        }
    }
    Ok(())
}

/// So many lines, in words.
fn counted(lines: usize) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}

/// The error of a file with invalid lines, each in a line of its own.
fn refused(ImportViolations { lines, others }: &ImportViolations) -> anyhow::Error {
    let named =
        lines.iter().map(|InvalidLine { number, violations }| (*number, sentences(violations)));
    reasons(named, others, NOTHING_STORED.to_owned())
}

/// Why not all records could be stored, by the numbers of their lines, and how many were.
fn of_lines(error: DomainError, lines: &[u64], stored: usize) -> anyhow::Error {
    let stored_so_far = format!("stored {} of the file", counted(stored));
    if matches!(error, DomainError::Storage(_)) && lines.len() > 1 {
        let rest = "import the same file again, which stores what is not stored yet";
        let ends = format!("{stored_so_far}: {rest}");
        return Reasons(vec![of_file(error.to_string()), of_file(ends)]).into();
    }
    let DomainError::RecordsRefused(refused) = error else {
        let ends = (stored > 0).then_some(of_file(stored_so_far));
        return Reasons([of_file(error.to_string())].into_iter().chain(ends).collect()).into();
    };
    let ends = match stored.checked_sub(1).and_then(|last| lines.get(last)) {
        None => NOTHING_STORED.to_owned(),
        Some(last) => {
            let rest = "correct those that follow, and import them as a file of their own";
            format!("{stored_so_far}, up to line {last}: {rest}")
        }
    };
    let mut named = refused
        .into_iter()
        .filter_map(|(index, error)| Some((*lines.get(index)?, error.to_string())));
    let first: Vec<_> = named.by_ref().take(INVALID_LINES_MAX).collect();
    let mut others = LineNumbers::default();
    others.extend(named.map(|(number, _)| number));
    reasons(first, &others, ends)
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

/// A reason that is about no line.
const fn of_file(message: String) -> Reason {
    Reason { line: None, message }
}

fn reasons(
    named: impl IntoIterator<Item = (u64, String)>,
    others: &LineNumbers,
    ends: String,
) -> anyhow::Error {
    let named = named.into_iter();
    let mut reasons: Vec<_> =
        named.map(|(line, message)| Reason { line: Some(line), message }).collect();
    match others.len() {
        0 => {}
        1 => reasons.push(of_file(format!("line {others} is invalid as well"))),
        _ => reasons.push(of_file(format!("lines {others} are invalid as well"))),
    }
    reasons.push(of_file(ends));
    Reasons(reasons).into()
}

#[cfg(test)]
mod tests {
    use domain::error::Resource;

    use super::*;

    fn said(error: DomainError, stored: usize) -> String {
        of_lines(error, &[2, 3, 5, 8], stored).to_string()
    }

    #[test]
    fn what_was_not_stored_is_said_with_what_was() {
        let refused = || {
            let unknown = DomainError::NotFound(Resource::User);
            DomainError::RecordsRefused(vec![(2, unknown.clone()), (3, unknown)])
        };
        let lines = "line 5: user not found\nline 8: user not found";
        assert_eq!(said(refused(), 0), format!("{lines}\n{NOTHING_STORED}"));
        let rest = "correct those that follow, and import them as a file of their own";
        let some = format!("stored 2 lines of the file, up to line 3: {rest}");
        assert_eq!(said(refused(), 2), format!("{lines}\n{some}"));
        let error = StorageError::Unavailable("gone".to_owned());
        let rest = "import the same file again, which stores what is not stored yet";
        let some = format!("{error}\nstored 1 line of the file: {rest}");
        assert_eq!(said(error.into(), 1), some);
        let other = || DomainError::Refused("another".to_owned());
        assert_eq!(said(other(), 0), "another");
        assert_eq!(said(other(), 1), "another\nstored 1 line of the file");
    }
}
