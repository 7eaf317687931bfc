//! What a flood is.

use std::time::Duration;

use anyhow::Result;

/// Begins a flood.
pub type Start<'a> = Box<dyn Fn() -> Result<Box<dyn Running>> + 'a>;
/// Undoes what would disturb the next flood.
pub type CleanUp<'a> = Box<dyn Fn() -> Result<()> + 'a>;

/// Something that a project does without regard for others.
pub struct Flood<'a> {
    pub name: &'static str,
    /// For how many seconds it is measured at least.
    pub seconds: u32,
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
    /// When the server had closed its connections, where that matters.
    pub closed: Option<Closed>,
}

/// When the server had closed all connections of a flood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    /// `None` if it had not when this was given up.
    pub after: Option<Duration>,
    /// How long that may take.
    pub target: Duration,
}

impl<'a> Flood<'a> {
    /// A flood that leaves nothing behind that would disturb.
    pub fn new(name: &'static str, start: Start<'a>) -> Self {
        Self { name, seconds: 0, start, clean_up: Box::new(|| Ok(())) }
    }
}

impl Ended {
    /// A flood that is not about connections.
    pub const fn with(done: String) -> Self {
        Self { done, closed: None }
    }
}

impl Closed {
    /// The later one of two; one that was never seen is the latest.
    pub fn worse(self, other: Self) -> Self {
        let time = |closed: Self| closed.after.unwrap_or(Duration::MAX);
        if time(other) > time(self) { other } else { self }
    }

    pub fn is_in_time(self) -> bool {
        self.after.is_some_and(|after| after <= self.target)
    }
}
