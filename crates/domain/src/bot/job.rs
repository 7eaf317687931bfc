//! What becomes of a bot that was deleted for good. The delete itself hides it and revokes its tokens,
//! in one short unit; a job then removes what it had, batch by batch.

use super::pending_config::release_config;
use crate::access::{BotScope, Operator};
use crate::blob;
use crate::crawl;
use crate::error::DomainError;
use crate::id::BotId;
use crate::job::handler::JobHandler;
use crate::job::run::JobRun;
use crate::job::{JobKind, StepOutcome};
use crate::unit::{BotUnit, Unit};

/// Removes what a deleted bot had, and then the bot.
pub const TEARDOWN_BOT: JobKind = JobKind::new("teardown_bot");

pub(crate) struct TeardownBot;

impl JobHandler for TeardownBot {
    type Subject = BotId;

    const KIND: JobKind = TEARDOWN_BOT;
    const LOGS_AT_DEBUG: bool = false;

    async fn step(run: JobRun, bot: BotId) -> Result<StepOutcome, DomainError> {
        let operator = run.operator;
        run.delete(move |unit| tear_down(unit, operator, bot)).await
    }
}

/// How many rows one unit removes at most, so that other writers need not wait long.
const BATCH: u32 = 200;

/// Removes at most so many rows of one kind, and at least one if there is any; returns their number.
type Remove = fn(&mut BotUnit<'_>, u32) -> Result<u32, DomainError>;

/// All that a bot has, in an order in which nothing refers to what went before.
const CONTENT: [Remove; 14] = [
    |unit, limit| Ok(unit.tx.remove_idempotent_requests_of_bot(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_history(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_users(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_usage(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_feedback(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_keyval_entries(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_visual_blocks(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_stages(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_skills(&unit.scope, limit)?),
    remove_fusion_views,
    remove_crawls,
    |unit, limit| Ok(unit.tx.remove_bot_documents(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_changelog(&unit.scope, limit)?),
    |unit, limit| Ok(unit.tx.remove_tokens_of_bot(&unit.scope, limit)?),
];

fn remove_fusion_views(unit: &mut BotUnit<'_>, limit: u32) -> Result<u32, DomainError> {
    let mut removed = 0;
    for blob in unit.tx.remove_fusion_views(&unit.scope, limit)? {
        removed += 1;
        if let Some(blob) = blob {
            blob::release(unit, blob)?;
        }
    }
    Ok(removed)
}

fn remove_crawls(unit: &mut BotUnit<'_>, limit: u32) -> Result<u32, DomainError> {
    let mut removed = 0;
    for set in unit.tx.remove_crawls(&unit.scope, limit)? {
        removed += 1;
        crawl::release_page_set(unit, set)?;
    }
    Ok(removed)
}

/// Removes the next rows of a deleted bot's content, all of one kind, and the bot itself after the last ones.
fn tear_down(
    unit: &mut Unit<'_>,
    operator: Operator,
    bot: BotId,
) -> Result<StepOutcome, DomainError> {
    let Some(bot) = unit.tx.deleted_bot(operator, bot)? else {
        return Ok(StepOutcome::Done);
    };
    let scope = BotScope::of_operator(unit.tx, operator, &bot)?;
    let mut unit = unit.with_scope(scope);
    for remove in CONTENT {
        // There may be more of them: of large rows a unit removes few.
        if remove(&mut unit, BATCH)? > 0 {
            return Ok(StepOutcome::Continue);
        }
    }
    let config = unit.tx.remove_deleted_bot(&unit.scope)?;
    release_config(&mut unit, config)?;
    Ok(StepOutcome::Done)
}
