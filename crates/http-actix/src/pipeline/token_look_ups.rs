//! Looking up who bears a token. Anybody can send tokens that this process has not seen, and each costs the database two
//! look-ups: the clients of an address have few at once, and those that wait for one leave slots for requests with tokens
//! that were seen. Of those that have the same such token, a few look it up, and the others go by what these find.

use std::net::IpAddr;
use std::sync::Arc;

use domain::access::TokenDigest;
use domain::per_key::{PerKey, half_of_the_cores};
use domain::slots::{Slot, Slots};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::options::HttpLimits;
use crate::problem::Problem;

/// How many an address or a token has at once at least, however few cores there are: a database that is far away takes
/// its time.
const AT_LEAST: usize = 4;

/// The look-ups for each address, and for each token that was seen.
pub(crate) struct TokenLookUps {
    of_addresses: PerKey<IpAddr, Semaphore>,
    of_tokens: PerKey<TokenDigest, Semaphore>,
    begun_of_addresses: Slots<IpAddr>,
    begun_of_tokens: Slots<TokenDigest>,
    begun_of_all_addresses: Slots<()>,
}

/// What a request has while its token is looked up.
pub(crate) struct TokenLookUp {
    _running: OwnedSemaphorePermit,
    _of_address: Option<(Slot<IpAddr>, Slot<()>)>,
    _of_token: Option<Slot<TokenDigest>>,
}

impl Default for TokenLookUps {
    fn default() -> Self {
        Self {
            of_addresses: PerKey::new(few),
            of_tokens: PerKey::new(few),
            begun_of_addresses: Slots::default(),
            begun_of_tokens: Slots::default(),
            begun_of_all_addresses: Slots::default(),
        }
    }
}

fn few() -> Semaphore {
    Semaphore::new(half_of_the_cores().max(AT_LEAST))
}

impl TokenLookUps {
    /// Waits until a token that was not seen before, or a ticket, may be looked up for this address.
    ///
    /// # Errors
    /// A refusal if as many requests wait or look up already as a project may have in progress, for the address, or half
    /// of those of all, for any address.
    pub(crate) async fn begin(
        &self,
        address: IpAddr,
        limits: &HttpLimits,
    ) -> Result<TokenLookUp, Problem> {
        let of_address = self.begun_of_addresses.begin(address, limits.requests_per_project);
        let of_address = of_address.ok_or_else(|| refused("This address has"))?;
        let of_all = self.begun_of_all_addresses.begin((), limits.requests_in_flight.div_ceil(2));
        let of_all = of_all.ok_or_else(|| refused("The service has"))?;
        let running = wait(self.of_addresses.of(address)).await?;
        let begun = Some((of_address, of_all));
        Ok(TokenLookUp { _running: running, _of_address: begun, _of_token: None })
    }

    /// Waits until a token that was valid when it was seen last may be looked up again.
    ///
    /// # Errors
    /// A refusal if as many requests with this token wait or look up already as a project may have in progress.
    pub(crate) async fn begin_again(
        &self,
        token: TokenDigest,
        limits: &HttpLimits,
    ) -> Result<TokenLookUp, Problem> {
        let begun = self.begun_of_tokens.begin(token, limits.requests_per_project);
        let begun =
            begun.ok_or_else(|| Problem::too_many_at_once("The project has", "requests"))?;
        let running = wait(self.of_tokens.of(token)).await?;
        Ok(TokenLookUp { _running: running, _of_address: None, _of_token: Some(begun) })
    }
}

async fn wait(few: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Problem> {
    // It is never closed.
    few.acquire_owned().await.map_err(|_| refused("The service has"))
}

fn refused(who_has: &str) -> Problem {
    Problem::too_many_at_once(who_has, "requests with tokens that are not known")
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn limits(requests_per_project: usize, requests_in_flight: usize) -> HttpLimits {
        HttpLimits { requests_per_project, requests_in_flight, ..HttpLimits::default() }
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn an_address_has_few_at_once_and_others_need_not_wait() {
        let look_ups = TokenLookUps::default();
        let at_once = half_of_the_cores().max(AT_LEAST);
        let limits = limits(at_once + 2, 1000);
        let begin = |last| look_ups.begin(address(last), &limits).now_or_never();
        let mut running: Vec<_> = (0..at_once).map(|_| begin(1).unwrap()).collect();
        // Two wait, and one more is refused.
        let mut waiting = [(); 2].map(|()| Box::pin(look_ups.begin(address(1), &limits)));
        assert!(waiting.iter_mut().all(|waits| waits.now_or_never().is_none()));
        assert!(begin(1).unwrap().is_err());
        assert!(begin(2).unwrap().is_ok());
        running.pop();
        assert!(waiting[0].as_mut().now_or_never().unwrap().is_ok());
    }

    #[test]
    fn those_of_all_addresses_leave_half_of_the_requests_to_tokens_that_are_known() {
        let look_ups = TokenLookUps::default();
        let limits = limits(4, 5);
        let begin = |last| look_ups.begin(address(last), &limits).now_or_never().unwrap();
        let mut running: Vec<_> = [1, 2, 3].map(begin).into();
        assert!(running.iter().all(Result::is_ok));
        assert!(begin(4).is_err());
        running.pop();
        assert!(begin(4).is_ok());
    }

    #[test]
    fn a_token_that_was_seen_is_looked_up_a_few_times_at_once() {
        let look_ups = TokenLookUps::default();
        let [one, other] = [1, 2].map(|first| TokenDigest::from_bytes([first; 32]));
        let at_once = half_of_the_cores().max(AT_LEAST);
        let limits = limits(at_once + 1, 2);
        let begin = |token| look_ups.begin_again(token, &limits).now_or_never();
        let running: Vec<_> = (0..at_once).map(|_| begin(one).unwrap()).collect();
        // One waits, and one more is refused. Slots of unknown tokens are none of theirs.
        let mut waiting = Box::pin(look_ups.begin_again(one, &limits));
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(begin(one).unwrap().is_err() && begin(other).unwrap().is_ok());
        drop(running);
        assert!(waiting.now_or_never().unwrap().is_ok());
    }
}
