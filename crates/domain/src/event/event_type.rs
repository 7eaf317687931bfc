//! What can happen.

use crate::changelog::{Action, ChangedResource};
use crate::choice;

choice! {
    /// The type of an event: what happened.
    EventType {
        BotCreated "bot.created",
        BotUpdated "bot.updated",
        BotDuplicated "bot.duplicated",
        BotArchived "bot.archived",
        BotTrashed "bot.trashed",
        BotRestored "bot.restored",
        BotDeleted "bot.deleted",
        SkillCreated "skill.created",
        SkillUpdated "skill.updated",
        SkillDeleted "skill.deleted",
        StageCreated "stage.created",
        StageUpdated "stage.updated",
        StageDeleted "stage.deleted",
        FusionCreated "fusion.created",
        FusionUpdated "fusion.updated",
        FusionDeleted "fusion.deleted",
        FusionPackageUploaded "fusion.package_uploaded",
        CrawlCreated "crawl.created",
        CrawlStarted "crawl.started",
        CrawlUpdated "crawl.updated",
        CrawlFinished "crawl.finished",
        CrawlFailed "crawl.failed",
        CrawlCancelled "crawl.cancelled",
        CrawlDeleted "crawl.deleted",
        DocumentUploaded "document.uploaded",
        DocumentReplaced "document.replaced",
        DocumentExtractionRequested "document.extraction_requested",
        DocumentExtracted "document.extracted",
        DocumentExtractionFailed "document.extraction_failed",
        DocumentDeleted "document.deleted",
        DocumentAssigned "document.assigned",
        DocumentUnassigned "document.unassigned",
        UserCreated "user.created",
        UserUpdated "user.updated",
        UserDeleted "user.deleted",
        UsersImported "users.imported",
        FeedbackCreated "feedback.created",
        FeedbackImported "feedback.imported",
        KeyvalExpired "keyval.expired",
        TokenMinted "token.minted",
        TokenRevoked "token.revoked",
        WebhookCreated "webhook.created",
        WebhookUpdated "webhook.updated",
        WebhookDeleted "webhook.deleted",
        WebhookDisabled "webhook.disabled",
        WebhookTest "webhook.test",
    }

    /// What it has happened to: a word of the changelog, or one of those that have no changelog.
    EventResource {
        Bot "bot",
        Skill "skill",
        Stage "stage",
        Fusion "fusion",
        Embedding "embedding",
        Document "document",
        User "user",
        Feedback "feedback",
        Keyval "keyval",
        Token "token",
        Webhook "webhook",
    }
}

impl EventType {
    /// What events of this type are about.
    #[must_use]
    pub const fn resource(self) -> EventResource {
        match self {
            Self::BotCreated
            | Self::BotUpdated
            | Self::BotDuplicated
            | Self::BotArchived
            | Self::BotTrashed
            | Self::BotRestored
            | Self::BotDeleted => EventResource::Bot,
            Self::SkillCreated | Self::SkillUpdated | Self::SkillDeleted => EventResource::Skill,
            Self::StageCreated | Self::StageUpdated | Self::StageDeleted => EventResource::Stage,
            Self::FusionCreated
            | Self::FusionUpdated
            | Self::FusionDeleted
            | Self::FusionPackageUploaded => EventResource::Fusion,
            Self::CrawlCreated
            | Self::CrawlStarted
            | Self::CrawlUpdated
            | Self::CrawlFinished
            | Self::CrawlFailed
            | Self::CrawlCancelled
            | Self::CrawlDeleted => EventResource::Embedding,
            Self::DocumentUploaded
            | Self::DocumentReplaced
            | Self::DocumentExtractionRequested
            | Self::DocumentExtracted
            | Self::DocumentExtractionFailed
            | Self::DocumentDeleted
            | Self::DocumentAssigned
            | Self::DocumentUnassigned => EventResource::Document,
            Self::UserCreated | Self::UserUpdated | Self::UserDeleted | Self::UsersImported => {
                EventResource::User
            }
            Self::FeedbackCreated | Self::FeedbackImported => EventResource::Feedback,
            Self::KeyvalExpired => EventResource::Keyval,
            Self::TokenMinted | Self::TokenRevoked => EventResource::Token,
            Self::WebhookCreated
            | Self::WebhookUpdated
            | Self::WebhookDeleted
            | Self::WebhookDisabled
            | Self::WebhookTest => EventResource::Webhook,
        }
    }

