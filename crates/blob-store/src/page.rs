//! Lists of blobs come in pages.

/// How many blobs a page of a list has at most.
pub(crate) const PAGE: usize = 500;
