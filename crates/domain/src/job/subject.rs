//! What a job is done to.

use std::fmt;

use crate::id::{BlobId, BotId, ConfigId, CrawlId, ExtractionId, PageSetId, WebhookId};

/// What a job is done to, as its row keeps it.
pub(crate) trait JobSubject: Sized + Send + fmt::Display + 'static {
    /// Reads what [`fmt::Display`] wrote.
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! ids {
    ($($id:ident)+) => {$(
        impl JobSubject for $id {
            fn parse(text: &str) -> Option<Self> {
                Self::parse(text)
            }
        }
    )+};
}

ids! { BlobId BotId ConfigId CrawlId ExtractionId PageSetId WebhookId }

/// The subject of a job that concerns everything.
pub(crate) struct WholeInstallation;

impl fmt::Display for WholeInstallation {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl JobSubject for WholeInstallation {
    fn parse(text: &str) -> Option<Self> {
        text.is_empty().then_some(Self)
    }
}
