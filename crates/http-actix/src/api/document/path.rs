//! The document that a path names.

use domain::id::DocumentId;

use crate::pipeline::path_param::PathParam;
use crate::pipeline::target::OnProjectSubresource;

/// A document, by its `_id`.
pub(crate) struct DocParam;

impl PathParam for DocParam {
    const NAME: &'static str = "docId";
    const DESCRIPTION: &'static str = "The `_id` of a document of the project.";

    type Value = DocumentId;
}

/// What a path of a document leads to.
pub(super) type OnDocument<S> = OnProjectSubresource<S, DocParam>;
