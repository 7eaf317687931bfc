//! Tokens of tests.

use std::time::Duration;

use domain::access::{MintedToken, ScopeSet, Token};

/// A token with its text.
#[derive(Debug, Clone)]
pub struct TestToken {
    token: Token,
    secret: String,
}

impl TestToken {
    /// What the bearer presents.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// What is stored of it.
    #[must_use]
    pub const fn token(&self) -> &Token {
        &self.token
    }
}

impl From<MintedToken> for TestToken {
    fn from(minted: MintedToken) -> Self {
        Self { secret: minted.secret.reveal().to_owned(), token: minted.token }
    }
}

/// What a token shall be that is not like most of them.
#[derive(Debug, Clone, Default)]
pub struct Mint {
    /// `None` for all that its scheme knows.
    pub scopes: Option<ScopeSet>,
    /// Whether every write is refused.
    pub read_only: bool,
    /// How long it is valid; `None` for ever.
    pub expires_in: Option<Duration>,
}

impl Mint {
    /// A token with these scopes, written like `bot:read,stats:read`.
    ///
    /// # Panics
    /// If one of them is none.
    #[must_use]
    #[track_caller]
    pub fn scopes(scopes: &str) -> Self {
        Self { scopes: Some(ScopeSet::parse(scopes).expect("scopes")), ..Self::default() }
    }

    /// A token that may only read, but all of it.
    #[must_use]
    pub fn read_only() -> Self {
        Self { read_only: true, ..Self::default() }
    }

    /// A token that ends as soon as it begins.
    #[must_use]
    pub fn expired() -> Self {
        Self { expires_in: Some(Duration::ZERO), ..Self::default() }
    }
}
