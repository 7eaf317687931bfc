//! Which bots and projects were found to be there.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::id::{BotId, ProjectId};

/// How many are remembered at once.
const MOST: usize = 10_000;

/// Bots, and projects themselves, that were found under a version of access.
#[derive(Default)]
pub(super) struct Found(Mutex<HashMap<(ProjectId, Option<BotId>), u64>>);

impl Found {
    /// Whether this was found under the version that is current.
    pub(super) fn has(&self, what: (ProjectId, Option<BotId>), current: u64) -> bool {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        found.get(&what) == Some(&current)
    }

    /// Remembers that this was found. `version` is what was current before it was looked for.
    pub(super) fn add(&self, what: (ProjectId, Option<BotId>), version: u64) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if found.len() >= MOST {
            found.clear();
        }
        found.insert(what, version);
    }
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
        assert!(!found.has((project, bot), 7));
        found.add((project, bot), 7);
        assert!(found.has((project, bot), 7));
        assert!(!found.has((project, bot), 8));
        assert!(!found.has((project, None), 7));
        assert!(!found.has((ProjectId::OF_NOTHING, bot), 7));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let found = Found::default();
        for number in 0..=MOST as u128 {
            found.add((ProjectId::from_uuid(Uuid::from_u128(number)), None), 1);
        }
        assert_eq!(found.0.lock().unwrap().len(), 1);
    }
}
