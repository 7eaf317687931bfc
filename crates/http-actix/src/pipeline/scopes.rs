//! Scopes as types: a handler names the one that it needs in its signature.

use domain::access::{Scheme, Scope, ScopeSet};

/// What a token must allow for an operation, in each scheme.
pub trait ScopeRule: 'static {
    /// The scopes that a token of this scheme needs, all of them.
    const BOT: ScopeSet;
    /// The same for the project scheme.
    const PROJECT: ScopeSet;

    /// The scopes that a token of this scheme needs.
    #[must_use]
    fn required(scheme: Scheme) -> ScopeSet {
        match scheme {
            Scheme::Bot => Self::BOT,
            Scheme::Project => Self::PROJECT,
        }
    }
}

macro_rules! scope_rules {
    ($($(#[$doc:meta])* $rule:ident: [$($bot:ident)*], [$($project:ident)*];)+) => {$(
        $(#[$doc])*
        pub struct $rule;

        impl ScopeRule for $rule {
            const BOT: ScopeSet = ScopeSet::of(&[$(Scope::$bot),*]);
            const PROJECT: ScopeSet = ScopeSet::of(&[$(Scope::$project),*]);
        }
    )+};
}

scope_rules! {
    /// None: every valid token will do.
    NoScope: [], [];
    /// `bot:read`, for a project token `bots:read`.
    BotRead: [BotRead], [BotsRead];
    /// `bot:write`, for a project token `bots:write`.
    BotWrite: [BotWrite], [BotsWrite];
    /// `changelog:read`
    ChangelogRead: [ChangelogRead], [ChangelogRead];
    /// `embedding:read`
    EmbeddingRead: [EmbeddingRead], [EmbeddingRead];
    /// `embedding:write`
    EmbeddingWrite: [EmbeddingWrite], [EmbeddingWrite];
    /// `events:read`
    EventsRead: [EventsRead], [EventsRead];
    /// `fusion:read`
    FusionRead: [FusionRead], [FusionRead];
    /// `fusion:write`
    FusionWrite: [FusionWrite], [FusionWrite];
    /// `projectdoc:read`, which only project tokens have.
    ProjectdocRead: [], [ProjectdocRead];
    /// `projectdoc:write`, which only project tokens have.
    ProjectdocWrite: [], [ProjectdocWrite];
    /// `projectdoc:chunk`, which only project tokens have.
    ProjectdocChunk: [], [ProjectdocChunk];
    /// `projectdoc:write` and `bots:write`, which only project tokens have.
    ProjectdocAndBotWrite: [], [ProjectdocWrite BotsWrite];
    /// `skills:read`
    SkillsRead: [SkillsRead], [SkillsRead];
    /// `skills:write`
    SkillsWrite: [SkillsWrite], [SkillsWrite];
    /// `stats:read`
    StatsRead: [StatsRead], [StatsRead];
    /// `supervisor:read`, which only bot tokens have.
    SupervisorRead: [SupervisorRead], [SupervisorRead];
    /// `stages:read`
    StagesRead: [StagesRead], [StagesRead];
    /// `stages:write`
    StagesWrite: [StagesWrite], [StagesWrite];
    /// `webhooks:read`, which only project tokens have.
    WebhooksRead: [], [WebhooksRead];
    /// `webhooks:write`, which only project tokens have.
    WebhooksWrite: [], [WebhooksWrite];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_says_what_every_scope_is_for() {
        let document = include_str!("../../../../docs/api.md");
        let (_, section) = document.split_once("\n## Tokens and scopes\n").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let (_, rows) =
            section.split_once("\n| Operation | Bot token | Project token |\n").unwrap();
        let rows: Vec<_> = rows.lines().take_while(|line| line.starts_with('|')).collect();
        for scope in Scope::ALL {
            let word = format!("`{}`", scope.as_str());
            assert!(rows.iter().any(|row| row.contains(&word)), "{word}");
        }
    }
}
