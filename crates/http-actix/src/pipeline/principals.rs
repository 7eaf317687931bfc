//! Who bears a token, remembered for at most a second.
//!
//! Every request needs its principal, and tokens change rarely. An entry counts only as long as the store says that
//! nothing about tokens of the project has changed since; while it can't say so, every token is looked up. A look-up is
//! good for all requests that came before it began.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::http::header::HeaderMap;
use domain::Botyard;
use domain::access::{AccessService, Principal, Scheme, TokenDigest};
use domain::error::DomainError;
use moka::sync::Cache;

/// Half of the two seconds that the API promises: the rest is for a revocation to travel.
const REMEMBERED: Duration = Duration::from_secs(1);
/// How many tokens are remembered at once.
const CAPACITY: u64 = 100_000;

/// A text that may be a token, as it came with a request.
pub struct PresentedToken((Scheme, TokenDigest));

impl PresentedToken {
    /// The one in this header.
    ///
    /// # Errors
    /// [`DomainError::Unauthenticated`] if there is none, or what can't be one.
    pub fn of(scheme: Scheme, headers: &HeaderMap, header: &str) -> Result<Self, DomainError> {
        let mut values = headers.get_all(header);
        let (Some(text), None) = (values.next(), values.next()) else {
            return Err(DomainError::Unauthenticated);
        };
        let digest = TokenDigest::of_presented(scheme, text.as_bytes());
        digest.map(|digest| Self((scheme, digest))).ok_or(DomainError::Unauthenticated)
    }

    /// The digest of the text.
    pub const fn digest(&self) -> TokenDigest {
        self.0.1
    }
}

#[derive(Clone)]
struct Remembered {
    principal: Arc<Principal>,
    /// Under which version of access it was looked up; `None` if the store could not tell.
    version: Option<u64>,
    /// When the look-up began.
    since: Instant,
}

impl Remembered {
    /// Whether it is no older than a principal is remembered, and the token has not ended.
    fn is_recent(&self, access: &AccessService) -> bool {
        self.since.elapsed() < REMEMBERED && access.has_not_expired(&self.principal)
    }
}

/// Principals by the digest of their token.
pub struct Principals {
    cache: Cache<(Scheme, TokenDigest), Remembered>,
}

impl Default for Principals {
    fn default() -> Self {
        Self { cache: Cache::new(CAPACITY) }
    }
}

impl Principals {
    /// Who bears a token, if that is remembered and still certain.
    pub fn remembered(&self, botyard: &Botyard, token: &PresentedToken) -> Option<Arc<Principal>> {
        let access = &botyard.access;
        let found = self.cache.get(&token.0).filter(|found| {
            access.is_unchanged(found.principal.project_id(), found.version)
                && found.is_recent(access)
        })?;
        botyard.access.record_use(&found.principal);
        Some(found.principal)
    }

    /// Whether the token was valid when it was seen last.
    pub fn has_seen(&self, token: &PresentedToken) -> bool {
        self.cache.contains_key(&token.0)
    }

    /// Who bears a token, as the database has it. What another request has found out by now, by a look-up that began after
    /// `asked`, is as good.
    ///
    /// # Errors
    /// [`DomainError::Unauthenticated`] without saying why, [`DomainError::Storage`] if no token can be
    /// accepted because the database does not answer.
    pub async fn look_up(
        &self,
        botyard: &Botyard,
        token: PresentedToken,
        asked: Instant,
    ) -> Result<Arc<Principal>, DomainError> {
        let is_shared =
            |found: &Remembered| found.since >= asked && found.is_recent(&botyard.access);
        if let Some(Remembered { principal, .. }) = self.cache.get(&token.0).filter(is_shared) {
            botyard.access.record_use(&principal);
            return Ok(principal);
        }
        // The version is taken before the look-up: a change in between makes the entry stale.
        let (version, since) = (botyard.access.version(), Instant::now());
        let (scheme, digest) = token.0;
        let found = botyard.access.authenticate(scheme, digest).await;
        if matches!(found, Err(DomainError::Unauthenticated)) {
            self.cache.invalidate(&token.0);
        }
        let principal = Arc::new(found?);
        let entry = Remembered { principal: principal.clone(), version, since };
        self.cache.insert(token.0, entry);
        botyard.access.record_use(&principal);
        Ok(principal)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;
    use crate::options::HttpLimits;
    use crate::samples::{Failing, secret, state};

    /// A token of a bot, as a request has it.
    fn presented() -> PresentedToken {
        let (name, text) = (HeaderName::from_static("x-api-key"), secret(Scheme::Bot));
        let text = HeaderValue::from_str(text.reveal()).unwrap();
        let headers = HeaderMap::from_iter([(name, text)]);
        PresentedToken::of(Scheme::Bot, &headers, "X-Api-Key").unwrap()
    }

    #[actix_web::test]
    async fn a_look_up_is_good_for_all_who_asked_before_it_began() {
        let units = Arc::new(AtomicUsize::new(0));
        let state = state(Failing::ToFollowTokens(units.clone()), HttpLimits::default());
        let look_up = |asked| state.principals.look_up(&state.app.botyard, presented(), asked);
        let asked = Instant::now().checked_sub(REMEMBERED * 3).unwrap();
        look_up(asked).await.unwrap();
        look_up(asked).await.unwrap();
        assert_eq!(units.load(Ordering::SeqCst), 1);
        // Changes of tokens can't be followed, so one who asks later looks up again.
        assert!(look_up(Instant::now()).await.is_err());
        assert_eq!(units.load(Ordering::SeqCst), 2);
    }

    #[actix_web::test]
    async fn a_look_up_is_shared_no_longer_than_a_principal_is_remembered() {
        let units = Arc::new(AtomicUsize::new(0));
        let state = state(Failing::ToFollowTokens(units.clone()), HttpLimits::default());
        let (principals, botyard) = (&state.principals, &state.app.botyard);
        let asked = Instant::now().checked_sub(REMEMBERED * 3).unwrap();
        principals.look_up(botyard, presented(), asked).await.unwrap();
        let found = principals.cache.get(&presented().0).unwrap();
        let since = found.since.checked_sub(REMEMBERED).unwrap();
        principals.cache.insert(presented().0, Remembered { since, ..found });
        // It is found to be revoked.
        assert!(principals.look_up(botyard, presented(), asked).await.is_err());
        assert_eq!(units.load(Ordering::SeqCst), 2);
    }
}
