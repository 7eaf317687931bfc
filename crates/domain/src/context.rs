//! What every service works with, and the one way in which content of a bot is written.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::access::{BotClaim, BotScope};
use crate::bot::Bot;
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::error::DomainError;
use crate::id::{BotId, Ids};
use crate::store::{Lock, Repositories, Store};

/// Numbers that bound what tenants can use up. Every one is a setting.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bots of a project, in whatever state; 0 switches the quota off.
    pub bots_per_project: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bots_per_project: 10_000 }
    }
}

/// The ports and rules that the services share.
pub(crate) struct Context {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) ids: Ids,
    pub(crate) limits: Limits,
    /// Bots whose changelog grew since it was last trimmed.
    grown_changelogs: Mutex<HashSet<BotId>>,
}

impl Context {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        limits: Limits,
    ) -> Self {
        let ids = Ids::new(clock.clone(), entropy.clone());
        let grown_changelogs = Mutex::default();
        Self { store, clock, entropy, ids, limits, grown_changelogs }
    }

    /// Reads of a bot in one unit, which begins by looking the bot up.
    pub(crate) async fn read_bot<T, F>(&self, claim: &BotClaim, unit: F) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories, Bot, &BotScope) -> Result<T, DomainError> + Send + 'static,
    {
        let claim = claim.clone();
        self.store
            .read(move |tx| {
                let (bot, scope) = claim.resolve(tx, Lock::None)?;
                unit(tx, bot, &scope)
            })
            .await
    }

    /// Changes a bot in one unit, which begins by looking the bot up and holding it. Times and ids of
    /// the change are taken inside of it: what took effect later must not look earlier.
    pub(crate) async fn write_bot<T, F>(
        &self,
        claim: &BotClaim,
        lock: Lock,
        unit: F,
    ) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories, Bot, &BotScope) -> Result<T, DomainError> + Send + 'static,
    {
        let bot_id = claim.bot_id();
        let claim = claim.clone();
        let done = self
            .store
            .write(move |tx| {
                let (bot, scope) = claim.resolve(tx, lock)?;
                unit(tx, bot, &scope)
            })
            .await?;
        self.changelog_grew(bot_id);
        Ok(done)
    }

    /// Remembers a bot whose changelog may have to be trimmed.
    pub(crate) fn changelog_grew(&self, bot: BotId) {
        self.grown_changelogs.lock().unwrap_or_else(PoisonError::into_inner).insert(bot);
    }

    /// The bots remembered since the last call.
    pub(crate) fn take_grown_changelogs(&self) -> Vec<BotId> {
        self.grown_changelogs.lock().unwrap_or_else(PoisonError::into_inner).drain().collect()
    }
}
