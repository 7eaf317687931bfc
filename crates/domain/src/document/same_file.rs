//! Files that are uploaded again: which document is the same, and what becomes of it.

use std::slice;

use super::record::record;
use super::upload::new_copy;
use super::{BotDocument, Document};
use crate::blob::Sha256;
use crate::changelog::Action;
use crate::choice;
use crate::error::DomainError;
use crate::id::BotId;
use crate::unit::ProjectUnit;

choice! {
    /// What becomes of an uploaded file of which the project has a document already.
    OnDuplicate {
        Keep "keep",
        Skip "skip",
        Replace "replace",
    }

    /// By what a document is found to be of the same file.
    MatchBy {
        FileName "fileName",
        Content "content",
    }
}

/// What an upload does if the project has the file already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SameFile {
    /// What becomes of the file.
    pub on_duplicate: OnDuplicate,
    /// What makes it the same.
    pub match_by: MatchBy,
}

impl Default for SameFile {
    /// Every upload makes a document.
    fn default() -> Self {
        Self { on_duplicate: OnDuplicate::Keep, match_by: MatchBy::FileName }
    }
}

impl SameFile {
    /// The newest document of the same file, held exclusively; `None` as well if it makes no difference.
    pub(super) fn find(
        self,
        unit: &mut ProjectUnit<'_>,
        file_name: &str,
        sha256: Sha256,
    ) -> Result<Option<Document>, DomainError> {
        match (self.on_duplicate, self.match_by) {
            (OnDuplicate::Keep, _) => Ok(None),
            (_, MatchBy::FileName) => Ok(unit.tx.document_of_name(&unit.scope, file_name)?),
            (_, MatchBy::Content) => Ok(unit.tx.document_of_content(&unit.scope, sha256)?),
        }
    }

    /// Whether a document of this name would be left as it is, so that its content need not be known.
    pub(super) fn skips_by_name(self) -> bool {
        self == Self { on_duplicate: OnDuplicate::Skip, match_by: MatchBy::FileName }
    }
}

/// What an upload answers for a document that was there before: the document, and the copy of it on the bot through
/// which it came, which gets one if it has none.
pub(super) fn on_bot(
    unit: &mut ProjectUnit<'_>,
    bot: Option<BotId>,
    document: Document,
) -> Result<(Document, Option<BotDocument>), DomainError> {
    let Some(bot) = bot else {
        return Ok((document, None));
    };
    let of_bot = unit.of_bot(bot);
    let had = of_bot.tx.bot_documents(&of_bot.scope, &[document.id])?.pop();
    let copy = match had {
        Some(had) => BotDocument { document: document.clone(), ..had },
        None => {
            let copy = new_copy(&of_bot, document.clone());
            of_bot.tx.insert_bot_documents(&of_bot.scope, slice::from_ref(&copy))?;
            record(unit, Action::Assign, [(bot, &document)])?;
            copy
        }
    };
    Ok((document, Some(copy)))
}
