//! The repository of Fusion-Views.

use super::FusionView;
use crate::access::BotScope;
use crate::bot_resource::bot_resource_methods;
use crate::error::StorageError;
use crate::id::{BlobId, FusionViewId};

/// Fusion-Views in the database. A caller that changes one has locked its bot exclusively.
pub trait FusionViewRepository {
    bot_resource_methods! { FusionView, FusionViewId;
        page fusion_views
        with_ids fusion_views_with_ids
        insert insert_fusion_view
        update update_fusion_view
        delete delete_fusion_view
        copy copy_fusion_views
    }

    /// A Fusion-View of the bot.
    fn fusion_view(
        &mut self,
        scope: &BotScope,
        id: FusionViewId,
    ) -> Result<Option<FusionView>, StorageError>;

    /// Removes at most `limit` Fusion-Views of a bot that is being torn down; returns what each of
    /// them had as its file.
    fn remove_fusion_views(
        &mut self,
        scope: &BotScope,
        limit: u32,
    ) -> Result<Vec<Option<BlobId>>, StorageError>;
}
