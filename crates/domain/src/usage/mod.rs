//! Usage statistics: what chat, voice and avatars of a bot cost, by day and model
//! (`docs/api.md`, "Usage").

mod day;
mod repository;
mod service;

pub use day::{Day, DayRange};
pub use repository::UsageRepository;
pub use service::UsageService;

use serde::Serialize;

use crate::choice;
use crate::id::{BotId, UsageStatisticId};
use crate::input::INTEGER_MAX;
use crate::json::write_number;

choice! {
    /// What was used.
    UsageKind {
        ChatCompletion "chatCompletion",
        SpeechSynthesis "speechSynthesis",
        AvatarVideo "avatarVideo",
    }
}

/// What a bot used of one model on one day. There is one of these for each bot, day, kind and model.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageStatistic {
    /// Its identifier.
    pub id: UsageStatisticId,
    /// The bot.
    pub bot_id: BotId,
    /// Which day, kind and model.
    pub of: UsageKey,
    /// How much.
    pub amounts: UsageAmounts,
}

/// Which row usage is added into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsageKey {
    /// The day, in UTC.
    pub day: Day,
    /// What was used.
    pub kind: UsageKind,
    /// The model: 1 to 200 characters.
    pub model: String,
}

/// How much was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageAmounts {
    /// Requests.
    pub requests: u64,
    /// Tokens that went in.
    pub input_tokens: u64,
    /// Tokens that came out.
    pub output_tokens: u64,
    /// Characters that were spoken.
    pub characters: u64,
    /// Seconds of audio or video.
    #[serde(serialize_with = "write_number")]
    pub seconds: f64,
    /// What it cost, in the currency of the installation.
    #[serde(serialize_with = "write_number")]
    pub cost: f64,
}

impl UsageAmounts {
    /// Both together; whole numbers stop at 2^53 − 1.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let sum = |one: u64, other: u64| one.saturating_add(other).min(INTEGER_MAX);
        Self {
            requests: sum(self.requests, other.requests),
            input_tokens: sum(self.input_tokens, other.input_tokens),
            output_tokens: sum(self.output_tokens, other.output_tokens),
            characters: sum(self.characters, other.characters),
            seconds: self.seconds + other.seconds,
            cost: self.cost + other.cost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_add_up_and_stop_at_their_end() {
        let one = UsageAmounts {
            requests: 1,
            input_tokens: INTEGER_MAX,
            output_tokens: INTEGER_MAX - 1,
            characters: u64::MAX,
            seconds: 0.5,
            cost: 0.25,
        };
        let sum = one.plus(&UsageAmounts { input_tokens: 1, ..one });
        let expected = UsageAmounts {
            requests: 2,
            input_tokens: INTEGER_MAX,
            output_tokens: INTEGER_MAX,
            characters: INTEGER_MAX,
            seconds: 1.0,
            cost: 0.5,
        };
        assert_eq!(sum, expected);
    }
}
