//! Fusion-Views: views that a bot shows beside its chat, some of them with a package as their content
//! (`docs/api.md`, "Fusion-Views").

mod body;
mod list;
mod repository;
mod service;
mod upload;

pub use body::{CreateFusionView, UpdateFusionView};
pub use repository::FusionViewRepository;
pub use service::FusionViewService;
pub use upload::PackageUpload;

use serde::Serialize;

use crate::blob::Sha256;
use crate::clock::Timestamp;
use crate::entity_tag::{EntityTag, Tagged};
use crate::free_fields::FreeFields;
use crate::id::{BlobId, BotId, FusionViewId};

/// A Fusion-View of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FusionView {
    /// Its identifier.
    pub id: FusionViewId,
    /// Its bot.
    pub bot_id: BotId,
    /// Its type; it decides whether it can have a package.
    pub view_type: String,
    /// What people call it.
    pub title: String,
    /// What else its owner keeps with it.
    pub metadata: FreeFields,
    /// Its package, if one was uploaded.
    pub file: Option<FusionFile>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it changed last, an upload included.
    pub updated_at: Timestamp,
}

impl Tagged for FusionView {
    fn entity_tag(&self) -> EntityTag {
        let Self { id, bot_id, view_type, title, metadata, file, created_at, updated_at } = self;
        EntityTag::of(&(id, bot_id, view_type, title, metadata, file, created_at, updated_at))
    }
}

/// The package of a Fusion-View. As JSON it is what clients see of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FusionFile {
    /// Where its bytes are.
    #[serde(skip)]
    pub blob_id: BlobId,
    /// What the client called it.
    pub file_name: String,
    /// The media type that its bytes say.
    pub mime_type: String,
    /// How many bytes it has.
    pub size: u64,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// How many entries the archive has.
    pub entries: u64,
    /// When it came.
    pub uploaded_at: Timestamp,
}
