//! The audit log: what operators did on the command line.
//!
//! A program that acts for a person names that person and the command when it makes its services
//! ([`BotyardBuilder::audit`](crate::BotyardBuilder::audit)). From then on what the operator's methods change is
//! recorded in the unit of work that changes it. What requests change is in changelogs, and who ran a server's
//! background work is nobody.

mod repository;
mod service;

pub use repository::AuditRepository;
pub use service::AuditService;

use crate::access::Operator;
use crate::choice;
use crate::clock::Timestamp;
use crate::id::AuditEntryId;

choice! {
    /// What kind of thing was changed.
    AuditedResource {
        Organisation "organisation",
        Project "project",
        Bot "bot",
        Token "token",
        Job "job",
        Database "database",
        Key "key",
    }
}

/// Who does something, and by which command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditActor {
    /// The words of the command, without its arguments, which may be secret.
    pub command: String,
    /// The number of the system's user.
    pub uid: u32,
    /// What the system calls that user.
    pub user_name: String,
    /// Who became that user by `sudo`, as `sudo` says.
    pub sudo_user: Option<String>,
    /// The machine.
    pub host: String,
}

/// Who acts with the right of the operator.
#[derive(Debug, Clone)]
pub(crate) struct Audited {
    pub(crate) operator: Operator,
    pub(crate) actor: AuditActor,
}

/// One thing that an operator did. It is never changed, and stays when its subject goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its identifier.
    pub id: AuditEntryId,
    /// When it was done.
    pub at: Timestamp,
    /// Who, and how.
    pub actor: AuditActor,
    /// What kind of thing it was done to: a word of [`AuditedResource`], or one that only newer code knows.
    pub resource: String,
    /// To which: its identifier, or another name.
    pub subject: String,
}