    /// The event of a change that the changelog of a bot has. Duplicates of bots, and what is done to a document
    /// itself, have events of their own; a bot that had a document which was deleted has it no more.
    pub(crate) const fn of_change(action: Action, resource: ChangedResource) -> Option<Self> {
        use Action as Did;
        Some(match (resource, action) {
            (ChangedResource::Bot, Did::Create) => Self::BotCreated,
            (ChangedResource::Bot, Did::Update) => Self::BotUpdated,
            (ChangedResource::Bot, Did::Archive) => Self::BotArchived,
            (ChangedResource::Bot, Did::Trash) => Self::BotTrashed,
            (ChangedResource::Bot, Did::Restore) => Self::BotRestored,
            (ChangedResource::Skill, Did::Create) => Self::SkillCreated,
            (ChangedResource::Skill, Did::Update) => Self::SkillUpdated,
            (ChangedResource::Skill, Did::Delete) => Self::SkillDeleted,
            (ChangedResource::Stage, Did::Create) => Self::StageCreated,
            (ChangedResource::Stage, Did::Update) => Self::StageUpdated,
            (ChangedResource::Stage, Did::Delete) => Self::StageDeleted,
            (ChangedResource::Fusion, Did::Create) => Self::FusionCreated,
            (ChangedResource::Fusion, Did::Update) => Self::FusionUpdated,
            (ChangedResource::Fusion, Did::Delete) => Self::FusionDeleted,
            (ChangedResource::Fusion, Did::Upload) => Self::FusionPackageUploaded,
            (ChangedResource::Embedding, Did::Create) => Self::CrawlCreated,
            (ChangedResource::Embedding, Did::Update) => Self::CrawlUpdated,
            (ChangedResource::Embedding, Did::Delete) => Self::CrawlDeleted,
            (ChangedResource::Document, Did::Assign) => Self::DocumentAssigned,
            (ChangedResource::Document, Did::Unassign | Did::Delete) => Self::DocumentUnassigned,
            (ChangedResource::User, Did::Create) => Self::UserCreated,
            (ChangedResource::User, Did::Update) => Self::UserUpdated,
            (ChangedResource::User, Did::Delete) => Self::UserDeleted,
            _ => return None,
        })
    }

    const fn bit(self) -> u64 {
        1 << self as u64
    }
}

/// Some of the types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTypes(u64);

impl EventTypes {
    /// All of them.
    pub const ALL: Self = Self(u64::MAX);

    /// These types.
    #[must_use]
    pub const fn of(types: &[EventType]) -> Self {
        let mut bits = 0;
        let mut rest = types;
        while let [first, tail @ ..] = rest {
            bits |= first.bit();
            rest = tail;
        }
        Self(bits)
    }

    /// These types and those.
    #[must_use]
    pub const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Reads types separated by commas. `document.*` stands for all that begin with `document.`, and `*` for all.
    ///
    /// # Errors
    /// The first word that stands for no type; what is empty is such a word.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split(',').try_fold(Self(0), |types, word| {
            let named = EventType::ALL.iter().filter(|known| is_named(**known, word));
            let named = named.fold(0, |bits, known| bits | known.bit());
            if named == 0 { Err(word.to_owned()) } else { Ok(Self(types.0 | named)) }
        })
    }

    /// Whether it is one of them.
    #[must_use]
    pub const fn contains(self, event_type: EventType) -> bool {
        self.0 & event_type.bit() != 0
    }

    /// They, in the order of [`EventType::ALL`].
    pub fn iter(self) -> impl Iterator<Item = EventType> {
        EventType::ALL.iter().copied().filter(move |known| self.contains(*known))
    }

    /// Whether none is missing.
    #[must_use]
    pub fn is_all(self) -> bool {
        self.iter().count() == EventType::ALL.len()
    }
}

/// Whether a word of a list stands for a type, alone or among others.
fn is_named(known: EventType, word: &str) -> bool {
    match word.strip_suffix('*') {
        None => known.as_str() == word,
        Some("") => true,
        Some(group) => group.ends_with('.') && known.as_str().starts_with(group),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&'static str> {
        EventTypes::parse(text).unwrap().iter().map(EventType::as_str).collect()
    }

    #[test]
    fn types_are_named_alone_or_by_their_group() {
        assert_eq!(words("bot.created"), ["bot.created"]);
        assert_eq!(words("skill.deleted,bot.created"), ["bot.created", "skill.deleted"]);
        let of_skills = ["skill.created", "skill.updated", "skill.deleted"];
        assert_eq!(words("skill.*"), of_skills);
        assert_eq!(words("skill.*,skill.created"), of_skills);
        // `users.imported` is of another group than `user.created`.
        assert_eq!(words("user.*").len(), 3);
        assert_eq!(words("*"), EventType::WORDS);
        assert!(EventTypes::parse("*").unwrap().is_all() && EventTypes::ALL.is_all());
        assert!(!EventTypes::parse("skill.*").unwrap().is_all());
        for (text, odd) in [
            ("", ""),
            ("bot.created,", ""),
            ("bot.created, skill.*", " skill.*"),
            ("bot", "bot"),
            ("bot*", "bot*"),
            ("bot.*.*", "bot.*.*"),
            ("nope.*", "nope.*"),
            ("Bot.created", "Bot.created"),
            (".*", ".*"),
        ] {
            assert_eq!(EventTypes::parse(text), Err(odd.to_owned()), "{text}");
        }
    }

    #[test]
    fn every_type_has_a_place_in_a_set() {
        let mut seen = 0;
        for known in EventType::ALL {
            assert_eq!(seen & known.bit(), 0);
            seen |= known.bit();
            assert_eq!(words(known.as_str()), [known.as_str()]);
        }
    }

    #[test]
    fn the_word_of_a_type_begins_with_what_it_is_about() {
        for known in EventType::ALL {
            let (subject, _) = known.as_str().split_once('.').unwrap();
            let resource = known.resource().as_str();
            let resource = if resource == "embedding" { "crawl" } else { resource };
            assert_eq!(subject.trim_end_matches('s'), resource, "{}", known.as_str());
        }
    }

    #[test]
    fn a_change_of_a_changelog_has_an_event_of_its_resource() {
        for resource in ChangedResource::ALL {
            let events: Vec<_> = Action::ALL
                .iter()
                .filter_map(|action| EventType::of_change(*action, *resource))
                .collect();
            assert!(events.len() > 1);
            assert!(events.iter().all(|event| event.resource().as_str() == resource.as_str()));
        }
    }
}
