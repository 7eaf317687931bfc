//! Who bears a token, remembered for at most a second.
//!
//! Every request needs its principal, and tokens change rarely. An entry counts only as long as the store says that
//! nothing about tokens of the project has changed since; while it can't say so, every token is looked up.

use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::http::header::HeaderMap;
use domain::Botyard;
use domain::access::{Principal, Scheme, TokenDigest};
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
}

#[derive(Clone)]
struct Remembered {
    principal: Arc<Principal>,
    version: u64,
    since: Instant,
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
            access.is_unchanged(found.principal.project_id(), Some(found.version))
                && found.since.elapsed() < REMEMBERED
                && access.has_not_expired(&found.principal)
        })?;
        botyard.access.record_use(&found.principal);
        Some(found.principal)
    }

    /// Whether the token was valid when it was seen last.
    pub fn has_seen(&self, token: &PresentedToken) -> bool {
        self.cache.contains_key(&token.0)
    }

    /// Who bears a token, as the database has it, unless another request has found out by now.
    ///
    /// # Errors
    /// [`DomainError::Unauthenticated`] without saying why, [`DomainError::Storage`] if no token can be
    /// accepted because the database does not answer.
    pub async fn look_up(
        &self,
        botyard: &Botyard,
        token: PresentedToken,
    ) -> Result<Arc<Principal>, DomainError> {
        if let Some(found) = self.remembered(botyard, &token) {
            return Ok(found);
        }
        // The version is taken before the look-up: a change in between makes the entry stale.
        let (version, since) = (botyard.access.version(), Instant::now());
        let (scheme, digest) = token.0;
        let found = botyard.access.authenticate(scheme, digest).await;
        if matches!(found, Err(DomainError::Unauthenticated)) {
            self.cache.invalidate(&token.0);
        }
        let principal = Arc::new(found?);
        if let Some(version) = version {
            let entry = Remembered { principal: principal.clone(), version, since };
            self.cache.insert(token.0, entry);
        }
        botyard.access.record_use(&principal);
        Ok(principal)
    }
}
