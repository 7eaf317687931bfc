//! Which bots and projects were found to be there.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::ResolvableClaim;
use crate::id::{BotId, ProjectId};

/// How many are remembered at once.
const CAPACITY: usize = 10_000;

/// A project, or a bot of it.
type ScopeKey = (ProjectId, Option<BotId>);

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
        self.has(key(claim), changed).then(|| claim.granted())
    }

    /// Remembers that something was found. `version` is what was current before it was looked for.
    pub(crate) fn add(&self, claim: &impl ResolvableClaim, version: Option<u64>) {
        self.add_key(key(claim), version);
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

fn key(claim: &impl ResolvableClaim) -> ScopeKey {
    (claim.project_id(), claim.bot_id())
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
