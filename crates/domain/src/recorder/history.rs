//! Items of a user's history.

use super::check::{check_created_at, check_text};
use crate::body::{Body, Fields, Rules};
use crate::clock::Timestamp;
use crate::history::{HistoryKind, Role};
use crate::id::UserId;
use crate::violation::Violations;

/// A new item of a user's history.
///
/// As a line: `userId`, `role`, `kind` and `text` are required, `supervisorEnabled` is false by
/// default, and `createdAt` now.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    pub(super) fn check(&self, violations: &mut Violations) {
        check_text(violations, "text", &self.text);
        check_created_at(violations, self.created_at);
    }

    /// Whether it counts as a message that the user wrote.
    pub(super) fn is_of_user(&self) -> bool {
        self.role == Role::User && self.kind == HistoryKind::Message
    }
}

impl Body for NewHistoryItem {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let nobody = UserId::from_uuid(uuid::Uuid::nil());
        let item = Self {
            user_id: fields.required("userId").unwrap_or(nobody),
            role: fields.required("role").unwrap_or(Role::System),
            kind: fields.required("kind").unwrap_or(HistoryKind::SocketEvent),
            supervisor_enabled: fields.optional("supervisorEnabled").unwrap_or(false),
            text: fields.required("text").unwrap_or_default(),
            created_at: fields.optional("createdAt"),
        };
        fields.with_violations(|violations| item.check(violations));
        item
    }
}
