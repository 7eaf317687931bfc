//! The event that says how a crawl has ended.

use super::{CrawlError, CrawlProgress, CrawlStatus};
use crate::error::DomainError;
use crate::event::{EventData, EventType};
use crate::id::CrawlId;
use crate::unit::BotUnit;

/// Writes the event of a crawl that has ended, if it has.
pub(super) fn emit_end(
    unit: &mut BotUnit<'_>,
    id: CrawlId,
    progress: &CrawlProgress,
) -> Result<(), DomainError> {
    let event_type = match progress.status {
        CrawlStatus::Queued | CrawlStatus::Running => return Ok(()),
        CrawlStatus::Finished => EventType::CrawlFinished,
        CrawlStatus::Failed => EventType::CrawlFailed,
        CrawlStatus::Cancelled => EventType::CrawlCancelled,
    };
    let data = EventData {
        pages_scraped: Some(progress.pages_scraped),
        pages_failed: Some(progress.pages_failed),
        error: progress.error.map(CrawlError::as_str),
        ..EventData::NONE
    };
    unit.emit(event_type, id, &data)
}
