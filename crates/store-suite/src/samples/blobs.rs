//! Samples of blobs.

use crate::world::{World, at, project_of};
use domain::blob::{Blob, BlobKind, BlobState, Sha256};
use domain::bot::Bot;
use domain::id::BlobId;

/// A blob of the bot's project with such a hash, not stored.
pub(crate) fn blob(world: &World, bot: &Bot, hash: u8) -> Blob {
    Blob {
        id: BlobId::from_uuid(world.id()),
        project_id: bot.project_id,
        kind: BlobKind::Fusion,
        sha256: Sha256::from_bytes([hash; 32]),
        size: 1_000 + u64::from(hash),
        state: BlobState::Present,
        created_at: at(1),
    }
}

pub(crate) fn store_blob(world: &World, blob: &Blob, bot: &Bot) {
    let (scope, blob) = (project_of(&world.scope(bot)), blob.clone());
    world.write(move |tx| Ok(tx.insert_blob(&scope, &blob)?));
}
