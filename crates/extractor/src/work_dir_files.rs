//! The files in the folder of a worker.

/// The file that says what is to be done.
pub(crate) const HEAD: &str = "head";
/// The file that is to be read.
pub(crate) const FILE: &str = "file";
