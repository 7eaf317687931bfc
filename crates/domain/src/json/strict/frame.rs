//! Where in the text the check is.

use super::key::Key;
use super::names::Seen;
use crate::fault::escape_pointer;

/// How many bytes a pointer may have. Without a bound, one long name could come back a hundred
/// times in an answer.
const MAX_POINTER: usize = 1024;

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
        seen: Seen<'a>,
    },
}

/// The pointer (RFC 6901) to the value that is being read. One that would grow too long names the
/// innermost container around it that has a short one.
pub(super) fn pointer(frames: &[Frame<'_>]) -> String {
    let mut pointer = String::new();
    for frame in frames {
        let token = match frame {
            Frame::Array { index } => index.to_string(),
            Frame::Object { key, .. } if key.raw().len() <= LONGEST_ESCAPE * MAX_POINTER => {
                escape_pointer(&key.name())
            }
            Frame::Object { .. } => break,
        };
        if pointer.len() + 1 + token.len() > MAX_POINTER {
            break;
        }
        pointer.push('/');
        pointer.push_str(&token);
    }
    pointer
}
