//! What becomes of a bot that was deleted for good. The delete itself hides it and revokes its tokens,
//! in one short unit; a job then removes what it had, batch by batch.

use std::sync::Arc;

use crate::access::{BotScope, Operator};
use crate::blob;
use crate::context::Context;
use crate::crawl;
use crate::error::{DomainError, Resource};
use crate::id::BotId;
use crate::job::{Job, Progress};
use crate::store::Repositories;

/// How many rows one unit removes, so that other writers need not wait long.
const BATCH: u32 = 200;

/// Removes at most so many rows of one kind; returns how many went.
type Remove = fn(&mut dyn Repositories, &Context, &BotScope, u32) -> Result<u32, DomainError>;

/// All that a bot has, in an order in which nothing refers to what went before.
const CONTENT: [Remove; 13] = [
    |tx, _, scope, limit| Ok(tx.remove_history(scope, limit)?),
    |tx, _, scope, limit| Ok(tx.remove_users(scope, limit)?),
    |tx, _, scope, limit| Ok(tx.remove_usage(scope, limit)?),
    |tx, _, scope, limit| Ok(tx.remove_feedback(scope, limit)?),
    |tx, _, scope, limit| Ok(tx.remove_keyval_entries(scope, limit)?),
    |tx, _, scope, limit| Ok(tx.remove_visual_blocks(scope, limit)?),
    |tx, _, scope, limit| Ok(tx.remove_stages(scope, limit)?),
    |tx, _, scope, limit| Ok(tx.remove_skills(scope, limit)?),
    remove_fusion_views,
    remove_crawls,
    |tx, _, scope, limit| Ok(tx.remove_bot_documents(scope, limit)?),
    |tx, _, scope, limit| Ok(tx.remove_changelog(scope, limit)?),
    |tx, _, scope, limit| Ok(tx.remove_tokens_of_bot(scope, limit)?),
];

fn remove_fusion_views(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &BotScope,
    limit: u32,
) -> Result<u32, DomainError> {
    let mut removed = 0;
    for blob in tx.remove_fusion_views(scope, limit)? {
        removed += 1;
        if let Some(blob) = blob {
            blob::release(tx, context, scope.project_id(), blob)?;
        }
    }
    Ok(removed)
}

fn remove_crawls(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &BotScope,
    limit: u32,
) -> Result<u32, DomainError> {
    let mut removed = 0;
    for set in tx.remove_crawls(scope, limit)? {
        removed += 1;
        crawl::release_page_set(tx, context, scope, set)?;
    }
    Ok(removed)
}

/// Removes the next batch of a deleted bot's content, and the bot itself after the last one.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) async fn tear_down(
    context: &Arc<Context>,
    operator: Operator,
    job: &Job,
    id: BotId,
) -> Result<Progress, DomainError> {
    let unit_context = context.clone();
    context
        .step(operator, job, move |tx| {
            let Some(bot) = tx.removed_bot(operator, id)? else {
                return Ok(Progress::Done);
            };
            let project = tx.project(operator, bot.project_id)?;
            let project = project.ok_or(DomainError::NotFound(Resource::Project))?;
            let scope = BotScope::at(project.organisation_id, project.id, bot.id, None);
            let mut room = BATCH;
            for remove in CONTENT {
                room -= remove(tx, &unit_context, &scope, room)?.min(room);
                if room == 0 {
                    return Ok(Progress::More);
                }
            }
            tx.delete_bot(&scope)?;
            Ok(Progress::Done)
        })
        .await
}
