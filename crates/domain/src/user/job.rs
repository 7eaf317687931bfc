//! What becomes of a user who was deleted: marked at once, and then all that belonged to the user goes
//! batch by batch. The request that deletes does so itself; a job ends what it left, if it was broken
//! off. Both may be at it at once, so each locks the bot while it removes a batch.

use std::sync::Arc;

use crate::access::{BotClaim, BotScope, Operator};
use crate::context::Context;
use crate::error::DomainError;
use crate::id::BotId;
use crate::job::handler::JobHandler;
use crate::job::run::JobRun;
use crate::job::{JobKind, StepOutcome};
use crate::lock::Lock;
use crate::unit::{BotUnit, Unit};

/// Removes what belonged to deleted users of a bot.
pub const REMOVE_USERS: JobKind = JobKind::new("remove_users");

/// How many rows one unit removes, so that other writers need not wait long.
const BATCH: u32 = 200;

pub(crate) struct RemoveUsers;

impl JobHandler for RemoveUsers {
    type Subject = BotId;

    const KIND: JobKind = REMOVE_USERS;
    const LOGS_AT_DEBUG: bool = false;

    async fn step(run: JobRun, bot: BotId) -> Result<StepOutcome, DomainError> {
        let operator = run.operator;
        run.delete(move |unit| remove(unit, operator, bot)).await
    }
}

/// Removes the next batch of what belonged to deleted users of a bot, in any state that is by now.
fn remove(unit: &mut Unit<'_>, operator: Operator, bot: BotId) -> Result<StepOutcome, DomainError> {
    // One that is being torn down is not found: its users go with it.
    let Some(bot) = unit.tx.bot_in_any_state(operator, bot, Lock::Exclusive)? else {
        return Ok(StepOutcome::Done);
    };
    let scope = BotScope::of_operator(unit.tx, operator, &bot)?;
    remove_batch(&mut unit.with_scope(scope))
}

/// Removes all that belonged to deleted users of the claimed bot. If the bot goes away meanwhile, the
/// rest is left to the job.
pub(super) async fn remove_all(
    context: &Arc<Context>,
    claim: &BotClaim,
) -> Result<(), DomainError> {
    loop {
        match context.delete_claimed(claim, Lock::Exclusive, remove_batch).await {
            Ok(StepOutcome::Continue) => {}
            Ok(
                StepOutcome::Done
                | StepOutcome::Unsuccessful(_)
                | StepOutcome::Waiting
                | StepOutcome::NoFreeSlot
                | StepOutcome::LeaseLost,
            )
            | Err(DomainError::NotFound(_)) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// Removes at most [`BATCH`] rows, and fewer if they are large; each user goes after what belonged to the user.
fn remove_batch(unit: &mut BotUnit<'_>) -> Result<StepOutcome, DomainError> {
    let (tx, scope) = (&mut *unit.tx, &unit.scope);
    let mut room = BATCH;
    while let Some((user, deleted_at)) = tx.deleted_user(scope)? {
        let (removed, were_all) = tx.remove_history_of_user(scope, user, room)?;
        if !were_all {
            return Ok(StepOutcome::Continue);
        }
        room -= removed;
        let (removed, were_all) = tx.remove_entries_of_user(scope, user, deleted_at, room)?;
        if !were_all {
            return Ok(StepOutcome::Continue);
        }
        room -= removed;
        tx.remove_deleted_user(scope, user)?;
        room -= 1;
        if room == 0 {
            return Ok(StepOutcome::Continue);
        }
    }
    Ok(StepOutcome::Done)
}
