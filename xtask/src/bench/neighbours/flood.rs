//! What a flood is.

use anyhow::Result;

/// Begins a flood.
pub type Start<'a> = Box<dyn Fn() -> Result<Box<dyn Running>> + 'a>;
/// Undoes what would disturb the next flood.
pub type CleanUp<'a> = Box<dyn Fn() -> Result<()> + 'a>;

/// Something that a project does without regard for others.
pub struct Flood<'a> {
    pub name: &'static str,
    pub start: Start<'a>,
    pub clean_up: CleanUp<'a>,
}

/// A flood that is going on. It ends with this value.
pub trait Running {
    /// Ends it.
    fn end(self: Box<Self>) -> Result<Ended>;
}

/// What there is to say of a flood that has ended.
pub struct Ended {
    /// What it has done.
    pub done: String,
}

impl<'a> Flood<'a> {
    /// A flood that leaves nothing behind that would disturb.
    pub fn new(name: &'static str, start: Start<'a>) -> Self {
        Self { name, start, clean_up: Box::new(|| Ok(())) }
    }
}
