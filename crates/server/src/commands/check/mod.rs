//! `botyard check`: checks whether the database and the files are consistent, beside a running server or without one.
//!
//! What must hold of rows is in `storage_diesel::check`; `files.rs` compares rows and files, `repair.rs` does what
//! can be done without losing anything.

mod files;
mod repair;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use blob_store::BlobStore;
use domain::audit::AuditActor;
use domain::id::ProjectId;
use serde::Serialize;
use storage_diesel::check::{Checker, Finding, Findings, INTEGRITY};
use storage_diesel::system::SystemClock;

use self::files::FileCheck;
use crate::cli::CheckArguments;
use crate::composition;
use crate::encryption;
use crate::installation;
use crate::operator::OPERATOR;
use crate::output::Output;
use crate::settings::Settings;

/// The exit code if it could not be checked.
pub const CHECK_FAILED: u8 = 2;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingOutput<'a> {
    kind: &'a str,
    id: &'a str,
    project_id: Option<ProjectId>,
    message: &'a str,
    repairable: bool,
    repaired: bool,
}

impl FindingOutput<'_> {
    fn line(&self) -> String {
        let Self { kind, id, message, .. } = self;
        let note = match (self.repairable, self.repaired) {
            (_, true) => " (repaired)",
            (true, false) => " (--repair can help)",
            (false, false) => "",
        };
        format!("{kind:22}  {id:36}  {message}{note}")
    }
}

/// Prints what is wrong; the exit code is 1 if anything is.
pub async fn run(
    output: Output,
    settings: &Settings,
    arguments: &CheckArguments,
    actor: &AuditActor,
) -> Result<ExitCode> {
    let mut findings = Findings::default();
    let checked = check(settings, arguments, &mut findings).await;
    let found = findings.list();
    let checked = match checked {
        Ok(checked) => checked,
        Err(error) => {
            // What was found until then is worth knowing.
            let shown: Vec<_> = found.iter().map(|found| shown(found, false)).collect();
            if !shown.is_empty() {
                output.list(&shown, FindingOutput::line)?;
            }
            return Err(error);
        }
    };
    let repaired = if arguments.repair {
        repair::repair(settings, found, actor).await?
    } else {
        vec![false; found.len()]
    };
    let shown = found.iter().zip(repaired).map(|(found, repaired)| shown(found, repaired));
    let shown: Vec<_> = shown.collect();
    if shown.is_empty() {
        output.list_or(&shown, FindingOutput::line, &checked)?;
        return Ok(ExitCode::SUCCESS);
    }
    output.list(&shown, FindingOutput::line)?;
    Ok(ExitCode::FAILURE)
}

fn shown(finding: &Finding, repaired: bool) -> FindingOutput<'_> {
    FindingOutput {
        kind: finding.kind,
        id: &finding.id,
        project_id: finding.project,
        message: &finding.sentence,
        repairable: finding.repair.is_some(),
        repaired,
    }
}

/// Looks at everything; returns the line for the case that nothing was found.
async fn check(
    settings: &Settings,
    arguments: &CheckArguments,
    findings: &mut Findings,
) -> Result<String> {
    let url = settings.direct_url();
    let opened = Checker::open(url, OPERATOR, findings).with_context(|| url.to_string())?;
    let Some(mut checker) = opened else {
        return Ok(String::new());
    };
    let rules = checker.check(botyard_now(), findings)?;
    if findings.list().iter().any(|found| found.kind == INTEGRITY) {
        return Ok(String::new());
    }
    check_keys(&mut checker, settings, findings)?;
    let files = match composition::find_blobs(settings)? {
        Some(blobs) => {
            check_mark(&mut checker, &blobs, findings).await?;
            let mut check = FileCheck {
                checker: &mut checker,
                blobs: &*blobs,
                grace: settings.blobs.grace,
                content: arguments.content,
            };
            check.run(findings).await?
        }
        None if has_blobs(&mut checker)? => {
            bail!("setting blob_url: {} is not there", settings.blob_url)
        }
        None => 0,
    };
    Ok(format!("nothing is wrong: {rules} rules hold, {files} files are there"))
}

/// Finds a blob store that is not that of the database.
async fn check_mark(
    checker: &mut Checker,
    blobs: &BlobStore,
    findings: &mut Findings,
) -> Result<()> {
    let Some(installation) = checker.installation()? else {
        return Ok(());
    };
    let place = installation.compare(installation::mark_of(blobs).await?);
    if let Some(sentence) = installation::fault(&installation, place) {
        findings.push(Finding::new("file_place", installation.id.to_string(), sentence));
    }
    Ok(())
}

/// Finds a file of keys that is not that of the database.
fn check_keys(checker: &mut Checker, settings: &Settings, findings: &mut Findings) -> Result<()> {
    let Some(key) = checker.encryption_key()? else {
        return Ok(());
    };
    let file = encryption::key_file(settings);
    let fault = encryption::fault(&file, key).with_context(|| encryption::named(&file))?;
    if let Some(sentence) = fault {
        let sentence = format!("{}: {sentence}", encryption::named(&file));
        findings.push(Finding::new("key_file", key.to_string(), sentence));
    }
    Ok(())
}

fn botyard_now() -> domain::clock::Timestamp {
    domain::clock::Clock::now(&SystemClock)
}

fn has_blobs(checker: &mut Checker) -> Result<bool> {
    let mut project = None;
    while let Some(next) = checker.project_after(project)? {
        if !checker.blobs(next, None, 1)?.is_empty() {
            return Ok(true);
        }
        project = Some(next);
    }
    Ok(false)
}
