//! The bot that a duplicate is made of, read before the unit of work that copies it: a configuration of megabytes would
//! keep those that wait for that unit.

use std::sync::Arc;

use super::tokens::{check_precondition, content_tag};
use super::unfinished::CLOCK_TOLERANCE;
use super::{Bot, BotConfig, DuplicateBot};
use crate::access::{BotClaim, Conditional as _};
use crate::changelog::{ContentChanges, FieldChange};
use crate::clock::Timestamp;
use crate::entity_tag::EntityTag;
use crate::error::{DomainError, StorageError};
use crate::lock::Lock;
use crate::memory::ReservedBytes;
use crate::unit::{BotUnit, Unit};
use crate::violation::Violations;

/// The state in which a bot was read.
#[derive(Debug)]
pub(super) struct ReadState {
    /// The latest changes of the bot.
    changes: ContentChanges,
    /// Since when they are looked for.
    since: Timestamp,
}

impl ReadState {
    /// Whether the bot is still in this state. Only if it is locked exclusively that is certain: otherwise a change may be
    /// in progress of which the entry in the changelog is not there yet.
    pub fn is_current(&self, unit: &mut BotUnit<'_>) -> Result<bool, StorageError> {
        let changes = unit.tx.content_changes(&unit.scope, self.since)?;
        Ok(!changes.has_more_than(&self.changes))
    }
}

/// A bot that is copied, and what its copy is to have of it.
#[derive(Debug)]
pub(super) struct Original {
    /// Its name.
    pub name: String,
    /// The configuration of the copy.
    pub config: BotConfig,
    /// The same as changes from nothing.
    pub changes_of_copy: Vec<FieldChange>,
    /// Whether the copy may have that configuration.
    pub size_check: Result<(), Violations>,
    /// The state that was read.
    pub state: Arc<ReadState>,
    /// The tag of the bot, if there is a precondition to be evaluated by it.
    tag: Option<EntityTag>,
    /// The reservations of memory for it, unless they belong to the request.
    pub reserved: Vec<ReservedBytes>,
}

impl Original {
    /// Reads the bot, all of it in one state.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not there.
    pub fn read<S>(
        unit: &mut Unit<'_, S>,
        claim: &BotClaim,
        request: &DuplicateBot,
    ) -> Result<Self, DomainError> {
        let since = unit.now().minus(CLOCK_TOLERANCE);
        let (bot, scope) = claim.resolve(unit.tx, Lock::None)?;
        let changes = unit.tx.content_changes(&scope, since)?;
        let tag = claim.precondition().map(|_| content_tag(&bot));
        let Bot { config, .. } = bot;
        let copy_name = request.name_for(&config.name);
        let name = config.name.clone();
        let config = BotConfig { name: copy_name, ..config };
        let (changes_of_copy, size_check) = (config.as_changes(), config.check_size());
        let state = Arc::new(ReadState { changes, since });
        Ok(Self { name, config, changes_of_copy, size_check, state, tag, reserved: Vec::new() })
    }

    /// The same, which this memory counts for.
    pub fn with_reserved(self, reserved: Vec<ReservedBytes>) -> Self {
        Self { reserved, ..self }
    }

    /// Evaluates the precondition of the change by the bot as it was read.
    pub fn check_precondition(&self, unit: &mut BotUnit<'_>) -> Result<(), DomainError> {
        check_precondition(unit, || self.tag)
    }
}
