//! Samples of Fusion-Views.

use crate::world::{World, at};
use domain::blob::Blob;
use domain::bot::Bot;
use domain::fusion::{FusionFile, FusionView};
use domain::id::FusionViewId;

/// A Fusion-View with nothing but its type and title, not stored.
pub(crate) fn view(world: &World, bot: &Bot) -> FusionView {
    FusionView {
        id: FusionViewId::from_uuid(world.id()),
        bot_id: bot.id,
        view_type: "h5p".to_owned(),
        title: "Titel".to_owned(),
        metadata: serde_json::from_str("{}").unwrap(),
        file: None,
        created_at: at(1),
        updated_at: at(2),
    }
}

/// A Fusion-View with a value in every field and these bytes as its file, not stored.
pub(crate) fn full_view(world: &World, bot: &Bot, blob: &Blob) -> FusionView {
    let metadata = r#"{"z":1.50,"":null,"a":{"big":123456789012345678901234567890,"y":[]}}"#;
    FusionView {
        view_type: "my-own-1".to_owned(),
        title: "Zoë 🤖 \"quoted\" \\".to_owned(),
        metadata: serde_json::from_str(metadata).unwrap(),
        file: Some(FusionFile {
            blob_id: blob.id,
            file_name: "Übung 🤖.zip".to_owned(),
            mime_type: "application/zip".to_owned(),
            size: blob.size,
            sha256: blob.sha256,
            entries: 10_000,
            uploaded_at: at(7),
        }),
        ..view(world, bot)
    }
}

pub(crate) fn store_view(world: &World, view: &FusionView, bot: &Bot) {
    let (scope, view) = (world.scope(bot), view.clone());
    world.write(move |tx| Ok(tx.insert_fusion_view(&scope, &view)?));
}

pub(crate) fn all_views(world: &World, bot: &Bot) -> Vec<FusionView> {
    let scope = world.scope(bot);
    world.whole(move |tx, after| Ok(tx.fusion_views(&scope, after, 10_000)?), |view| view.id)
}
