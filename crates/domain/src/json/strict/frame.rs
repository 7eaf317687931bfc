//! Where in the text the check is.

use std::borrow::Cow;

use super::key::Key;
use super::names::SeenNames;
use crate::violation::{self, POINTER_MAX};

/// The longest that one character of a name gets: `\u0061`.
const LONGEST_ESCAPE: usize = 6;

/// One open container and the member of it that is being read.
#[derive(Debug)]
pub(super) enum Frame<'a> {
    /// An array.
    Array {
        /// The item's number.
        index: usize,
    },
    /// An object.
    Object {
        /// The member's name; empty before the first one.
        key: Key<'a>,
        /// The names so far.
        seen: SeenNames<'a>,
    },
}

/// The pointer (RFC 6901) to the value that is being read.
pub(super) fn pointer(frames: &[Frame<'_>]) -> String {
    violation::pointer(frames.iter().map_while(|frame| match frame {
        Frame::Array { index } => Some(Cow::Owned(index.to_string())),
        Frame::Object { key, .. } => {
            // A name that is too long in any case need not be decoded.
            (key.raw().len() <= LONGEST_ESCAPE * POINTER_MAX).then(|| key.name())
        }
    }))
}
