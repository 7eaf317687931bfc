//! What a duplicate takes over from its bot.

use uuid::Uuid;

use crate::access::BotScope;
use crate::clock::Timestamp;
use crate::copy_step::CopyStep;
use crate::error::{DomainError, StorageError};
use crate::id::{BotId, Ids};
use crate::store::Repositories;
use crate::unit::BotUnit;

/// How far the copying of a bot's content is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CopyProgress {
    /// Tables that were copied.
    tables: usize,
    /// The last row of the next table that was copied.
    after: Option<Uuid>,
}

/// Copies rows of one kind; returns whether all of them are copied.
type CopyRows = fn(&mut Copying<'_>, &mut CopyStep) -> Result<bool, StorageError>;

/// What the rows of all kinds have in common.
struct Copying<'a> {
    tx: &'a mut dyn Repositories,
    from: &'a BotScope,
    to: &'a BotScope,
    at: Timestamp,
    ids: &'a Ids,
}

/// All that a bot is made of, in an order in which nothing refers to what comes later.
const CONTENT: [CopyRows; 6] = [
    |Copying { tx, from, to, at, ids }, step| {
        tx.copy_skills((from, to), *at, step, &mut || ids.next().into())
    },
    |Copying { tx, from, to, at, ids }, step| {
        tx.copy_stages((from, to), *at, step, &mut || ids.next().into())
    },
    |Copying { tx, from, to, at, ids }, step| {
        tx.copy_visual_blocks((from, to), *at, step, &mut || ids.next().into())
    },
    |Copying { tx, from, to, at, ids }, step| {
        tx.copy_fusion_views((from, to), *at, step, &mut || ids.next().into())
    },
    |Copying { tx, from, to, at, ids }, step| {
        tx.copy_crawls((from, to), *at, step, &mut || ids.next().into())
    },
    |Copying { tx, from, to, at, ids }, step| {
        tx.copy_bot_documents((from, to), *at, step, &mut || ids.next().into())
    },
];

/// A copy that is not complete, and that no client can find yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnpublishedCopy {
    pub id: BotId,
    /// When it was made, and with it all that it has.
    pub at: Timestamp,
}

/// Copies at most so many bytes of what the unit's bot is made of; `None` when all is copied. Long texts do
/// not leave the database.
pub(super) fn copy_content(
    unit: &mut BotUnit<'_>,
    UnpublishedCopy { id, at }: UnpublishedCopy,
    progress: CopyProgress,
    bytes: u64,
) -> Result<Option<CopyProgress>, DomainError> {
    let to = unit.scope.project().with_bot(id);
    let ids = &unit.context.ids;
    let mut copying = Copying { tx: &mut *unit.tx, from: &unit.scope, to: &to, at, ids };
    let mut step = CopyStep::new(progress.after, bytes);
    for (tables, copy_rows) in CONTENT.iter().enumerate().skip(progress.tables) {
        if !copy_rows(&mut copying, &mut step)? {
            return Ok(Some(CopyProgress { tables, after: step.after() }));
        }
    }
    Ok(None)
}
