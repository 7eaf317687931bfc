//! Which names the open objects have had so far.

use std::collections::HashSet;

use super::key::Key;

/// Up to this many plain names, comparing with each of them costs less than a hash.
const FEW: usize = 16;

/// The names of all open objects that have few of them, in one list: when an object gets its next
/// member, those inside of it are closed again, and so its own names are the last of the list.
#[derive(Debug)]
pub(super) struct Names<'a>(Vec<Key<'a>>);

/// The names of one open object.
#[derive(Debug)]
pub(super) struct SeenNames<'a> {
    /// Where they begin in the list.
    first: usize,
    /// All of them, instead of in the list, once they are many or one is escaped. The hash has a
    /// random key, so that a client can't choose names that collide.
    many: Option<HashSet<Key<'a>>>,
}

impl<'a> Names<'a> {
    /// No object is open.
    pub(super) const fn none() -> Self {
        Self(Vec::new())
    }

    /// An object begins.
    pub(super) const fn open(&self) -> SeenNames<'a> {
        SeenNames { first: self.0.len(), many: None }
    }

    /// Notes a name; whether it is new to the object.
    pub(super) fn add(&mut self, seen: &mut SeenNames<'a>, key: Key<'a>) -> bool {
        if let Some(many) = &mut seen.many {
            return many.insert(key);
        }
        let few = self.0.get(seen.first..).unwrap_or_default();
        if few.len() == FEW || key.is_escaped() {
            let many = seen.many.insert(self.0.drain(seen.first..).collect());
            return many.insert(key);
        }
        // None of these is escaped.
        let new = few.iter().all(|other| other.raw() != key.raw());
        if new {
            self.0.push(key);
        }
        new
    }

    /// The object that was opened last ends.
    pub(super) fn close(&mut self, seen: &SeenNames<'a>) {
        self.0.truncate(seen.first);
    }
}
