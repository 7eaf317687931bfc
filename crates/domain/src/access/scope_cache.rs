//! Which bots and projects were found to be there.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{BotClaim, BotScope, ProjectClaim, ProjectScope};
use crate::error::DomainError;
use crate::id::{BotId, ProjectId};
use crate::lock::Lock;
use crate::store::Repositories;

/// How many are remembered at once.
const CAPACITY: usize = 10_000;

/// A project, or a bot of it.
pub(crate) type ScopeKey = (ProjectId, Option<BotId>);

/// A claim to something that can be found.
pub(crate) trait ResolvableClaim: Clone + Send + 'static {
    /// The right to it once it was found.
    type Scope: Clone + Send + 'static;

    /// Which it is.
    fn key(&self) -> ScopeKey;

    /// The right to it, if it is there.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not.
    fn look_up(&self, tx: &mut dyn Repositories) -> Result<Self::Scope, DomainError>;

    /// The right to it, which is known to be there.
    fn granted(&self) -> Self::Scope;
}

impl ResolvableClaim for BotClaim {
    type Scope = BotScope;

    fn key(&self) -> ScopeKey {
        (self.project_id(), Some(self.bot_id()))
    }

    fn look_up(&self, tx: &mut dyn Repositories) -> Result<BotScope, DomainError> {
        self.scope(tx, Lock::None)
    }

    fn granted(&self) -> BotScope {
        self.granted()
    }
}

impl ResolvableClaim for ProjectClaim {
    type Scope = ProjectScope;

    fn key(&self) -> ScopeKey {
        (self.project_id(), None)
    }

    fn look_up(&self, tx: &mut dyn Repositories) -> Result<ProjectScope, DomainError> {
        self.resolve(tx, Lock::None).map(|(_, scope)| scope)
    }

    fn granted(&self) -> ProjectScope {
        self.granted()
    }
}

/// Bots, and projects themselves, that were found, and under which version of access (see
/// [`crate::store::Store::access_version`]). As long as nothing has changed in the project since, they are there.
#[derive(Default)]
pub(crate) struct ScopeCache(Mutex<HashMap<ScopeKey, u64>>);

impl ScopeCache {
    /// The right to what was found since the latest change in its project, if `changed` is the version of that.
    pub(crate) fn find<C: ResolvableClaim>(
        &self,
        claim: &C,
        changed: Option<u64>,
    ) -> Option<C::Scope> {
        self.has(claim.key(), changed).then(|| claim.granted())
    }

    /// Remembers that something was found. `version` is what was current before it was looked for.
    pub(crate) fn add(&self, claim: &impl ResolvableClaim, version: Option<u64>) {
        self.add_key(claim.key(), version);
    }

    fn has(&self, what: ScopeKey, changed: Option<u64>) -> bool {
        let cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        changed.zip(cache.get(&what)).is_some_and(|(changed, found)| changed <= *found)
    }

    fn add_key(&self, what: ScopeKey, version: Option<u64>) {
        let Some(version) = version else { return };
        let mut cache = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= CAPACITY {
            cache.clear();
        }
        cache.insert(what, version);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_was_found_counts_as_long_as_nothing_has_changed() {
        let cache = ScopeCache::default();
        let project = ProjectId::from_uuid(Uuid::from_u128(1));
        let bot = Some(BotId::from_uuid(Uuid::from_u128(2)));
        assert!(!cache.has((project, bot), Some(7)));
        cache.add_key((project, bot), None);
        assert!(!cache.has((project, bot), None));
        cache.add_key((project, bot), Some(7));
        assert!(cache.has((project, bot), Some(6)));
        assert!(cache.has((project, bot), Some(7)));
        assert!(!cache.has((project, bot), Some(8)));
        assert!(!cache.has((project, bot), None));
        assert!(!cache.has((project, None), Some(7)));
        assert!(!cache.has((ProjectId::NIL, bot), Some(7)));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let cache = ScopeCache::default();
        for number in 0..=CAPACITY as u128 {
            cache.add_key((ProjectId::from_uuid(Uuid::from_u128(number)), None), Some(1));
        }
        assert_eq!(cache.0.lock().unwrap().len(), 1);
    }
}
