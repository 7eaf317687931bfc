//! MaxAge rules of a project, and the clean-up that they ask for (`docs/api.md`, "MaxAge rules").

mod body;
mod by_rule;
mod job;
mod pattern;
mod repository;
mod service;
mod turn;

pub use body::{CreateMaxAgeRule, UpdateMaxAgeRule};
pub use job::CLEAN_UP;
pub(crate) use job::CleanUp;
pub use pattern::KeyPattern;
pub use repository::{CleanUpPosition, MaxAgeRepository};
pub use service::MaxAgeService;

use crate::clock::Timestamp;
use crate::id::{MaxAgeRuleId, ProjectId};

/// Entries of the project whose key matches and that were neither read nor written for so long go by
/// themselves. Permanent entries stay.
#[derive(Debug, Clone, PartialEq)]
pub struct MaxAgeRule {
    /// Its identifier.
    pub id: MaxAgeRuleId,
    /// Its project.
    pub project_id: ProjectId,
    /// Which keys it means.
    pub key_pattern: KeyPattern,
    /// How long an entry stays, in seconds; more than 0.
    pub max_age_seconds: f64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it changed last.
    pub updated_at: Timestamp,
}
