//! Organisations: the owners of projects.

mod repository;
mod service;

pub use repository::OrganisationRepository;
pub use service::OrganisationService;

use crate::clock::Timestamp;
use crate::id::OrganisationId;

/// An organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organisation {
    /// Its identifier.
    pub id: OrganisationId,
    /// What people call it: 1 to 200 characters.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
}
