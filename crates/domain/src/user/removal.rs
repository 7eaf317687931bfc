//! What becomes of a user who was deleted: hidden at once, and then all that belonged to the user goes
//! batch by batch. The request that deletes does so itself; a job ends what it left, if it was broken
//! off. Both may be at it at once, so each holds the bot while it removes a batch.

use std::sync::Arc;

use crate::access::{BotClaim, BotScope, Operator};
use crate::context::Context;
use crate::error::{DomainError, Resource};
use crate::id::BotId;
use crate::job::{Job, Progress};
use crate::lock::Lock;
use crate::store::Repositories;

/// How many rows one unit removes, so that other writers need not wait long.
const BATCH: u32 = 200;

/// Removes the next batch of what belonged to hidden users of a bot, in whatever state that is by now.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) async fn remove(
    context: &Arc<Context>,
    operator: Operator,
    job: &Job,
    bot: BotId,
) -> Result<Progress, DomainError> {
    context
        .step(operator, job, move |tx| {
            // One that is being torn down is not found: its users go with it.
            let Some(bot) = tx.bot_in_any_state(operator, bot, Lock::Exclusive)? else {
                return Ok(Progress::Done);
            };
            let project = tx.project(operator, bot.project_id)?;
            let project = project.ok_or(DomainError::NotFound(Resource::Project))?;
            remove_batch(tx, &BotScope::at(project.organisation_id, project.id, bot.id, None))
        })
        .await
}

/// Removes all that belonged to hidden users of the claimed bot. If the bot goes away meanwhile, the
/// rest is left to the job.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(super) async fn remove_all(context: &Context, claim: &BotClaim) -> Result<(), DomainError> {
    loop {
        let claim = claim.clone();
        let unit = move |tx: &mut dyn Repositories| {
            let scope = claim.scope(tx, Lock::Exclusive)?;
            remove_batch(tx, &scope)
        };
        match context.store.write(unit).await {
            Ok(Progress::More) => {}
            Ok(Progress::Done | Progress::Later | Progress::Lost)
            | Err(DomainError::NotFound(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// Removes at most [`BATCH`] rows; each user goes after what belonged to the user.
fn remove_batch(tx: &mut dyn Repositories, scope: &BotScope) -> Result<Progress, DomainError> {
    let mut room = BATCH;
    while let Some((user, removed_at)) = tx.hidden_user(scope)? {
        room -= tx.remove_history_of_user(scope, user, room)?.min(room);
        if room > 0 {
            room -= tx.remove_entries_of_user(scope, user, removed_at, room)?.min(room);
        }
        if room == 0 {
            return Ok(Progress::More);
        }
        tx.delete_user(scope, user)?;
        room -= 1;
        if room == 0 {
            return Ok(Progress::More);
        }
    }
    Ok(Progress::Done)
}
