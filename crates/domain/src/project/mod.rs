//! Projects: what bots, documents and project tokens belong to.

mod repository;
mod service;

pub use repository::ProjectRepository;
pub use service::ProjectService;

use crate::clock::Timestamp;
use crate::id::{OrganisationId, ProjectId};

/// A project. Its organisation never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its identifier.
    pub id: ProjectId,
    /// The organisation that owns it.
    pub organisation_id: OrganisationId,
    /// What people call it: 1 to 200 characters.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
}
