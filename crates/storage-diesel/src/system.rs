//! The clock and the generator of the operating system, behind the domain's ports.

use std::sync::Arc;

use domain::clock::{Clock, Timestamp};
use domain::entropy::Entropy;
use domain::store::Store;
use domain::{Botyard, BotyardBuilder};

/// Begins to put the services on a store, with the time and the random bytes of this machine.
pub fn botyard_on(store: Arc<dyn Store>) -> BotyardBuilder {
    Botyard::builder(store, Arc::new(SystemClock), Arc::new(SystemEntropy))
}

/// The time of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the port from which everything else takes the time"
    )]
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let millis = since.map_or(0, |duration| duration.as_millis());
        Timestamp::from_millis(i64::try_from(millis).unwrap_or(i64::MAX))
    }
}

/// The generator of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the port from which everything else takes random bytes"
    )]
    fn fill(&self, buffer: &mut [u8]) {
        if let Err(error) = getrandom::fill(buffer) {
            // There is no weaker source to fall back to, and a token from nothing would be open to
            // everybody.
            tracing::error!("the system gives no random bytes: {error}");
            std::process::exit(1);
        }
    }
}
