//! Uploads the sample documents, makes them into chunks as a server would, and assigns them to the sample
//! bots. `seed/documents/make.py` says how their files were made.

use std::collections::HashSet;

use anyhow::{Context, Result};
use domain::Botyard;
use domain::access::{BotClaim, OwnerClaim, ProjectClaim};
use domain::document::{DocIds, Document, EXTRACT, ExtractionStatus, UploadDocument};
use domain::id::DocumentId;
use domain::input::{Input as _, Valid};
use domain::job::StepOutcome;
use domain::list::ListQuery;
use serde::Serialize;
use serde_json::json;

use super::content::{bad_sample, body};
use super::errand::take;
use crate::operator::OPERATOR;
use crate::pages::all_listed;

/// A file that comes with botyard.
struct Sample {
    name: &'static str,
    media_type: &'static str,
    bytes: &'static [u8],
    /// How many of the bots get it.
    bots: usize,
}

const SAMPLES: [Sample; 5] = [
    Sample {
        name: "luna-manual.pdf",
        media_type: "application/pdf",
        bytes: include_bytes!("../../seed/documents/luna-manual.pdf"),
        bots: 2,
    },
    Sample {
        name: "returns.docx",
        media_type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        bytes: include_bytes!("../../seed/documents/returns.docx"),
        bots: 1,
    },
    Sample {
        name: "prices.xlsx",
        media_type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        bytes: include_bytes!("../../seed/documents/prices.xlsx"),
        bots: 1,
    },
    Sample {
        name: "shops.yaml",
        media_type: "application/yaml",
        bytes: include_bytes!("../../seed/documents/shops.yaml"),
        bots: 1,
    },
    Sample {
        name: "answers.md",
        media_type: "text/markdown",
        bytes: include_bytes!("../../seed/documents/answers.md"),
        bots: 0,
    },
];

/// A sample document that is there.
#[derive(Debug, Serialize)]
pub struct SeededDocument {
    pub id: DocumentId,
    pub name: &'static str,
}

/// Uploads those that the project lacks; returns all of them.
pub async fn fill(
    botyard: &Botyard,
    project: &ProjectClaim,
    bots: &[BotClaim],
) -> Result<Vec<SeededDocument>> {
    let documents = &botyard.documents;
    let every = ListQuery::default();
    let known = all_listed(|after, limit| documents.page(project, &every, after, limit)).await?;
    let mut seeded = Vec::new();
    for sample in &SAMPLES {
        let known = known.iter().find(|known| known.document.file.file_name == sample.name);
        let (id, has) = match known {
            Some(known) => (known.document.id, known.bot_ids.iter().copied().collect()),
            None => (upload(botyard, project, sample).await?, HashSet::new()),
        };
        for bot in bots.iter().take(sample.bots).filter(|bot| !has.contains(&bot.bot_id())) {
            let request = DocIds { doc_ids: vec![id.to_string()] };
            let request = request.check(botyard.input_settings()).map_err(bad_sample)?;
            documents.assign(bot, request).await?;
        }
        seeded.push(SeededDocument { id, name: sample.name });
    }
    Ok(seeded)
}

async fn upload(botyard: &Botyard, project: &ProjectClaim, sample: &Sample) -> Result<DocumentId> {
    let documents = &botyard.documents;
    let request: Valid<UploadDocument> = body(&json!({}), botyard.input_settings())?;
    let mut upload = documents.begin_upload(OwnerClaim::Project(project.clone())).await?;
    upload.write(sample.bytes).await?;
    let (name, media_type) = (Some(sample.name), Some(sample.media_type));
    let (document, _) = upload.finish(name, media_type, request).await?;
    extract(botyard, project, &document).await?;
    Ok(document.id)
}

/// Makes a document into chunks, unless a server on the same database has begun to. Where no document can
/// be read, as on a system that lets no process start, it stays for a server that can.
async fn extract(botyard: &Botyard, project: &ProjectClaim, document: &Document) -> Result<()> {
    let extraction = document.extraction.id.context("a sample document is not extracted")?;
    let Some(job) = take(botyard, EXTRACT, &extraction.to_string()).await? else {
        return Ok(());
    };
    loop {
        match botyard.jobs.step(OPERATOR, &job).await {
            Ok(StepOutcome::Continue) => {}
            Ok(StepOutcome::Done | StepOutcome::Unsuccessful(_)) => {
                break botyard.jobs.finish(OPERATOR, &job).await?;
            }
            Ok(StepOutcome::Waiting | StepOutcome::NoFreeSlot) => {
                break botyard.jobs.defer(OPERATOR, &job).await?;
            }
            Ok(StepOutcome::LeaseLost) => return Ok(()),
            Err(error) => {
                tracing::warn!(%error, "a sample document could not be read");
                break botyard.jobs.fail(OPERATOR, &job, &error).await?;
            }
        }
    }
    let document = botyard.documents.get(project, document.id).await?.document;
    if document.extraction.status == ExtractionStatus::Failed {
        let (name, error) = (&document.file.file_name, &document.extraction.error);
        anyhow::bail!("the sample document {name} could not be read: {error:?}");
    }
    Ok(())
}
