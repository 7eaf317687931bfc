//! Files that are uploaded again: which document is the same, and what becomes of it.

use std::slice;

use super::new_copy::new_copy;
use super::record::record;
use super::{BotDocument, Document, UploadDocument};
use crate::blob::{BlobKind, Sha256};
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
    /// The newest document of the same file, locked exclusively; `None` as well if it makes no difference. A file without
    /// a name has none in common with another.
    pub(super) fn find(
        self,
        unit: &mut ProjectUnit<'_>,
        file_name: Option<&str>,
        sha256: Sha256,
    ) -> Result<Option<Document>, DomainError> {
        let (tx, scope) = (&mut *unit.tx, &unit.scope);
        match (self.on_duplicate, self.match_by) {
            (OnDuplicate::Keep, _) => Ok(None),
            (_, MatchBy::FileName) => match file_name {
                Some(file_name) => Ok(tx.document_of_name(scope, file_name)?),
                None => Ok(None),
            },
            // Equal files of a project have one blob.
            (_, MatchBy::Content) => match tx.present_blob(scope, BlobKind::Document, sha256)? {
                Some(blob) => Ok(tx.document_of_blob(scope, blob.id)?),
                None => Ok(None),
            },
        }
    }

    /// Whether a document of this name would be left as it is, so that its content need not be known.
    pub(super) fn skips_by_name(self) -> bool {
        self == Self { on_duplicate: OnDuplicate::Skip, match_by: MatchBy::FileName }
    }
}

/// The copy of a document that a bot has.
pub(super) fn copy_of(
    unit: &mut ProjectUnit<'_>,
    bot: BotId,
    document: &Document,
) -> Result<Option<BotDocument>, DomainError> {
    let of_bot = unit.of_bot(bot);
    let had = of_bot.tx.bot_documents(&of_bot.scope, &[document.id])?.pop();
    Ok(had.map(|had| BotDocument { document: document.clone(), ..had }))
}

/// What an upload answers for a document that was there before: the document, and the copy of it on the bot through
/// which it came. If the bot has none, it gets one, for what the upload says that the file is for.
pub(super) fn on_bot(
    unit: &mut ProjectUnit<'_>,
    bot: Option<BotId>,
    document: Document,
    request: &UploadDocument,
) -> Result<(Document, Option<BotDocument>), DomainError> {
    let Some(bot) = bot else {
        return Ok((document, None));
    };
    if let Some(copy) = copy_of(unit, bot, &document)? {
        return Ok((document, Some(copy)));
    }
    let of_bot = unit.of_bot(bot);
    let mut copy = new_copy(&of_bot, document.clone());
    if request.skill_id.is_some() {
        copy.skill_id.clone_from(&request.skill_id);
    }
    if request.function_name.is_some() {
        copy.function_name.clone_from(&request.function_name);
    }
    of_bot.tx.insert_bot_documents(&of_bot.scope, slice::from_ref(&copy))?;
    record(unit, Action::Assign, [(bot, &document)])?;
    Ok((document, Some(copy)))
}
