//! What must be done so that a project has the files of a client: asked ahead of any upload.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::upload::UNNAMED;
use super::{Document, DocumentService};
use crate::access::{Conditional as _, ProjectClaim};
use crate::blob::Sha256;
use crate::error::DomainError;
use crate::file_name::cleaned;
use crate::id::DocumentId;
use crate::input::{Check, Field, Fields, Input, ListedObject, Valid};
use crate::lock::Lock;
use crate::violation::ViolationCode;

/// How many documents are read at once.
const PAGE: u32 = 1_000;

/// A file that a client has.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedFile {
    /// What it is called.
    pub file_name: String,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// How many bytes it has.
    pub size: u64,
}

impl ListedObject for PlannedFile {
    const NAME: &'static str = "PlannedFile";
    const DESCRIPTION: &'static str = "A file that the client has.";

    fn read(fields: &mut Fields<'_>) -> Self {
        let file_name = Field::new("fileName").description("What the file is called.");
        let sha256 = Field::<String>::new("sha256")
            .documented_pattern("^[0-9a-f]{64}$", (64, 64))
            .check(|text, check| {
                if Sha256::parse(text).is_none() {
                    let what = "must be 64 hexadecimal digits in lower case";
                    check.violation(ViolationCode::BadFormat, what);
                }
            })
            .description("The SHA-256 of the file.");
        let size = Field::new("size").description("How many bytes the file has.");
        let (file_name, sha256) = (fields.required(file_name), fields.required(sha256));
        let sha256 = sha256.as_deref().and_then(Sha256::parse);
        Self {
            file_name: file_name.unwrap_or_default(),
            // There is a violation instead.
            sha256: sha256.unwrap_or_else(|| Sha256::from_bytes([0; 32])),
            size: fields.required(size).unwrap_or_default(),
        }
    }
}

/// The files that a project is to have.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanDocuments {
    /// `files`
    pub files: Vec<PlannedFile>,
    /// `prune`
    pub prune: bool,
}

impl Input for PlanDocuments {
    fn read(fields: &mut Fields<'_>) -> Self {
        let files =
            Field::<Vec<PlannedFile>>::new("files").check(|files, check| check_names(files, check));
        let files = files.description("The files, none of them twice; at most 10 000.");
        let prune = Field::new("prune").default(false);
        let prune = prune.description("Whether documents of other files are to be removed.");
        Self {
            files: fields.required(files).unwrap_or_default(),
            prune: fields.optional(prune).unwrap_or_default(),
        }
    }
}

/// Checks that no two files would be documents of one name.
fn check_names(files: &[PlannedFile], check: &mut Check<'_>) {
    let mut seen = HashSet::new();
    for (index, file) in files.iter().enumerate() {
        if !seen.insert(name_of(file)) {
            let what = "has the name of another file";
            check.violation_of_item(index, ViolationCode::DuplicateItem, what);
        }
    }
}

/// What a document of the file would be called.
fn name_of(file: &PlannedFile) -> String {
    cleaned(Some(&file.file_name), UNNAMED)
}

/// What must be done so that the project has the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentPlan {
    /// The names of files of which there is no document.
    pub upload: Vec<String>,
    /// The names of files that are to replace those of documents.
    pub replace: Vec<(String, DocumentId)>,
    /// Documents that are as they should be.
    pub leave: Vec<DocumentId>,
    /// Documents of other files, and older ones of the same names; none unless they are asked for.
    pub remove: Vec<DocumentId>,
}

impl DocumentService {
    /// What must be done so that the project has these files. Nothing is changed. Files are compared with the newest
    /// document of their name. If documents change meanwhile, they may be seen before or after that.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there.
    pub async fn plan(
        &self,
        claim: &ProjectClaim,
        request: Valid<PlanDocuments>,
    ) -> Result<DocumentPlan, DomainError> {
        let PlanDocuments { files, prune } = request.into_inner();
        let mut newest: HashMap<String, Option<FileVersion>> =
            files.iter().map(|file| (name_of(file), None)).collect();
        let (mut others, mut after) = (Vec::new(), None);
        loop {
            let documents = self
                .context
                .read_claimed(claim, move |unit| Ok(unit.tx.documents(&unit.scope, after, PAGE)?))
                .await?;
            after = documents.last().map(|document| document.id);
            let is_last = documents.len() < PAGE as usize;
            for document in documents {
                let known = FileVersion::of(&document);
                let other = match newest.get_mut(&document.file.file_name) {
                    Some(newest) => newest.replace(known).map(|older| older.id),
                    None => Some(known.id),
                };
                others.extend(other.filter(|_| prune));
            }
            if is_last {
                break;
            }
        }
        others.sort_unstable();
        let mut plan = DocumentPlan { remove: others, ..DocumentPlan::default() };
        for file in files {
            match newest.get(&name_of(&file)).copied().flatten() {
                None => plan.upload.push(file.file_name),
                Some(known) if (known.sha256, known.size) == (file.sha256, file.size) => {
                    plan.leave.push(known.id);
                }
                Some(known) => plan.replace.push((file.file_name, known.id)),
            }
        }
        if claim.idempotent().is_some() {
            let answer = plan.clone();
            self.context.write_claimed(claim, Lock::None, move |_| Ok(answer.clone())).await?;
        }
        Ok(plan)
    }
}

/// What of a document is compared.
#[derive(Clone, Copy)]
struct FileVersion {
    id: DocumentId,
    sha256: Sha256,
    size: u64,
}

impl FileVersion {
    const fn of(document: &Document) -> Self {
        Self { id: document.id, sha256: document.file.sha256, size: document.file.size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::InputSettings;
    use crate::violation::codes;

    const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    fn parse(files: &str) -> Vec<(String, String)> {
        let body = format!(r#"{{"files":{files}}}"#).replace("HASH", &format!("{HASH:?}"));
        let parsed = PlanDocuments::parse(body.as_bytes(), &InputSettings::default());
        let violations = parsed.err().unwrap_or_default();
        let owned = |(at, code): (&str, &str)| (at.to_owned(), code.to_owned());
        codes(&violations).into_iter().map(owned).collect()
    }

    #[test]
    fn every_file_is_checked() {
        assert_eq!(parse("[]"), []);
        assert_eq!(parse(r#"[{"fileName":"a","sha256":HASH,"size":0}]"#), []);
        for (files, pointer, code) in [
            ("{}", "/files", "wrong_type"),
            ("[1]", "/files/0", "wrong_type"),
            (r#"[{"sha256":HASH,"size":0}]"#, "/files/0/fileName", "missing_field"),
            (r#"[{"fileName":"a","sha256":"0","size":0}]"#, "/files/0/sha256", "bad_format"),
            (r#"[{"fileName":"a","sha256":HASH,"size":-1}]"#, "/files/0/size", "out_of_range"),
            (r#"[{"fileName":"a","sha256":HASH,"size":0,"x":1}]"#, "/files/0/x", "unknown_field"),
        ] {
            assert_eq!(parse(files), [(pointer.to_owned(), code.to_owned())], "{files}");
        }
    }

    #[test]
    fn no_two_files_have_one_name() {
        let file = |name: &str| format!(r#"{{"fileName":{name:?},"sha256":HASH,"size":0}}"#);
        let twice = format!("[{},{},{}]", file("a"), file("b"), file("folder/a "));
        assert_eq!(parse(&twice), [("/files/2".to_owned(), "duplicate_item".to_owned())]);
    }
}
