//! Documents of a project elsewhere.

use std::collections::HashMap;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use client::download::DownloadQuery;
use client::project_document::{
    ProjectDocument, UploadBotDocument, UploadBotDocumentQuery, UploadDocument, UploadDocumentQuery,
};
use client::{Error, File, ProjectClient};
use serde_json::json;
use uuid::Uuid;

use crate::cli::OnDuplicateArg;
use crate::folder_lock::folder_of;
use crate::output::{Output, Reason, Reasons};

const TOO_MANY_REQUESTS: i64 = 429;
/// The code of a file that was skipped for a document which went meanwhile.
const CONTENDED: &str = "contended";
/// How often a file is sent again that came at a busy time.
const ATTEMPTS: u32 = 10;
/// How long is waited at most before that.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A document as a line.
pub fn line(document: &ProjectDocument) -> String {
    let extraction = &document.extraction;
    let (id, chunks) = (document.id, extraction.chunk_count);
    let status = match &extraction.error {
        Some(error) => format!("{} ({})", extraction.status.as_str(), error.as_str()),
        None => extraction.status.as_str().to_owned(),
    };
    format!("{id}  {status:10}  {chunks:6} chunks  {}", document.file_name)
}

/// Uploads files, and those of folders, one after another; a line for each when it is done. One that can't be read or
/// is refused does not stop the others; a server that can't be reached does.
pub async fn upload(
    output: Output,
    project: &ProjectClient,
    paths: &[PathBuf],
    to: (Option<Uuid>, OnDuplicateArg),
) -> Result<()> {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        if let Err(error) = collect(path, &mut files) {
            failed.push(reason(&error));
        }
    }
    check_names(&files, to.1)?;
    let mut files = files.iter();
    while let Some(path) = files.next() {
        let error = match upload_patiently(project, path, to).await {
            Ok(document) => {
                output.one(&document, line)?;
                continue;
            }
            Err(error) => error,
        };
        let is_lost = matches!(error.downcast_ref::<Error>(), Some(Error::Connection(_)));
        failed.push(reason(&error.context(path.display().to_string())));
        if is_lost && files.len() > 0 {
            let message = format!("{} more files were not tried", files.len());
            failed.push(Reason { line: None, message });
            break;
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Reasons(failed).into()) }
}

fn reason(error: &anyhow::Error) -> Reason {
    Reason { line: None, message: format!("{error:#}").replace('\n', " ") }
}

/// Uploads a file; if the server says that it has too much to do, again after the time that it names.
async fn upload_patiently(
    project: &ProjectClient,
    path: &Path,
    to: (Option<Uuid>, OnDuplicateArg),
) -> Result<ProjectDocument> {
    for _ in 0..ATTEMPTS {
        let uploaded = upload_one(project, path, to).await;
        let wait = uploaded.as_ref().err().and_then(|error| {
            let Some(Error::Refused(refusal)) = error.downcast_ref::<Error>() else { return None };
            let is_busy = refusal.problem.status == TOO_MANY_REQUESTS;
            // To keep the file once more could make two documents of it.
            let may_repeat = !matches!(to.1, OnDuplicateArg::Keep);
            let is_contended = refusal.problem.code == CONTENDED && may_repeat;
            refusal.retry_after.filter(|_| is_busy || is_contended)
        });
        match wait {
            Some(wait) => tokio::time::sleep(wait.min(LONGEST_WAIT)).await,
            None => return uploaded,
        }
    }
    upload_one(project, path, to).await
}

async fn upload_one(
    project: &ProjectClient,
    path: &Path,
    (bot, on_duplicate): (Option<Uuid>, OnDuplicateArg),
) -> Result<ProjectDocument> {
    let file = File::open(path).await?;
    let on_duplicate = Some(on_duplicate.as_str().to_owned());
    Ok(match bot {
        None => {
            let query = UploadDocumentQuery { on_duplicate, match_by: None };
            project.upload_document(&query, UploadDocument::new(file)).await?.project_doc
        }
        Some(bot) => {
            let query = UploadBotDocumentQuery { on_duplicate, match_by: None };
            let form = UploadBotDocument::new(file);
            project.upload_bot_document(bot, &query, form).await?.project_doc
        }
    })
}

/// A document has the name of its file without the folder, so two files of one name would be one document.
fn check_names(files: &[PathBuf], on_duplicate: OnDuplicateArg) -> Result<()> {
    let mut seen = HashMap::new();
    for path in files.iter().filter(|_| !matches!(on_duplicate, OnDuplicateArg::Keep)) {
        if let Some(other) = seen.insert(path.file_name(), path) {
            let (other, path) = (other.display(), path.display());
            bail!("{other} and {path} have one name, so they would be one document");
        }
    }
    Ok(())
}

/// The file of this path, or those below it if it is a folder, by their names; hidden ones are left out.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let shown = || path.display().to_string();
    let metadata = fs::metadata(path).with_context(shown)?;
    if metadata.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    ensure!(metadata.is_dir(), "{} is neither a file nor a folder", shown());
    let entries: std::io::Result<Vec<_>> = fs::read_dir(path).with_context(shown)?.collect();
    let mut entries = entries.with_context(shown)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().with_context(shown)?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // Links are not followed: they may lead out of the folder, or back into it.
        if !is_hidden && (kind.is_dir() || kind.is_file()) {
            collect(&entry.path(), files)?;
        }
    }
    Ok(())
}

/// Writes the file of a document, into the working directory under its own name if nothing else is said. A file that is
/// there is not overwritten.
pub async fn download(
    output: Output,
    project: &ProjectClient,
    id: Uuid,
    to: Option<&Path>,
) -> Result<()> {
    let to = match to {
        Some(to) => to.to_owned(),
        None => own_name(&project.get_document(id).await?.file_name)?,
    };
    let shown = to.display().to_string();
    ensure!(to.symlink_metadata().is_err(), "{shown} is there already");
    let mut download = project.download_document(id, &DownloadQuery::default()).await?;
    // It gets its name when it is whole; one that is not whole goes, or stays hidden if the process is killed.
    let mut draft = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder_of(&to))
        .with_context(|| shown.clone())?;
    let mut size = 0;
    while let Some(bytes) = download.chunk().await? {
        draft.write_all(&bytes).with_context(|| shown.clone())?;
        size += bytes.len();
    }
    draft.as_file().sync_all().with_context(|| shown.clone())?;
    draft.persist_noclobber(&to).with_context(|| shown.clone())?;
    output.one(&json!({"file": shown, "bytes": size}), |_| format!("{size} bytes in {shown}"))?;
    Ok(())
}

/// The name of a document as that of a file here: only a name, and not that of a hidden file, so that a document does
/// not choose where it is written.
fn own_name(file_name: &str) -> Result<PathBuf> {
    let name = Path::new(file_name).file_name().filter(|name| *name == file_name);
    let name = name.filter(|_| !file_name.starts_with('.'));
    let name = name.with_context(|| {
        format!("{file_name:?} is no name for a file here; choose one with --to")
    })?;
    Ok(PathBuf::from(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_does_not_choose_where_it_is_written() {
        assert_eq!(own_name("hours ü.md").unwrap(), Path::new("hours ü.md"));
        for name in ["", ".", "..", ".envrc", "/etc/passwd", "../a", "a/b", "a/"] {
            assert!(own_name(name).is_err(), "{name}");
        }
    }
}
