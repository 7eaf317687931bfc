//! The life of a bot as one table (`docs/api.md`, "States of a bot").
//!
//! ```text
//!            archive ─▶ archived ─┐
//! active ──┤                      ├─ restore ─▶ active
//!            trash ───▶ trashed ──┘
//! active, archived, trashed ── delete ─▶ deleted (for ever)
//! trashed ── purge ─▶ deleted: only the emptying of the trash does this
//! ```

use crate::changelog::Action;
use crate::choice;

choice! {
    /// Where a bot is in its life.
    BotState {
        Active "active",
        Archived "archived",
        Trashed "trashed",
        Deleted "deleted",
    }

    /// What can happen to a bot as a whole.
    Transition {
        Archive "archive",
        Trash "trash",
        Restore "restore",
        Delete "delete",
        Purge "purge",
    }
}

/// A step that the bot's state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the bot is {} and can't be {}", from.adjective(), step.participle())]
pub struct ImpossibleTransition {
    /// The state that the bot is in.
    pub from: BotState,
    /// The step that was requested.
    pub step: Transition,
}

impl BotState {
    /// The state after a step.
    ///
    /// # Errors
    /// [`ImpossibleTransition`] if there is no such arrow.
    pub const fn after(self, step: Transition) -> Result<Self, ImpossibleTransition> {
        match (self, step) {
            (Self::Active, Transition::Archive) => Ok(Self::Archived),
            (Self::Active, Transition::Trash) => Ok(Self::Trashed),
            (Self::Archived | Self::Trashed, Transition::Restore) => Ok(Self::Active),
            (Self::Active | Self::Archived | Self::Trashed, Transition::Delete) => {
                Ok(Self::Deleted)
            }
            (Self::Trashed, Transition::Purge) => Ok(Self::Deleted),
            (Self::Active, Transition::Restore)
            | (Self::Active | Self::Archived, Transition::Purge)
            | (Self::Archived | Self::Trashed, Transition::Archive | Transition::Trash)
            | (Self::Deleted, _) => Err(ImpossibleTransition { from: self, step }),
        }
    }

    /// What a bot is in this state, as a part of a sentence.
    pub(super) const fn adjective(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archived => "archived",
            Self::Trashed => "in the trash",
            Self::Deleted => "deleted",
        }
    }

    /// The flag `archived`.
    #[must_use]
    pub fn is_archived(self) -> bool {
        self == Self::Archived
    }

    /// The flag `thisIsTrash`.
    #[must_use]
    pub fn is_trash(self) -> bool {
        self == Self::Trashed
    }
}

impl Transition {
    /// What happens to a bot by this step, as a part of a sentence.
    const fn participle(self) -> &'static str {
        match self {
            Self::Archive => "archived",
            Self::Trash => "put into the trash",
            Self::Restore => "restored",
            Self::Delete | Self::Purge => "deleted",
        }
    }

    /// What the changelog calls this step.
    #[must_use]
    pub const fn action(self) -> Action {
        match self {
            Self::Archive => Action::Archive,
            Self::Trash => Action::Trash,
            Self::Restore => Action::Restore,
            Self::Delete | Self::Purge => Action::Delete,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BotState as State, *};

    const STATES: [State; 4] = [State::Active, State::Archived, State::Trashed, State::Deleted];
    const STEPS: [Transition; 5] = [
        Transition::Archive,
        Transition::Trash,
        Transition::Restore,
        Transition::Delete,
        Transition::Purge,
    ];

    #[test]
    fn the_arrows_are_these_and_no_others() {
        let arrows = [
            (State::Active, Transition::Archive, State::Archived),
            (State::Active, Transition::Trash, State::Trashed),
            (State::Active, Transition::Delete, State::Deleted),
            (State::Archived, Transition::Restore, State::Active),
            (State::Archived, Transition::Delete, State::Deleted),
            (State::Trashed, Transition::Restore, State::Active),
            (State::Trashed, Transition::Delete, State::Deleted),
            (State::Trashed, Transition::Purge, State::Deleted),
        ];
        for from in STATES {
            for step in STEPS {
                let arrow = arrows.iter().find(|(start, name, _)| (*start, *name) == (from, step));
                let expected = arrow.map(|(_, _, end)| *end);
                assert_eq!(from.after(step).ok(), expected, "{from:?} {step:?}");
            }
        }
    }

    #[test]
    fn an_impossible_step_is_said_in_a_sentence() {
        let said = |from: State, step| from.after(step).map_err(|error| error.to_string());
        let restored = Err("the bot is active and can't be restored".to_owned());
        assert_eq!(said(State::Active, Transition::Restore), restored);
        let archived = Err("the bot is in the trash and can't be archived".to_owned());
        assert_eq!(said(State::Trashed, Transition::Archive), archived);
    }

    #[test]
    fn each_flag_stands_for_one_state() {
        let flags = STATES.map(|state| (state.is_archived(), state.is_trash()));
        assert_eq!(flags, [(false, false), (true, false), (false, true), (false, false)]);
    }
}
