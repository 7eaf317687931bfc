//! Which bots and projects were found to be there.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::{BotClaim, BotScope, ProjectClaim, ProjectScope};
use crate::id::{BotId, ProjectId};

/// How many are remembered at once.
const MOST: usize = 10_000;

/// Bots, and projects themselves, that were found, and under which version of access (see
/// [`crate::store::Store::access_version`]). As long as it has not grown, they are there.
#[derive(Default)]
pub(crate) struct Found(Mutex<HashMap<(ProjectId, Option<BotId>), u64>>);

impl Found {
    /// The right to a bot that was found under the version that is current.
    pub(crate) fn bot(&self, claim: &BotClaim, current: Option<u64>) -> Option<BotScope> {
        self.has(key_of_bot(claim), current).then(|| claim.granted())
    }

    /// The right to a project that was found under the version that is current.
    pub(crate) fn project(
        &self,
        claim: &ProjectClaim,
        current: Option<u64>,
    ) -> Option<ProjectScope> {
        self.has((claim.project_id(), None), current).then(|| claim.granted())
    }

    /// Remembers that a bot was found. `version` is what was current before it was looked for.
    pub(crate) fn add_bot(&self, claim: &BotClaim, version: Option<u64>) {
        self.add(key_of_bot(claim), version);
    }

    /// Remembers that a project was found; see [`Self::add_bot`].
    pub(crate) fn add_project(&self, claim: &ProjectClaim, version: Option<u64>) {
        self.add((claim.project_id(), None), version);
    }

    fn has(&self, what: (ProjectId, Option<BotId>), current: Option<u64>) -> bool {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        current.is_some_and(|current| found.get(&what) == Some(&current))
    }

    fn add(&self, what: (ProjectId, Option<BotId>), version: Option<u64>) {
        let Some(version) = version else { return };
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if found.len() >= MOST {
            found.clear();
        }
        found.insert(what, version);
    }
}

fn key_of_bot(claim: &BotClaim) -> (ProjectId, Option<BotId>) {
    (claim.project_id(), Some(claim.bot_id()))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_was_found_counts_as_long_as_nothing_has_changed() {
        let found = Found::default();
        let project = ProjectId::from_uuid(Uuid::from_u128(1));
        let bot = Some(BotId::from_uuid(Uuid::from_u128(2)));
        assert!(!found.has((project, bot), Some(7)));
        found.add((project, bot), None);
        assert!(!found.has((project, bot), None));
        found.add((project, bot), Some(7));
        assert!(found.has((project, bot), Some(7)));
        assert!(!found.has((project, bot), Some(8)));
        assert!(!found.has((project, bot), None));
        assert!(!found.has((project, None), Some(7)));
        assert!(!found.has((ProjectId::OF_NOTHING, bot), Some(7)));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let found = Found::default();
        for number in 0..=MOST as u128 {
            found.add((ProjectId::from_uuid(Uuid::from_u128(number)), None), Some(1));
        }
        assert_eq!(found.0.lock().unwrap().len(), 1);
    }
}
