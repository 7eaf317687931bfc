//! Looking up tokens that this process has not seen. Anybody can send such a token, and each costs the database two
//! look-ups: the clients of an address have few at once, so that those of others, and of tokens that are known, need
//! not wait for all of them.

use std::net::IpAddr;

use domain::per_key::{PerKey, half_of_the_cores};
use domain::slots::{Slot, Slots};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// How many an address has at once at least, however few cores there are: a database that is far away takes its time.
const AT_LEAST: usize = 4;

/// The look-ups for each address.
pub(crate) struct TokenLookUps {
    running: PerKey<IpAddr, Semaphore>,
    begun: Slots<IpAddr>,
}

/// What a request has while its token is looked up.
pub(crate) struct TokenLookUp {
    _running: OwnedSemaphorePermit,
    _begun: Slot<IpAddr>,
}

impl Default for TokenLookUps {
    fn default() -> Self {
        let running = PerKey::new(|| Semaphore::new(half_of_the_cores().max(AT_LEAST)));
        Self { running, begun: Slots::default() }
    }
}

impl TokenLookUps {
    /// Waits until a token may be looked up for this address.
    ///
    /// # Errors
    /// A refusal if as many requests of the address wait or look up already.
    pub(crate) async fn begin(&self, address: IpAddr, most: usize) -> Result<TokenLookUp, Problem> {
        let refused = || Problem::too_many_at_once("requests with tokens that are not known");
        let begun = self.begun.begin(address, most).ok_or_else(refused)?;
        // It is never closed.
        let running = self.running.of(address).acquire_owned().await.map_err(|_| refused())?;
        Ok(TokenLookUp { _running: running, _begun: begun })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn an_address_has_few_at_once_and_others_need_not_wait() {
        let look_ups = TokenLookUps::default();
        let [one, other] = [1, 2].map(|last| IpAddr::from([192, 0, 2, last]));
        let at_once = half_of_the_cores().max(AT_LEAST);
        let begin = |address| look_ups.begin(address, at_once + 2).now_or_never();
        let mut running: Vec<_> = (0..at_once).map(|_| begin(one).unwrap()).collect();
        // Two wait, and one more is refused.
        let mut waiting = [(); 2].map(|()| Box::pin(look_ups.begin(one, at_once + 2)));
        assert!(waiting.iter_mut().all(|waits| waits.now_or_never().is_none()));
        assert!(begin(one).unwrap().is_err());
        assert!(begin(other).unwrap().is_ok());
        running.pop();
        assert!(waiting[0].as_mut().now_or_never().unwrap().is_ok());
    }
}
