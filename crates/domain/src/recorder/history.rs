//! Items of a user's history.

use serde::Serialize;

use super::check::created_at;
use crate::clock::Timestamp;
use crate::history::{HistoryKind, Role};
use crate::id::UserId;
use crate::input::{Field, Fields, Input};

/// A new item of a user's history.
///
/// As a line: `userId`, `role`, `kind` and `text` are required, `supervisorEnabled` is false by
/// default, and `createdAt` now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewHistoryItem {
    /// `userId`: the user's `_id`.
    pub user_id: UserId,
    /// `role`
    pub role: Role,
    /// `kind`
    pub kind: HistoryKind,
    /// `supervisorEnabled`: whether a supervisor may read it.
    pub supervisor_enabled: bool,
    /// `text`: at most 1 MiB.
    pub text: String,
    /// `createdAt`; `None` for now.
    pub created_at: Option<Timestamp>,
}

impl NewHistoryItem {
    /// Whether it counts as a message that the user wrote.
    pub(super) fn is_of_user(&self) -> bool {
        self.role == Role::User && self.kind == HistoryKind::Message
    }
}

impl Input for NewHistoryItem {
    fn read(fields: &mut Fields<'_>) -> Self {
        let nobody = UserId::from_uuid(uuid::Uuid::nil());
        Self {
            user_id: fields.required(Field::new("userId")).unwrap_or(nobody),
            role: fields.required(Field::new("role")).unwrap_or(Role::System),
            kind: fields.required(Field::new("kind")).unwrap_or(HistoryKind::SocketEvent),
            supervisor_enabled: fields.optional(Field::new("supervisorEnabled")).unwrap_or(false),
            text: fields.required(Field::new("text")).unwrap_or_default(),
            created_at: created_at(fields),
        }
    }
}
