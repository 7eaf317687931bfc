//! For tests, those of embedding programs included: a clock to set, a generator to seed, a blob store in memory, a
//! cipher that hides nothing, and scopes and units of work past the services. Lint keeps this module out of everything
//! else.

mod blobs;
mod cipher;
mod units;

pub use blobs::{MemoryBlobs, TrustingArchives};
pub use cipher::TransparentCipher;
pub use units::{ResolveClaim, RunUnits};

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::access::{Actor, BotScope, ProjectScope};
use crate::bot::Bot;
use crate::clock::{Clock, Timestamp};
use crate::entropy::Entropy;
use crate::id::{OrganisationId, ProjectId};

/// The right to a bot that was not looked up: it may be gone, or lie in another project.
#[must_use]
pub const fn bot_scope(
    organisation_id: OrganisationId,
    bot: &Bot,
    actor: Option<Actor>,
) -> BotScope {
    BotScope::at(organisation_id, bot.project_id, bot.id, actor)
}

/// The right to a project that was not looked up.
#[must_use]
pub const fn project_scope(organisation_id: OrganisationId, project_id: ProjectId) -> ProjectScope {
    ProjectScope::at(organisation_id, project_id, None)
}

/// A clock that stands until it is set, unless it was set to go on with each reading.
#[derive(Debug)]
pub struct SetClock {
    millis: AtomicI64,
    step: AtomicI64,
}

impl SetClock {
    /// Starts at these milliseconds.
    #[must_use]
    pub const fn at(millis: i64) -> Self {
        Self { millis: AtomicI64::new(millis), step: AtomicI64::new(0) }
    }

    /// Sets the clock.
    pub fn set(&self, millis: i64) {
        self.millis.store(millis, Ordering::SeqCst);
    }

    /// From now on, each reading is so many milliseconds later than the one before.
    pub fn step_by(&self, millis: i64) {
        self.step.store(millis, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        let step = self.step.load(Ordering::SeqCst);
        Timestamp::from_millis(self.millis.fetch_add(step, Ordering::SeqCst))
    }
}

/// A generator that repeats itself for the same seed (SplitMix64). Not for secrets.
#[derive(Debug)]
pub struct SeededEntropy(Mutex<u64>);

impl SeededEntropy {
    /// Starts from this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        let mut state = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for chunk in buffer.chunks_mut(8) {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = *state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^= z >> 31;
            for (byte, random) in chunk.iter_mut().zip(z.to_le_bytes()) {
                *byte = random;
            }
        }
    }
}
