//! Whether a folder has room left.

use std::io::Write as _;
use std::path::Path;

/// What must still fit. Who fails for want of room leaves less: what it could write stays.
const LEAST: usize = 1 << 20;

/// Whether anything can be written into a folder. It is tried, because a disk can have room that is not
/// for everybody.
pub(crate) fn has_free_space(folder: &Path) -> bool {
    let written = tempfile::tempfile_in(folder).and_then(|mut file| file.write_all(&[1; LEAST]));
    written.is_ok()
}
