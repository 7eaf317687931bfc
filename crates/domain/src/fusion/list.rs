//! Fusion-Views in lists.

use super::FusionView;
use crate::id::FusionViewId;
use crate::list::listed_of_bot;

listed_of_bot! {
    FusionView of FusionViewId in FusionView,
    filtered by (),
    called "title": |view| &view.title,
    read by fusion_views, fusion_views_with_ids,
    changed by FusionCreated FusionUpdated FusionPackageUploaded
}
