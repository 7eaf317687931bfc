//! Things to store, which several tests need.

pub(crate) mod blobs;
pub(crate) mod document_copies;
pub(crate) mod documents;
pub(crate) mod fusion_views;
