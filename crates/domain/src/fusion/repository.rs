//! What Fusion-Views ask of the database.

use super::FusionView;
use crate::access::BotScope;
use crate::batch::Batch;
use crate::clock::Timestamp;
use crate::copy_step::CopyStep;
use crate::error::StorageError;
use crate::id::{BlobId, FusionViewId};

/// Fusion-Views in the database. A caller that changes one holds its bot exclusively.
pub trait FusionViewRepository {
    /// A Fusion-View of the bot.
    fn fusion_view(
        &mut self,
        scope: &BotScope,
        id: FusionViewId,
    ) -> Result<Option<FusionView>, StorageError>;

    /// The bot's Fusion-Views, oldest first, at most `limit`, after `after` if that is given.
    fn fusion_views(
        &mut self,
        scope: &BotScope,
        after: Option<FusionViewId>,
        limit: u32,
    ) -> Result<Batch<FusionView>, StorageError>;

    /// Those of the bot's Fusion-Views with these identifiers, in any order.
    fn fusion_views_with_ids(
        &mut self,
        scope: &BotScope,
        ids: &[FusionViewId],
    ) -> Result<Vec<FusionView>, StorageError>;

    /// Stores a new Fusion-View.
    fn insert_fusion_view(
        &mut self,
        scope: &BotScope,
        view: &FusionView,
    ) -> Result<(), StorageError>;

    /// Stores all fields of a Fusion-View that is there.
    fn update_fusion_view(
        &mut self,
        scope: &BotScope,
        view: &FusionView,
    ) -> Result<(), StorageError>;

    /// Removes a Fusion-View that is there.
    fn delete_fusion_view(
        &mut self,
        scope: &BotScope,
        id: FusionViewId,
    ) -> Result<(), StorageError>;

    /// Copies Fusion-Views of one bot to another of the same project, in their order, under
    /// identifiers from `next_id` and made `now`. They share their files. It goes on where
    /// `step` is, as far as that goes, and returns whether all are copied.
    fn copy_fusion_views(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> FusionViewId,
    ) -> Result<bool, StorageError>;

    /// Removes at most `limit` Fusion-Views of a bot that is being torn down; returns what each of
    /// them had as its file.
    fn remove_fusion_views(
        &mut self,
        scope: &BotScope,
        limit: u32,
    ) -> Result<Vec<Option<BlobId>>, StorageError>;
}
