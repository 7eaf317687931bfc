//! Scopes: what a token allows, written `resource:action`.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Scheme;
use crate::choice;

choice! {
    /// One permission of a token (`docs/api.md`, "Tokens and scopes").
    Scope {
        BotRead "bot:read",
        BotWrite "bot:write",
        BotsRead "bots:read",
        BotsWrite "bots:write",
        ChangelogRead "changelog:read",
        EmbeddingRead "embedding:read",
        EmbeddingWrite "embedding:write",
        EventsRead "events:read",
        StatsRead "stats:read",
        FusionRead "fusion:read",
        FusionWrite "fusion:write",
        SkillsRead "skills:read",
        SkillsWrite "skills:write",
        StagesRead "stages:read",
        StagesWrite "stages:write",
        SupervisorRead "supervisor:read",
        ProjectdocRead "projectdoc:read",
        ProjectdocWrite "projectdoc:write",
        ProjectdocChunk "projectdoc:chunk",
        WebhooksRead "webhooks:read",
        WebhooksWrite "webhooks:write",
    }
}

impl Scope {
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Some of the scopes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ScopeSet(u32);

impl ScopeSet {
    /// No scope at all.
    pub const NONE: Self = Self(0);

    /// Every scope that a token of this scheme can have.
    #[must_use]
    pub const fn of_scheme(scheme: Scheme) -> Self {
        const SHARED: ScopeSet = ScopeSet::of(&[
            Scope::ChangelogRead,
            Scope::EmbeddingRead,
            Scope::EmbeddingWrite,
            Scope::EventsRead,
            Scope::StatsRead,
            Scope::FusionRead,
            Scope::FusionWrite,
            Scope::SkillsRead,
            Scope::SkillsWrite,
            Scope::StagesRead,
            Scope::StagesWrite,
        ]);
        let own = match scheme {
            Scheme::Bot => Self::of(&[Scope::BotRead, Scope::BotWrite, Scope::SupervisorRead]),
            Scheme::Project => Self::of(&[
                Scope::BotsRead,
                Scope::BotsWrite,
                Scope::ProjectdocRead,
                Scope::ProjectdocWrite,
                Scope::ProjectdocChunk,
                Scope::WebhooksRead,
                Scope::WebhooksWrite,
            ]),
        };
        SHARED.with(own)
    }

    /// These scopes.
    #[must_use]
    pub const fn of(scopes: &[Scope]) -> Self {
        let mut bits = 0;
        let mut rest = scopes;
        while let [first, tail @ ..] = rest {
            bits |= first.bit();
            rest = tail;
        }
        Self(bits)
    }

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This set without those of the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of the other's scopes are in this set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The scopes, in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.iter().copied().filter(move |scope| self.0 & scope.bit() != 0)
    }

    /// Reads scopes separated by commas or spaces.
    ///
    /// # Errors
    /// The first word that is no scope.
    pub fn parse(text: &str) -> Result<Self, String> {
        let words = text.split([',', ' ']).map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| Scope::parse(word).ok_or_else(|| word.to_owned())).collect()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Debug for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScopeSet({self})")
    }
}

impl Serialize for ScopeSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Scope::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scheme_has_its_scopes() {
        assert_eq!(
            ScopeSet::of_scheme(Scheme::Bot).to_string(),
            "bot:read bot:write changelog:read embedding:read embedding:write events:read stats:read \
             fusion:read fusion:write skills:read skills:write stages:read stages:write \
             supervisor:read"
        );
        assert_eq!(
            ScopeSet::of_scheme(Scheme::Project).to_string(),
            "bots:read bots:write changelog:read embedding:read embedding:write events:read stats:read \
             fusion:read fusion:write skills:read skills:write stages:read stages:write \
             projectdoc:read projectdoc:write projectdoc:chunk webhooks:read webhooks:write"
        );
    }

    #[test]
    fn a_set_reads_back_as_it_was_written() {
        for scheme in [Scheme::Bot, Scheme::Project] {
            let set = ScopeSet::of_scheme(scheme);
            assert_eq!(ScopeSet::parse(&set.to_string()), Ok(set));
        }
        assert_eq!(ScopeSet::parse("bot:read, stats:read").unwrap().iter().count(), 2);
        assert_eq!(ScopeSet::parse("bot:read,nope"), Err("nope".to_owned()));
        assert_eq!(ScopeSet::parse(""), Ok(ScopeSet::NONE));
    }

    #[test]
    fn sets_contain_what_was_put_in() {
        let both = ScopeSet::of(&[Scope::ProjectdocWrite, Scope::BotsWrite]);
        assert!(both.contains(ScopeSet::of(&[Scope::BotsWrite])));
        assert!(!ScopeSet::of(&[Scope::BotsWrite]).contains(both));
        assert!(both.contains(ScopeSet::NONE));
        assert_eq!(both.without(ScopeSet::of(&[Scope::BotsWrite])).to_string(), "projectdoc:write");
    }
}
