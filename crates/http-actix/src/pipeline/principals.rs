//! Who bears a token, remembered for at most a second.
//!
//! Every request needs its principal, and tokens change rarely. An entry counts only as long as the
//! store says that nothing about tokens has changed since; while it can't say so, every token is looked up.

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
    /// Who bears the token in this header.
    ///
    /// # Errors
    /// [`DomainError::Unauthenticated`] without saying why, [`DomainError::Storage`] if no token can be
    /// accepted because the database does not answer.
    pub async fn of(
        &self,
        botyard: &Botyard,
        scheme: Scheme,
        headers: &HeaderMap,
        header: &str,
    ) -> Result<Arc<Principal>, DomainError> {
        let mut values = headers.get_all(header);
        let (Some(text), None) = (values.next(), values.next()) else {
            return Err(DomainError::Unauthenticated);
        };
        let digest = TokenDigest::of_presented(scheme, text.as_bytes())
            .ok_or(DomainError::Unauthenticated)?;
        // The version is taken before the look-up: a change in between makes the entry stale.
        let version = botyard.access.version();
        let key = (scheme, digest);
        let remembered = version.and_then(|version| {
            self.cache.get(&key).filter(|found| {
                found.version == version
                    && found.since.elapsed() < REMEMBERED
                    && botyard.access.has_not_expired(&found.principal)
            })
        });
        let principal = match remembered {
            Some(found) => found.principal,
            None => {
                let since = Instant::now();
                let principal = Arc::new(botyard.access.authenticate(scheme, digest).await?);
                if let Some(version) = version {
                    let entry = Remembered { principal: principal.clone(), version, since };
                    self.cache.insert(key, entry);
                }
                principal
            }
        };
        botyard.access.record_use(&principal);
        Ok(principal)
    }
}
