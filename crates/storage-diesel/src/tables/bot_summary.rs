//! Bots without their configurations.

use diesel::prelude::*;
use domain::StorageError;
use domain::bot::{BotKind, BotState, BotSummary};
use domain::clock::Timestamp;

use crate::engine::tx::decode;
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::schema::bots;

/// A bot without its configuration.
#[derive(Queryable, Selectable)]
#[diesel(table_name = bots)]
pub(super) struct BotSummaryRow {
    id: IdColumn,
    project_id: IdColumn,
    kind: String,
    state: String,
    created_at: i64,
    updated_at: i64,
    deleted_at: Option<i64>,
    name: String,
}

impl BotSummaryRow {
    pub(super) fn summary(self) -> Result<BotSummary, StorageError> {
        Ok(BotSummary {
            id: Stored::from_column(self.id),
            project_id: Stored::from_column(self.project_id),
            kind: decode("bots.kind", self.id, BotKind::parse(&self.kind))?,
            state: state(self.id, &self.state, self.deleted_at)?,
            name: self.name,
            created_at: Timestamp::from_millis(self.created_at),
            updated_at: Timestamp::from_millis(self.updated_at),
        })
    }
}

/// The state of a bot in which a row is that has these columns.
///
/// # Errors
/// [`StorageError::Broken`] if no code has stored that.
pub(super) fn state(
    bot: IdColumn,
    state: &str,
    deleted_at: Option<i64>,
) -> Result<BotState, StorageError> {
    match deleted_at {
        None => decode("bots.state", bot, BotState::parse(state)),
        Some(_) => Ok(BotState::Deleted),
    }
}
