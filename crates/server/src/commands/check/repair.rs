//! What can be done about findings without losing anything: jobs are queued, which look by themselves whether
//! there is something to do, or are forgotten if there is nothing for them to do.

use std::sync::Arc;

use anyhow::Result;
use domain::audit::AuditActor;
use domain::blob::NoBlobs;
use domain::document::NoExtractor;
use domain::{Botyard, DomainError};
use storage_diesel::check::{Finding, Repair};

use crate::composition;
use crate::operator::OPERATOR;
use crate::outgoing::Outgoing;
use crate::settings::Settings;

/// Repairs what can be repaired, for whom the audit log is to name; returns for each finding whether it was.
pub async fn repair(
    settings: &Settings,
    found: &[Finding],
    actor: &AuditActor,
) -> Result<Vec<bool>> {
    if found.iter().all(|finding| finding.repair.is_none()) {
        return Ok(vec![false; found.len()]);
    }
    let (blobs, extractor) = (Arc::new(NoBlobs), Arc::new(NoExtractor));
    let composition = composition::open(settings, blobs, Outgoing::none(), extractor)?;
    let repaired = repair_all(&composition.acting_for(actor).botyard, found).await;
    composition.store.close();
    repaired
}

async fn repair_all(botyard: &Botyard, found: &[Finding]) -> Result<Vec<bool>> {
    let mut repaired = Vec::with_capacity(found.len());
    let mut is_swept = false;
    for finding in found {
        let jobs = &botyard.jobs;
        let done = match finding.repair.clone() {
            None => Ok(()),
            Some(Repair::Queue { kind, subject }) => {
                jobs.queue_missing(OPERATOR, (kind, subject), finding.project).await.map(drop)
            }
            Some(Repair::Retry(id)) => jobs.retry(OPERATOR, id).await.map(drop),
            Some(Repair::Discard(id)) => jobs.discard(OPERATOR, id).await,
            Some(Repair::Sweep) if is_swept => Ok(()),
            Some(Repair::Sweep) => {
                jobs.plan_repeating(OPERATOR).await?;
                botyard.audit.record(vec!["repeating jobs".to_owned()]).await?;
                is_swept = true;
                Ok(())
            }
        };
        repaired.push(match done {
            Ok(()) => finding.repair.is_some(),
            // A server has done something about it in the meantime.
            Err(DomainError::NotFound(_) | DomainError::Refused(_)) => false,
            Err(error) => return Err(error.into()),
        });
    }
    Ok(repaired)
}
